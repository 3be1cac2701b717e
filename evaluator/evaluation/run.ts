import type { Case } from "./dataset.ts";
import type { Fraction } from "./fraction.ts";
import { type Measurement, measure, type ScoredCase } from "./measurement.ts";
import { scoreCase } from "./score.ts";

/** What became of one case that was put to an engine. */
export type CaseResult =
  | { readonly state: "answered"; readonly answers: unknown }
  /** The engine refuses the case itself, and would again. */
  | { readonly state: "rejected"; readonly status: number; readonly code: string }
  /** The engine was not reached, or was in no state to answer. */
  | { readonly state: "broken"; readonly message: string };

/** Why a run is no measurement: on hold for its dataset, or worth nothing and to be repeated. */
type UnscoredRun =
  | { readonly state: "rejected"; readonly line: number; readonly message: string }
  | { readonly state: "broken"; readonly message: string };

/** A run as a whole with what each of its cases came to. */
export type ScoredRun =
  | { readonly state: "scored"; readonly cases: readonly ScoredCase[] }
  | UnscoredRun;

/** A run as a whole with what gates need of it. */
export type ConcludedRun =
  | { readonly state: "measured"; readonly measurement: Measurement }
  | UnscoredRun;

/**
 * Scores a run from the results of all its cases, in the cases' order whenever they came. One
 * rejected case rejects the run, since a repetition would not help; else one broken or missing
 * result breaks it, since accuracy over the rest would be another dataset's.
 */
export function scoreRun(
  cases: readonly Case[],
  results: readonly (CaseResult | undefined)[],
  tolerance: Fraction,
): ScoredRun {
  const scored: ScoredCase[] = [];
  let broken: UnscoredRun | undefined;
  for (const [index, one] of cases.entries()) {
    const result = results[index];
    if (result?.state === "rejected") return rejected(one.line, result);
    if (result?.state === "answered") {
      scored.push(scoredCase(one, result.answers, tolerance));
    } else {
      const message = result?.message ?? "it has no result";
      broken ??= {
        state: "broken",
        message: `the case on line ${one.line} was not answered: ${message}`,
      };
    }
  }
  return broken ?? { state: "scored", cases: scored };
}

/** A case with what an engine's answers to it come to, by the rules of `scoreCase`. */
export function scoredCase(
  { line, slice, expectations }: Case,
  answers: unknown,
  tolerance: Fraction,
): ScoredCase {
  const outcomes = scoreCase(expectations, answers, tolerance);
  return { line, ...(slice === undefined ? {} : { slice }), outcomes };
}

/** Scores a run and measures it; what the single cases came to is not kept. */
export function concludeRun(
  cases: readonly Case[],
  results: readonly (CaseResult | undefined)[],
  tolerance: Fraction,
): ConcludedRun {
  const run = scoreRun(cases, results, tolerance);
  return run.state === "scored" ? { state: "measured", measurement: measure(run.cases) } : run;
}

/** The engine's own text may quote the case, which may be secret: its code alone is shown. */
function rejected(
  line: number,
  { status, code }: Extract<CaseResult, { state: "rejected" }>,
): UnscoredRun {
  const shown = /^[A-Z_]{1,40}$/.test(code) ? ` ${code}` : "";
  const message = `the engine rejects the case on line ${line} (HTTP ${status}${shown}): mend that line of the dataset`;
  return { state: "rejected", line, message };
}
