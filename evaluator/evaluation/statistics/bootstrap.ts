import type { Interval } from "./intervals.ts";
import { quantile } from "./quantile.ts";
import { randomIndexes } from "./random.ts";

/** How an interval is drawn: a level such as 0.95, and what makes it come out the same again. */
export interface Bootstrap {
  readonly level: number;
  readonly seed: number;
  /** How often a sample is drawn; 1000 if left out. */
  readonly resamples?: number;
}

/**
 * The two-sided percentile interval of a statistic (Efron and Tibshirani, An Introduction to the
 * Bootstrap, 1993, 13.3). Whole clusters are drawn with replacement (Davison and Hinkley, Bootstrap
 * Methods and their Application, 1997, 3.8), since what is in one is not independent.
 */
export function bootstrapInterval<Cluster>(
  clusters: readonly Cluster[],
  statistic: (sample: readonly Cluster[]) => number,
  { level, seed, resamples = 1000 }: Bootstrap,
): Interval {
  const index = randomIndexes(seed);
  const draw = () => clusters.map((own) => clusters[index(clusters.length)] ?? own);
  const values = Float64Array.from({ length: resamples }, () => statistic(draw())).sort();
  const tail = (1 - level) / 2;
  return { low: quantile([...values], tail), high: quantile([...values], 1 - tail) };
}
