import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { compare, type Fraction, parseDecimal, ratio, subtract, ZERO } from "./fraction.ts";
import { type Baseline, comparesWithStable, judge } from "./gates.ts";
import type { EvaluationPolicy } from "./identity.ts";
import type { Measurement } from "./measurement.ts";

interface Figures {
  readonly correct?: number;
  readonly asked?: number;
  readonly answered?: number;
  readonly calibrated?: number;
  readonly ece?: Fraction;
  readonly classifiable?: number;
  readonly macroF1?: Fraction;
}

function measured(figures: Figures): Measurement {
  const { correct = 90, asked = 100, answered = asked, calibrated = asked } = figures;
  const { ece = ZERO, classifiable = asked, macroF1 = ratio(correct, asked) } = figures;
  return {
    asked,
    answered,
    correct,
    calibration: { scored: calibrated, ece, brier: ZERO },
    classifiable,
    macroF1,
    questions: [],
    // One question each, the right ones first.
    cases: Array.from({ length: asked }, (_, index) => ({
      line: index + 1,
      correct: [index < correct],
    })),
  };
}

const decimal = (text: string): Fraction => parseDecimal(text) ?? ZERO;
const policy = (thresholds: Partial<EvaluationPolicy>): EvaluationPolicy => ({
  minAccuracy: "0",
  dataset: { kind: "ConfigMap", name: "golden", key: "cases.jsonl" },
  ...thresholds,
});
const none: Baseline = { state: "none" };
const against = (figures: Figures): Baseline => ({
  state: "measured",
  measurement: measured(figures),
});

/** The verdict in a line: the outcome, or the reason and the message. */
function verdict(
  thresholds: Partial<EvaluationPolicy>,
  candidate: Figures,
  baseline: Baseline = none,
): string {
  const judged = judge(policy(thresholds), measured(candidate), baseline);
  return judged.outcome === "failed" ? `${judged.reason}: ${judged.message}` : judged.outcome;
}

describe("H22: at the limit", () => {
  test.each<readonly [string, Partial<EvaluationPolicy>, Figures, Baseline, string]>([
    [
      "91/100 after 93/100 within 0.02",
      { maxAccuracyDrop: "0.02" },
      { correct: 91 },
      against({ correct: 93 }),
      "passed",
    ],
    [
      "17/20 after 9/10 within 0.05",
      { maxAccuracyDrop: "0.05" },
      { correct: 17, asked: 20 },
      against({ correct: 9, asked: 10 }),
      "passed",
    ],
    ["90/100 for 0.9", { minAccuracy: "0.9" }, { correct: 90 }, none, "passed"],
    [
      "95/100 after 90/100 within 0",
      { maxAccuracyDrop: "0" },
      { correct: 95 },
      against({ correct: 90 }),
      "passed",
    ],
    [
      "4499/4999 for 0.90",
      { minAccuracy: "0.90" },
      { correct: 4499, asked: 4999 },
      none,
      "EvaluationFailed: accuracy 0.89998 (4499 of 4999) is below minAccuracy 0.90",
    ],
    [
      "89/100 after 91/100 within 0.0199999",
      { maxAccuracyDrop: "0.0199999" },
      { correct: 89 },
      against({ correct: 91 }),
      "EvaluationFailed: accuracy drop 0.0200 (0.9100 to 0.8900, 2 got worse and 0 better, McNemar p 0.5000) is above maxAccuracyDrop 0.0199999",
    ],
    ["ECE at its limit", { maxECE: "0.1" }, { ece: ratio(1, 10) }, none, "passed"],
    [
      "ECE beyond it",
      { maxECE: "0.10" },
      { ece: ratio(100_001, 1_000_000) },
      none,
      "EvaluationFailed: ECE 0.100001 (over 100 answers) is above maxECE 0.10",
    ],
    [
      "an ECE increase at its limit",
      { maxECEIncrease: "0.1" },
      { ece: ratio(3, 10) },
      against({ ece: ratio(2, 10) }),
      "passed",
    ],
    [
      "an ECE increase beyond it",
      { maxECEIncrease: "0.05" },
      { ece: ratio(3, 10) },
      against({ ece: ratio(2, 10) }),
      "EvaluationFailed: ECE increase 0.1000 (0.2000 to 0.3000) is above maxECEIncrease 0.05",
    ],
    ["16: macro-F1 at its floor", { minMacroF1: "0.9" }, {}, none, "passed"],
    [
      "macro-F1 below it",
      { minMacroF1: "0.95" },
      {},
      none,
      "EvaluationFailed: macro-F1 0.9000 (over 100 answers) is below minMacroF1 0.95",
    ],
    [
      "a macro-F1 drop at its limit",
      { maxMacroF1Drop: "0.03" },
      { macroF1: ratio(87, 100) },
      against({}),
      "passed",
    ],
    [
      "a macro-F1 drop beyond it",
      { maxMacroF1Drop: "0.02" },
      { macroF1: ratio(87, 100) },
      against({}),
      "EvaluationFailed: macro-F1 drop 0.0300 (0.9000 to 0.8700) is above maxMacroF1Drop 0.02",
    ],
    ["coverage at its floor", { minCoverage: "0.95" }, { answered: 95 }, none, "passed"],
    [
      "coverage below it",
      { minCoverage: "0.95" },
      { answered: 94 },
      none,
      "EvaluationFailed: coverage 0.9400 (94 of 100 answered) is below minCoverage 0.95",
    ],
    ["the demo's 37/40", { minAccuracy: "0.90" }, { correct: 37, asked: 40 }, none, "passed"],
    [
      "the demo's 32/40",
      { minAccuracy: "0.90" },
      { correct: 32, asked: 40 },
      none,
      "EvaluationFailed: accuracy 0.8000 (32 of 40) is below minAccuracy 0.90",
    ],
  ])("%s", (_, thresholds, candidate, baseline, wanted) => {
    expect(verdict(thresholds, candidate, baseline)).toBe(wanted);
  });
});

describe("H21: a gate over nothing", () => {
  test.each<readonly [string, Partial<EvaluationPolicy>, Figures, Baseline, string]>([
    [
      "of questions",
      { minAccuracy: "0" },
      { asked: 0, correct: 0 },
      none,
      "EvaluationFailed: no question was scored",
    ],
    [
      "of the stable revision's questions",
      { maxAccuracyDrop: "1" },
      {},
      against({ asked: 0, correct: 0 }),
      "EvaluationFailed: of the stable revision no question",
    ],
    [
      "25: of calibrated answers",
      { maxECE: "1" },
      { calibrated: 0 },
      none,
      "CalibrationUnavailable: no answer came with usable probabilities",
    ],
    [
      "of calibrated answers, relative",
      { maxECEIncrease: "1" },
      { calibrated: 0 },
      against({}),
      "CalibrationUnavailable: no answer came",
    ],
    [
      "of the stable revision's",
      { maxECEIncrease: "1" },
      {},
      against({ calibrated: 0 }),
      "CalibrationUnavailable: of the stable revision no answer",
    ],
    [
      "of the stable revision's, before an ECE that is too high",
      { maxECE: "0.1", maxECEIncrease: "1" },
      { ece: ratio(1, 2) },
      against({ calibrated: 0 }),
      "CalibrationUnavailable",
    ],
    [
      "18: of classes",
      { minMacroF1: "0" },
      { classifiable: 0 },
      none,
      "ClassificationUnavailable: no question expects a label",
    ],
    [
      "of classes, relative",
      { maxMacroF1Drop: "1" },
      { classifiable: 0 },
      against({}),
      "ClassificationUnavailable",
    ],
    [
      "of the stable revision's classes",
      { maxMacroF1Drop: "1" },
      {},
      against({ classifiable: 0 }),
      "ClassificationUnavailable: of the stable revision",
    ],
  ])("%s fails", (_, thresholds, candidate, baseline, wanted) => {
    expect(verdict(thresholds, candidate, baseline)).toContain(wanted);
  });

  it("fails by accuracy where every answer lacks the question", () => {
    const nothing = { correct: 0, asked: 10, answered: 0, calibrated: 0 };
    expect(verdict({ minAccuracy: "0.9", maxECE: "0.1" }, nothing)).toBe(
      "EvaluationFailed: accuracy 0.0000 (0 of 10) is below minAccuracy 0.9",
    );
  });

  it("passes where no gate asks for them", () => {
    expect(verdict({}, { calibrated: 0, classifiable: 0 })).toBe("passed");
    expect(verdict({ maxECE: "1" }, {}, against({ calibrated: 0 }))).toBe("passed");
  });
});

describe("the first gate that fails is named", () => {
  const all: Partial<EvaluationPolicy> = {
    minAccuracy: "0.95",
    maxAccuracyDrop: "0.01",
    minCoverage: "0.95",
    maxECE: "0.1",
    maxECEIncrease: "0.1",
    minMacroF1: "0.95",
    maxMacroF1Drop: "0.01",
  };
  const candidate: Figures = { answered: 90, ece: ratio(1, 2) };
  const stable = against({ correct: 95, asked: 100 });
  const order = Object.keys(all) as (keyof typeof all)[];

  test.each(order.map((name, index) => [name, index] as const))("%s", (name, index) => {
    const left = Object.fromEntries(order.slice(index).map((gate) => [gate, all[gate]]));
    expect(verdict(left, candidate, stable)).toContain(` ${name} `);
  });

  it("19: accuracy before macro-F1", () => {
    expect(verdict({ minAccuracy: "0.95", minMacroF1: "0.95" }, {})).toContain("accuracy 0.9000");
  });
});

describe("without a stable revision", () => {
  const relative = { maxAccuracyDrop: "0", maxECEIncrease: "0", maxMacroF1Drop: "0" };

  it("17: relative gates are left out, and said to be", () => {
    expect(
      judge(policy({ minAccuracy: "0.9", ...relative }), measured({ correct: 95 }), none),
    ).toEqual({
      outcome: "passed",
      message:
        "accuracy 0.9500 (95 of 100) reaches minAccuracy 0.9; not judged without a stable revision: maxAccuracyDrop, maxECEIncrease, maxMacroF1Drop",
      skipped: ["maxAccuracyDrop", "maxECEIncrease", "maxMacroF1Drop"],
    });
  });

  it("a relative gate alone needs no calibrated answers", () => {
    expect(verdict({ maxECEIncrease: "0" }, { calibrated: 0 })).toBe("passed");
  });

  test.each(Object.entries(relative))("%s alone asks for one", (name, threshold) => {
    expect(comparesWithStable(policy({ [name]: threshold }))).toBe(true);
    const baseline: Baseline = { state: "unavailable", message: "no ready pod" };
    expect(judge(policy({ [name]: threshold }), measured({}), baseline)).toEqual({
      outcome: "held",
      reason: "BaselineUnavailable",
      message: "the stable revision could not be measured: no ready pod",
    });
  });

  it("other gates do not wait for one", () => {
    const others = { maxECE: "1", minMacroF1: "0", minCoverage: "0" };
    expect(comparesWithStable(policy(others))).toBe(false);
    expect(verdict(others, {}, { state: "unavailable", message: "no ready pod" })).toBe("passed");
  });
});

describe("confidence", () => {
  const sure = { minAccuracy: "0.90", confidence: "0.95" };

  test.each<readonly [string, Partial<EvaluationPolicy>, Figures, string]>([
    ["passes with enough cases", {}, { correct: 470, asked: 500 }, "passed"],
    ["is insufficient with few", {}, { correct: 37, asked: 40 }, "insufficient"],
    ["is insufficient at the floor itself", {}, { correct: 900, asked: 1000 }, "insufficient"],
    [
      "fails below the floor",
      {},
      { correct: 35, asked: 40 },
      "EvaluationFailed: accuracy 0.8750 (35 of 40) is below minAccuracy 0.90",
    ],
    [
      "fails where another gate does, though it is luck too",
      { maxECE: "0.1" },
      { correct: 37, asked: 40, ece: ratio(1, 2) },
      "EvaluationFailed: ECE 0.5000 (over 40 answers) is above maxECE 0.1",
    ],
    [
      "fails where a gate has nothing to judge",
      { maxECE: "0.1" },
      { correct: 37, asked: 40, calibrated: 0 },
      "CalibrationUnavailable: no answer came with usable probabilities; use a model that gives them, or leave maxECE and maxECEIncrease out",
    ],
    [
      "needs a floor below 1",
      { minAccuracy: "1.0" },
      {},
      "EvaluationFailed: confidence needs a minAccuracy below 1, since no number of cases proves that a model never errs",
    ],
    [
      "must be a confidence",
      { confidence: "0.5" },
      {},
      'EvaluationFailed: confidence "0.5" must be a decimal above 0.5 and below 1',
    ],
  ])("%s", (_, thresholds, candidate, wanted) => {
    expect(verdict({ ...sure, ...thresholds }, candidate)).toBe(wanted);
  });

  it("is no comparison with the stable revision", () => {
    expect(comparesWithStable(policy(sure))).toBe(false);
  });
});

test("a drop is told with what changed, and by chance how often", () => {
  const drop = { maxAccuracyDrop: "0.5" };
  const said = (correct: number) =>
    judge(policy(drop), measured({ correct }), against({ correct: 90 })).message;
  expect(said(85)).toContain("5 got worse and 0 better, McNemar p 0.0625) is within");
  expect(said(97)).toContain("0 got worse and 7 better, McNemar p 0.0156) is within");
  expect(said(90)).toContain("0 got worse and 0 better, McNemar p 1.0000) is within");
  expect(said(60)).toContain("30 got worse and 0 better, McNemar p below 0.0001) is within");
});

test.each(["", "90%", "1.5", ".5", "-0.1", "1e-1", "NaN", "0.9 "])(
  "a threshold of %j never passes",
  (threshold) => {
    expect(verdict({ minAccuracy: threshold }, { correct: 100 })).toContain("must be a decimal");
    expect(verdict({ maxECE: threshold }, {})).toContain("must be a decimal from 0 to 1");
  },
);

test("a threshold of any length is compared in full and shown in part", () => {
  const threshold = `0.8${"9".repeat(1000)}`;
  const [message] = [verdict({ minAccuracy: threshold }, { correct: 89 })];
  expect(message).toContain("is below minAccuracy 0.89999");
  expect(message.length).toBeLessThan(200);
  expect(verdict({ minAccuracy: threshold }, { correct: 90 })).toBe("passed");
});

test("verdicts are those of rational numbers", () => {
  const counts = fc
    .tuple(fc.integer({ min: 1, max: 200 }), fc.nat(200), fc.nat(200))
    .map(([asked, a, b]) => [asked, Math.min(a, asked), Math.min(b, asked)] as const);
  const threshold = fc
    .integer({ min: 0, max: 1000 })
    .map((units) => (units === 1000 ? "1" : `0.${String(units).padStart(3, "0")}`));
  fc.assert(
    fc.property(counts, threshold, threshold, ([asked, correct, stable], floor, drop) => {
      const accuracy = ratio(correct, asked);
      const passes =
        compare(accuracy, decimal(floor)) >= 0 &&
        compare(subtract(ratio(stable, asked), accuracy), decimal(drop)) <= 0;
      const judged = verdict(
        { minAccuracy: floor, maxAccuracyDrop: drop },
        { correct, asked },
        against({ correct: stable, asked }),
      );
      expect(judged === "passed").toBe(passes);
    }),
    { seed: 1 },
  );
});
