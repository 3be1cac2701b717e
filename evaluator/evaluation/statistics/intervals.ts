import { betaQuantile, normalQuantile } from "./distributions.ts";

/** Where a share lies, from 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

const ANYWHERE: Interval = { low: 0, high: 1 };

/**
 * The two-sided Wilson score interval of a share (Wilson, JASA 22, 1927) at a level such as 0.95;
 * `trials` may be an effective number of them. All of 0 to 1 without a trial.
 */
export function wilson(share: number, trials: number, level: number): Interval {
  if (trials <= 0) return ANYWHERE;
  const z = normalQuantile((1 + level) / 2);
  const weight = (z * z) / trials;
  const middle = (share + weight / 2) / (1 + weight);
  const half = Math.sqrt(weight * (share * (1 - share) + weight / 4)) / (1 + weight);
  // Rounding leaves a share of 0 or 1 a little beside its end, which belongs to the interval.
  return {
    low: share === 0 ? 0 : Math.max(0, middle - half),
    high: share === 1 ? 1 : Math.min(1, middle + half),
  };
}

/**
 * The two-sided exact interval of a share (Clopper and Pearson, Biometrika 26, 1934) at a level such
 * as 0.95, which never covers less; with an effective number of trials that of Korn and Graubard
 * (Survey Methodology 24, 1998). All of 0 to 1 without a trial.
 */
export function clopperPearson(share: number, trials: number, level: number): Interval {
  if (trials <= 0) return ANYWHERE;
  const hits = share * trials;
  const misses = trials - hits;
  const tail = (1 - level) / 2;
  return {
    low: share === 0 ? 0 : betaQuantile(tail, hits, misses + 1),
    high: share === 1 ? 1 : betaQuantile(1 - tail, hits + 1, misses),
  };
}
