import type { Finding } from "../../schema/finding.ts";

/** Most problems that a condition quotes; the rest are counted. */
const MOST_QUOTED = 8;
/** Most characters of a problem that a condition quotes. */
const MOST_CHARACTERS = 1_000;

/**
 * Says in one text what is wrong: the first eight problems, each within a thousand characters, and
 * how many more there are.
 */
export function quoteProblems(problems: readonly string[]): string {
  const more = problems.length - MOST_QUOTED;
  const shown = problems
    .slice(0, MOST_QUOTED)
    .map((problem) => excerpt(problem, MOST_CHARACTERS))
    .join("; ");
  return more > 0 ? `${shown}; and ${more} more` : shown;
}

/** The beginning of a text, of at most so many characters and, where it is cut, an ellipsis. */
export function excerpt(text: string, most: number): string {
  // Half of a character is none: protobuf could not carry it.
  return text.length > most ? `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}

/** Says in one text what is wrong with a spec, each finding with its field, as `quoteProblems` does. */
export function quoteFindings(findings: readonly Finding[]): string {
  return quoteProblems(findings.map(({ field, message }) => `${field}: ${message}`));
}
