import type { Correlation } from "./correlation.ts";
import type { Finding } from "./finding.ts";

/**
 * The findings of an update that the API server holds against it: those in values that are as they
 * were are no reason to refuse it.
 */
export function dropUnchanged(
  findings: readonly Finding[],
  update: Correlation | undefined,
): readonly Finding[] {
  if (update === undefined) return findings;
  // What a junctor finds stands or falls with the value that has the junctor.
  return findings.filter(
    ({ path, judgedAt = path.length }) => !isWithinUnchanged(path.slice(0, judgedAt), update),
  );
}

function isWithinUnchanged(path: Finding["path"], update: Correlation): boolean {
  let at: Correlation | undefined = update;
  for (const [depth, step] of path.entries()) {
    if (at.isUnchanged) return true;
    // A new version of the API may have changed these two unseen.
    if (depth === 0 && (step === "apiVersion" || step === "kind")) return false;
    at = at.child(step);
    if (at === undefined) return false;
  }
  return at.isUnchanged;
}
