import type { Pass } from "./pass.ts";
import { LIMITS } from "./settings.ts";

/**
 * Whether a Secret that the spec names can't be used. What serves is then kept as it is and nothing
 * new begins; a person must mend it.
 */
export function credentialsFail(pass: Pass): boolean {
  const { apiKey, downloadToken } = pass.world;
  const failing = [apiKey, downloadToken].find(({ state }) => state === "unusable");
  if (failing?.state !== "unusable") return false;
  pass.degrade(failing.reason, failing.message);
  pass.wakeAfter(LIMITS.hold);
  const serves = pass.status.stableRevision !== undefined;
  if (!serves) pass.block(failing.reason, failing.message);
  // Nothing begins now, so it has no place among those that wait for the budget either.
  if (!serves || pass.phase === "Pending") pass.enter("Degraded");
  return true;
}
