import { describe, expect, test } from "vitest";
import { decodeDataset } from "./dataset.ts";
import { parseDecimal, ZERO } from "./fraction.ts";
import type { EvaluationPolicy } from "./identity.ts";
import { evaluationReport } from "./report.ts";

const choice = (label: string, probability?: number) => ({
  team: {
    type: "choice",
    choice: label,
    ...(probability === undefined ? {} : { probabilities: { [label]: probability } }),
  },
});

const lines = [
  { state: "a", slice: "en", expected: { team: "billing" } },
  { state: "b", slice: "en", expected: { team: "billing" } },
  { state: "c", slice: "de", expected: { team: "sales" } },
  { state: "d", expected: { team: "sales" } },
];
const decoded = decodeDataset(
  new TextEncoder().encode(`${lines.map((one) => JSON.stringify(one)).join("\n")}\n`),
  500,
);
if (!decoded.ok) throw new Error(decoded.problems.join());
const { dataset } = decoded;

const tolerance = parseDecimal("0.5") ?? ZERO;
const candidate = {
  model: "triage:v2",
  answers: [choice("billing", 0.9), choice("sales", 0.6), choice("billing", 0.8), {}],
};
const baseline = {
  model: "triage:v1",
  answers: [choice("sales"), choice("sales"), choice("sales"), choice("sales")],
};
const policy: EvaluationPolicy = {
  minAccuracy: "0.20",
  maxAccuracyDrop: "0.10",
  dataset: { kind: "ConfigMap", name: "tickets", key: "cases.jsonl" },
};

describe("the report of an evaluation", () => {
  const report = evaluationReport({ dataset, policy, tolerance, candidate, baseline });

  test("counts what was asked, answered and right, and what had a confidence", () => {
    expect(report.dataset).toMatchObject({ cases: 4, questions: 4 });
    expect(report.candidate).toMatchObject({
      model: "triage:v2",
      asked: 4,
      answered: 3,
      correct: 1,
      accuracy: 0.25,
      coverage: 0.75,
      calibrated: 3,
    });
    expect(report.baseline).toMatchObject({ correct: 2, coverage: 1, calibrated: 0 });
  });

  test("puts the accuracy inside both of its intervals, the exact one the wider", () => {
    const { accuracy, interval, exactInterval } = report.candidate;
    expect(interval.low).toBeLessThan(accuracy);
    expect(interval.high).toBeGreaterThan(accuracy);
    expect(exactInterval.low).toBeLessThan(interval.low);
    expect(exactInterval.high).toBeGreaterThan(interval.high);
  });

  test("has no calibration where no answer came with a confidence", () => {
    expect(report.baseline).not.toHaveProperty("brier");
    expect(report.baseline).not.toHaveProperty("reliability");
    expect(report.candidate.reliability?.equalWidth.bins).toHaveLength(10);
    // (0.1² + 0.6² + 0.8²) ÷ 3
    expect(report.candidate.brier).toBeCloseTo(1.01 / 3, 12);
  });

  test("judges as the operator's gate does, the drop included", () => {
    expect(report.verdict).toMatchObject({ outcome: "failed", reason: "EvaluationFailed" });
    expect(report.verdict?.message).toContain("maxAccuracyDrop 0.10");
  });

  test("judges nothing without a policy and compares nothing without a baseline", () => {
    const alone = evaluationReport({ dataset, tolerance, candidate });
    expect(alone).not.toHaveProperty("verdict");
    expect(alone).not.toHaveProperty("comparison");
    expect(alone).not.toHaveProperty("disagreements");
  });

  test("pairs the two models case by case", () => {
    expect(report.comparison).toMatchObject({ better: 1, worse: 2 });
    expect(report.comparison?.p).toBeCloseTo(1, 7);
    const found = report.disagreements?.first.map(({ line, right }) => [line, right]);
    expect(found).toEqual([
      [3, "baseline"],
      [4, "baseline"],
      [1, "candidate"],
    ]);
  });

  test("shows the wrong answers, the most confident first, one without a confidence last", () => {
    expect(report.mistakes.total).toBe(3);
    expect(report.mistakes.first).toEqual([
      expect.objectContaining({ line: 3, expected: "sales", answered: "billing", confidence: 0.8 }),
      expect.objectContaining({ line: 2, expected: "billing", answered: "sales", confidence: 0.6 }),
      { line: 4, question: "team", state: '"d"', expected: "sales", answered: null },
    ]);
  });

  test("keeps slices apart, and cases without one", () => {
    const rows = report.slices.map(({ name, candidate: { correct, asked } }) => {
      return `${name} ${correct}/${asked}`;
    });
    expect(rows).toEqual(["(no slice) 0/1", "de 0/1", "en 1/2"]);
  });

  test("tells which class was taken for which, and what was not answered", () => {
    expect(report.confusion).toEqual([
      {
        question: "team",
        classes: ["billing", "sales"],
        counts: [
          [1, 1, 0],
          [1, 0, 1],
        ],
      },
    ]);
  });

  test("comes out the same again", () => {
    expect(evaluationReport({ dataset, policy, tolerance, candidate, baseline })).toEqual(report);
  });
});
