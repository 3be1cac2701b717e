import type { Finding } from "../../schema/finding.ts";

/** Most problems that a condition quotes; the rest are counted. */
const MOST_QUOTED = 8;

/** Says in one text what is wrong: the first eight problems, and how many more there are. */
export function quoteProblems(problems: readonly string[]): string {
  const more = problems.length - MOST_QUOTED;
  const shown = problems.slice(0, MOST_QUOTED).join("; ");
  return more > 0 ? `${shown}; and ${more} more` : shown;
}

/** Says in one text what is wrong with a spec, each finding with its field, as `quoteProblems` does. */
export function quoteFindings(findings: readonly Finding[]): string {
  return quoteProblems(findings.map(({ field, message }) => `${field}: ${message}`));
}
