import {
  compare,
  type Fraction,
  formatAgainst,
  formatFraction,
  multiply,
  ONE,
  parseDecimal,
  ratio,
  subtract,
  ZERO,
} from "./fraction.ts";
import {
  DEFAULT_MAX_CASES,
  type EvaluationPolicy,
  MOST_CASES,
  shortThreshold,
} from "./identity.ts";
import type { Measurement } from "./measurement.ts";
import { clustersOf, effectiveSize } from "./statistics/clusters.ts";
import { normalQuantile } from "./statistics/distributions.ts";

/** What the number of cases says about an accuracy that reaches its floor. */
export type Evidence =
  | { readonly state: "enough"; readonly message: string }
  | { readonly state: "short"; readonly message: string };

/** The confidences that the API accepts: decimals above 0.5 and below 1. */
const CONFIDENCE = /^0\.([6-9][0-9]*|5[0-9]*[1-9][0-9]*)$/;

/**
 * The one-sided quantile of the standard normal distribution at a confidence, to six decimals;
 * `undefined` where the text is no decimal above 0.5 and below 1, or too close to 1 for a double.
 */
export function confidenceQuantile(confidence: string): Fraction | undefined {
  const level = CONFIDENCE.test(confidence) ? Number(confidence) : 1;
  return level < 1 ? parseDecimal(normalQuantile(level).toFixed(6)) : undefined;
}

/**
 * Tells whether the accuracy over all possible cases reaches `minAccuracy`, at a quantile of its
 * confidence: whether the one-sided lower bound of Wilson (JASA 22, 1927) does, over as many
 * independent questions as the cases are worth. The measured accuracy must reach it, and 1 is no floor.
 */
export function weighEvidence(
  policy: EvaluationPolicy,
  quantile: Fraction,
  { cases, asked, correct }: Measurement,
): Evidence {
  const floor = parseDecimal(policy.minAccuracy) ?? ZERO;
  const { effective } = effectiveSize(clustersOf(cases));
  const accuracy = ratio(correct, asked);
  const above = subtract(accuracy, floor);
  const square = multiply(above, above);
  // Wilson's bound is the floor where (p − p₀)²·n = z²·p₀·(1 − p₀).
  const wanted = multiply(multiply(quantile, quantile), multiply(floor, subtract(ONE, floor)));
  const sure = `of minAccuracy ${shortThreshold(policy.minAccuracy)} with confidence ${policy.confidence}`;
  const weight = `${counted(cases.length, "case")}, worth ${counted(effective, "independent question")}`;
  if (compare(multiply(square, effective), wanted) >= 0) {
    return { state: "enough", message: `${weight}, are enough to be sure ${sure}` };
  }
  const shown = `accuracy ${formatAgainst(accuracy, floor)} (${correct} of ${asked})`;
  const short = `${shown} rests on ${weight}: too little to be sure ${sure}`;
  if (square.numerator === 0n) {
    const message = `${short}; no number of cases would do at exactly this accuracy`;
    return { state: "short", message };
  }
  const needed = casesNeeded(wanted, square, effective, cases.length);
  const more = needed - BigInt(cases.length);
  const message = `${short}; ${counted(more, "more case")} would do at this accuracy${cap(policy, needed)}`;
  return { state: "short", message };
}

/** The whole number of cases that would just do, were further ones like these. */
function casesNeeded(
  wanted: Fraction,
  square: Fraction,
  effective: Fraction,
  cases: number,
): bigint {
  // wanted ÷ square is the effective size, of which each case brings effective ÷ cases.
  const numerator = wanted.numerator * square.denominator * effective.denominator * BigInt(cases);
  const denominator = wanted.denominator * square.numerator * effective.numerator;
  return (numerator + denominator - 1n) / denominator;
}

function cap({ maxCases = DEFAULT_MAX_CASES }: EvaluationPolicy, needed: bigint): string {
  if (needed <= BigInt(maxCases)) return "";
  return needed <= BigInt(MOST_CASES)
    ? `, with maxCases raised from ${maxCases} to ${needed}`
    : `, but maxCases allows ${MOST_CASES} at most`;
}

/** A count with its noun, one decimal where it is no whole number. */
function counted(count: number | bigint | Fraction, noun: string): string {
  const text =
    typeof count === "object" ? formatFraction(count, 1).replace(/\.0$/, "") : `${count}`;
  return `${text} ${noun}${text === "1" ? "" : "s"}`;
}
