import { describe, expect, test } from "vitest";
import { calibrate } from "../evaluator/evaluation/calibration.ts";
import { macroF1 } from "../evaluator/evaluation/classification.ts";
import { fractionOf, toNumber, ZERO } from "../evaluator/evaluation/fraction.ts";
import { bootstrapInterval } from "../evaluator/evaluation/statistics/bootstrap.ts";
import { effectiveSize } from "../evaluator/evaluation/statistics/clusters.ts";
import { normalQuantile } from "../evaluator/evaluation/statistics/distributions.ts";
import { clopperPearson, wilson } from "../evaluator/evaluation/statistics/intervals.ts";
import { logLoss } from "../evaluator/evaluation/statistics/log-loss.ts";
import { mcnemar } from "../evaluator/evaluation/statistics/mcnemar.ts";
import { reliability } from "../evaluator/evaluation/statistics/reliability.ts";
import reference from "./statistics/reference.json" with { type: "json" };

const DIGITS = 8;
const { scipy, statsmodels, "scikit-learn": learn } = reference.versions;
const bootstrap = { level: 0.95, seed: 1, resamples: 2 };

describe(`as scipy ${scipy}`, () => {
  test.each(reference.quantiles)("the normal quantile of $level", ({ level, z }) => {
    expect(normalQuantile(Number(level))).toBeCloseTo(z, 10);
  });

  test.each(reference.effectiveIntervals)("the interval of $share over $trials", (row) => {
    const { low, high } = clopperPearson(row.share, row.trials, row.level);
    expect(low).toBeCloseTo(row.interval[0] ?? Number.NaN, DIGITS);
    expect(high).toBeCloseTo(row.interval[1] ?? Number.NaN, DIGITS);
  });

  test("the bootstrap over cases, but for its own chance", () => {
    const { correct, asked, level, interval } = reference.resampled;
    const cases = asked.map((of, index) => ({ of, right: correct[index] ?? 0 }));
    const { low, high } = bootstrapInterval(
      cases,
      (sample) =>
        sample.reduce((sum, { right }) => sum + right, 0) /
        sample.reduce((sum, { of }) => sum + of, 0),
      { level, seed: 1, resamples: 20_000 },
    );
    expect(Math.abs(low - (interval[0] ?? Number.NaN))).toBeLessThan(0.003);
    expect(Math.abs(high - (interval[1] ?? Number.NaN))).toBeLessThan(0.003);
  });
});

describe(`as statsmodels ${statsmodels}`, () => {
  test.each(reference.intervals)("the intervals of $hits of $trials at $level", (row) => {
    const found = {
      wilson: wilson(row.hits / row.trials, row.trials, row.level),
      clopperPearson: clopperPearson(row.hits / row.trials, row.trials, row.level),
    };
    for (const name of ["wilson", "clopperPearson"] as const) {
      expect(found[name].low, name).toBeCloseTo(row[name][0] ?? Number.NaN, DIGITS);
      expect(found[name].high, name).toBeCloseTo(row[name][1] ?? Number.NaN, DIGITS);
    }
  });

  test.each(reference.designEffects)("the design effect $designEffect", (row) => {
    const { designEffect, effective } = effectiveSize(row.clusters);
    expect(toNumber(designEffect ?? ZERO)).toBeCloseTo(row.designEffect, 10);
    const asked = row.clusters.reduce((sum, one) => sum + one.asked, 0);
    expect(toNumber(effective)).toBeCloseTo(asked / Math.max(1, row.designEffect), DIGITS);
  });

  test.each(reference.pairs)("McNemar's p for $worse worse and $better better", (row) => {
    const changed = (own: boolean, count: number) => Array<boolean>(count).fill(own);
    const candidate = [...changed(false, row.worse), ...changed(true, row.better), true, false];
    const stable = [...changed(true, row.worse), ...changed(false, row.better), true, false];
    const run = (correct: readonly boolean[]) =>
      correct.map((own, line) => ({ line, correct: [own] }));
    const { worse, better, p } = mcnemar(run(candidate), run(stable).reverse());
    expect([worse, better]).toEqual([row.worse, row.better]);
    expect(p).toBeCloseTo(row.p, 7);
  });
});

describe(`as scikit-learn ${learn}`, () => {
  const points = (row: (typeof reference.calibrations)[number]) =>
    row.confidences.map((confidence, index) => ({
      confidence: fractionOf(confidence) ?? ZERO,
      correct: row.correct[index] === 1,
    }));

  test.each(reference.calibrations)("Brier score $brier and log loss $logLoss", (row) => {
    expect(toNumber(calibrate(points(row)).brier)).toBeCloseTo(row.brier, 12);
    expect(logLoss(points(row))).toBeCloseTo(row.logLoss, 12);
  });

  test.each(reference.calibrations)("calibration errors $uniform.error", (row) => {
    for (const [binning, wanted] of [
      ["equal width", row.uniform],
      ["equal mass", row.quantile],
    ] as const) {
      const { bins, error } = reliability([points(row)], binning, bootstrap);
      expect(
        bins.map(({ count }) => count),
        binning,
      ).toEqual(wanted.counts);
      expect(error, binning).toBeCloseTo(wanted.error, 12);
    }
    expect(toNumber(calibrate(points(row)).ece)).toBeCloseTo(row.uniform.error, 12);
  });

  test.each(reference.classes)("macro-F1 $macroF1", (row) => {
    const pairs = row.expected.map((expected, index) => ({
      expected,
      predicted: row.predicted[index],
    }));
    expect(toNumber(macroF1(pairs))).toBeCloseTo(row.macroF1, 12);
  });
});
