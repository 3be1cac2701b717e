import {
  absolute,
  add,
  compare,
  divide,
  type Fraction,
  fractionOf,
  multiply,
  ONE,
  subtract,
  ZERO,
} from "./fraction.ts";

/** How sure an answer was, from 0 to 1, and whether it was right. */
export interface CalibrationPoint {
  readonly confidence: Fraction;
  readonly correct: boolean;
}

/** How well confidence tells what is right: both figures are 0 at best, and where nothing was scored. */
export interface Calibration {
  /** How many points they rest on. A gate over none must not pass. */
  readonly scored: number;
  /**
   * Expected calibration error (Naeini, Cooper and Hauskrecht, AAAI 2015) over ten bins of equal
   * width, the lower edge in the bin, 1 in the last.
   */
  readonly ece: Fraction;
  /** The mean of (confidence − outcome)² (Brier, 1950). */
  readonly brier: Fraction;
}

const BINS = 10;

/** A probability as confidence: brought into 0 to 1, and 0 for NaN. */
export function confidenceOf(probability: number): Fraction {
  if (probability >= 1) return ONE;
  return probability > 0 ? (fractionOf(probability) ?? ZERO) : ZERO;
}

/** Calibrates exactly, so that the order of the points never matters. */
export function calibrate(points: readonly CalibrationPoint[]): Calibration {
  // Σ (correct − confidence) of each bin: its share times its gap, but for the division by all.
  const gaps = Array<Fraction>(BINS).fill(ZERO);
  let squares = ZERO;
  for (const { confidence, correct } of points) {
    const gap = subtract(correct ? ONE : ZERO, confidence);
    const bin = equalWidthBin(confidence);
    gaps[bin] = add(gaps[bin] ?? ZERO, gap);
    squares = add(squares, multiply(gap, gap));
  }
  const scored = points.length;
  const gap = gaps.map(absolute).reduce(add, ZERO);
  return { scored, ece: divide(gap, scored), brier: divide(squares, scored) };
}

/** The bin of a confidence, of ten from 0 to 9; 0.6 begins bin 6, which binary division misses. */
export function equalWidthBin(confidence: Fraction): number {
  if (compare(confidence, ONE) >= 0) return BINS - 1;
  return Number((confidence.numerator * BigInt(BINS)) / confidence.denominator);
}
