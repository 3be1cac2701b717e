import type { Finding } from "../../schema/finding.ts";

/** Most problems that a condition quotes; the rest are counted. */
const MOST_QUOTED = 8;
/** Most characters of a problem that a condition quotes. */
const MOST_CHARACTERS = 1_000;

/**
 * Says in one text what is wrong: the first eight problems or so, each within a thousand characters, and
 * how many more there are.
 */
export function quoteProblems(problems: readonly string[]): string {
  const quoted = problems.map((problem) => excerpt(problem, MOST_CHARACTERS));
  return enumerate(quoted, MOST_QUOTED, "; ");
}

/** Joins up to so many texts, and one more where it is the only one left; of others it tells how many. */
export function enumerate(texts: readonly string[], most: number, separator = ", "): string {
  const more = texts.length - most;
  if (more < 2) return texts.join(separator);
  const and = separator === ", " ? " and" : `${separator}and`;
  return `${texts.slice(0, most).join(separator)}${and} ${more} more`;
}

/** The beginning of a text, of at most so many characters and, where it is cut, an ellipsis. */
export function excerpt(text: string, most: number): string {
  // Half of a character is none: protobuf could not carry it.
  return text.length > most ? `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}

/**
 * Says in one text what is wrong with a spec, each finding with its field, as `quoteProblems` does; one
 * whose field the API server leaves out, as `<nil>`, without: the message itself names it.
 */
export function quoteFindings(findings: readonly Finding[]): string {
  return quoteProblems(
    findings.map(({ field, message }) => {
      return field === "<nil>" ? message : `${field}: ${message}`;
    }),
  );
}
