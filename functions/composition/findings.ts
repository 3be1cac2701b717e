import type { Finding } from "../../schema/finding.ts";

/** Most findings that a condition quotes; the rest are counted. */
const MOST_QUOTED = 8;

/** Says in one text what is wrong with a spec: each finding with its field, the first eight of them. */
export function quoteFindings(findings: readonly Finding[]): string {
  const more = findings.length - MOST_QUOTED;
  const shown = findings
    .slice(0, MOST_QUOTED)
    .map(({ field, message }) => `${field}: ${message}`)
    .join("; ");
  return more > 0 ? `${shown}; and ${more} more` : shown;
}
