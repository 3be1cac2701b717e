import { compare, type Fraction, ONE, ratio } from "../fraction.ts";
import type { CaseTally } from "../measurement.ts";

/** A case as a cluster: how many questions it asks, and how many were answered rightly. */
export interface Cluster {
  readonly asked: number;
  readonly correct: number;
}

/** How much independent evidence the questions of clusters are. */
export interface EffectiveSize {
  /**
   * By how much the clusters widen the variance of the accuracy; left out where they can't tell:
   * one cluster, all right, or all wrong.
   */
  readonly designEffect?: Fraction;
  /** As many independent questions would tell as much; never more than were asked. */
  readonly effective: Fraction;
}

/** Each case as a cluster, in their order. */
export function clustersOf(cases: readonly CaseTally[]): readonly Cluster[] {
  return cases.map(({ correct }) => ({
    asked: correct.length,
    correct: correct.filter((right) => right).length,
  }));
}

/**
 * Weighs the questions by the design effect of their clusters (Kish, Survey Sampling, 1965, with the
 * linearised variance of a ratio, Cochran, Sampling Techniques, 1977, 6.3), exactly. It counts as 1
 * where it is below; where it is undefined a cluster counts as one question.
 */
export function effectiveSize(clusters: readonly Cluster[]): EffectiveSize {
  const [cases, asked, correct] = [
    clusters.length,
    clusters.reduce((sum, one) => sum + one.asked, 0),
    clusters.reduce((sum, one) => sum + one.correct, 0),
  ];
  if (cases <= 1 || correct === 0 || correct === asked) return { effective: ratio(cases, 1) };
  const [k, n, c] = [BigInt(cases), BigInt(asked), BigInt(correct)];
  // Σ(n·cᵢ − c·mᵢ)², which is n² times the sum of the squared residuals cᵢ − p·mᵢ.
  const squares = clusters.reduce((sum, one) => {
    const residual = n * BigInt(one.correct) - c * BigInt(one.asked);
    return sum + residual * residual;
  }, 0n);
  // [k/(k−1)·Σ(cᵢ − p·mᵢ)²/n²] ÷ [p(1−p)/n], with p = c/n.
  const designEffect = { numerator: k * squares, denominator: (k - 1n) * n * c * (n - c) };
  const { numerator, denominator } = designEffect;
  const effective =
    compare(designEffect, ONE) <= 0
      ? ratio(asked, 1)
      : { numerator: n * denominator, denominator: numerator };
  return { designEffect, effective };
}
