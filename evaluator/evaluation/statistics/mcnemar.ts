import type { CaseTally } from "../measurement.ts";
import { fairTail } from "./distributions.ts";

/** How a revision differs from the stable one on the questions that both were asked. */
export interface PairedComparison {
  /** Questions that the stable revision alone answers rightly. */
  readonly worse: number;
  /** Questions that the other alone answers rightly. */
  readonly better: number;
  /** The two-sided probability of a split at least as uneven, were neither better; 1 without any. */
  readonly p: number;
}

/**
 * The exact test of McNemar (Psychometrika 12, 1947) on two runs over one dataset, paired by line and
 * question: twice the smaller tail of the binomial distribution at one half. It takes questions as
 * independent, so for cases of many questions p is too small.
 */
export function mcnemar(
  candidate: readonly CaseTally[],
  stable: readonly CaseTally[],
): PairedComparison {
  const byLine = new Map(stable.map(({ line, correct }) => [line, correct]));
  const pairs = candidate.flatMap(({ line, correct }) => {
    const other = byLine.get(line) ?? [];
    return correct.flatMap((own, index) => {
      const before = other[index];
      return before === undefined || before === own ? [] : [own];
    });
  });
  const better = pairs.filter((own) => own).length;
  const worse = pairs.length - better;
  const p = Math.min(1, 2 * fairTail(Math.min(worse, better), pairs.length));
  return { worse, better, p };
}
