import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type Dataset, decodeDataset } from "../evaluator/evaluation/dataset.ts";
import { formatFraction } from "../evaluator/evaluation/fraction.ts";
import { judge } from "../evaluator/evaluation/gates.ts";
import { type EvaluationPolicy, scoreTolerance } from "../evaluator/evaluation/identity.ts";
import type { Measurement } from "../evaluator/evaluation/measurement.ts";
import { type CaseResult, concludeRun } from "../evaluator/evaluation/run.ts";
import { unmeasured, type Verdict } from "../evaluator/evaluation/verdict.ts";

const policy: EvaluationPolicy = {
  minAccuracy: "0.90",
  dataset: { kind: "ConfigMap", name: "golden", key: "cases.jsonl" },
};
const tolerance = scoreTolerance(policy);

function datasetOf(lines: readonly unknown[]): Dataset {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const decoded = decodeDataset(Buffer.from(text), 5000);
  if (!decoded.ok) throw new Error(decoded.problems.join("\n"));
  return decoded.dataset;
}

function measurementOf(dataset: Dataset, results: readonly CaseResult[]): Measurement {
  const run = concludeRun(dataset.cases, results, tolerance);
  if (run.state !== "measured") throw new Error(run.message);
  return run.measurement;
}

const answered = (answers: unknown): CaseResult => ({ state: "answered", answers });

describe("H21: a dataset of ten", () => {
  const dataset = datasetOf(
    Array.from({ length: 10 }, (_, n) => ({ state: n, expected: { q: "a" } })),
  );
  const verdict = (result: CaseResult, thresholds: Partial<EvaluationPolicy> = {}): Verdict => {
    const run = concludeRun(dataset.cases, Array<CaseResult>(10).fill(result), tolerance);
    return run.state === "measured"
      ? judge({ ...policy, ...thresholds }, run.measurement, { state: "none" })
      : unmeasured(run);
  };

  it("that is never let in is neither passed nor failed", () => {
    expect(verdict({ state: "broken", message: "503 QUEUE_FULL" })).toMatchObject({
      outcome: "invalid",
    });
  });

  it("whose answers lack the question fails with accuracy 0", () => {
    expect(verdict(answered({ other: { type: "choice", choice: "a" } }))).toMatchObject({
      outcome: "failed",
      reason: "EvaluationFailed",
      message: "accuracy 0.0000 (0 of 10) is below minAccuracy 0.90",
    });
  });

  it("whose answers have no probabilities fails an ECE gate", () => {
    const right = answered({ q: { type: "choice", choice: "a" } });
    expect(verdict(right)).toMatchObject({ outcome: "passed" });
    expect(verdict(right, { maxECE: "0.10" })).toMatchObject({
      outcome: "failed",
      reason: "CalibrationUnavailable",
    });
  });
});

test("H23: answers with odd probabilities are counted where they fit, and nowhere else", () => {
  const rows: readonly (readonly [unknown, unknown])[] = [
    [{ type: "choice", choice: "billing", probabilities: { technical: 0.4 } }, "billing"],
    [{ type: "choice", choice: "constructor", probabilities: { other: 1 } }, "constructor"],
    [{ type: "score", score: 2.5, probabilities: { 0: 0, 1: 0, 2: 0.5, 3: 0.5 } }, 3],
    [{ type: "score", score: 2, probabilities: { 1: 0.2, 2: 0.8 } }, 2],
    [{ type: "score", score: 1, probabilities: { 0: 0.2, 1: 0.7999 } }, 1],
    [{ type: "score", score: 1, probabilities: { 0: 0.5, 1: 0.9 } }, 1],
  ];
  const dataset = datasetOf(rows.map(([, expected]) => ({ state: "", expected: { q: expected } })));
  const measurement = measurementOf(
    dataset,
    rows.map(([answer]) => answered({ q: answer })),
  );
  expect(measurement).toMatchObject({ asked: 6, correct: 6, classifiable: 2 });
  expect(measurement.calibration.scored).toBe(2);
  // (0.5 of a wrong level + 0.2001 to a right one) / 2
  expect(formatFraction(measurement.calibration.ece, 5)).toBe("0.35005");

  const line = { state: "", questions: { q: { type: "score" } }, expected: { q: 2.5 } };
  expect(decodeDataset(Buffer.from(JSON.stringify(line)), 1)).toMatchObject({ ok: false });
});

describe("the protocol's example", () => {
  const answers = {
    route: {
      type: "choice",
      choice: "billing",
      confidence: 0.7025,
      probabilities: { billing: 0.8017, tech: 0.1325, sales: 0.0658 },
    },
    severity: {
      type: "score",
      score: 1.9235,
      confidence: 0.3249,
      probabilities: { "0": 0.0605, "1": 0.2007, "2": 0.4937, "3": 0.2452 },
    },
    wants_refund: { type: "noul", noul: 0.937 },
  };

  it("is scored by probabilities and never by the engine's own confidence", () => {
    const expected = { route: "billing", severity: 2, wants_refund: true };
    const { calibration, ...counts } = measurementOf(datasetOf([{ state: "", expected }]), [
      answered(answers),
    ]);
    expect(counts).toMatchObject({ asked: 3, answered: 3, correct: 3 });
    const gap = (1 - 0.8017 + (1 - 0.4937) + (1 - 0.937)) / 3;
    expect(formatFraction(calibration.ece)).toBe(gap.toFixed(4));
  });
});

test("the demo's 40 tickets: 37 right pass at 0.90, 32 do not", () => {
  const dataset = datasetOf(
    Array.from({ length: 40 }, (_, n) => ({ state: n, expected: { q: "a" } })),
  );
  const verdict = (right: number) => {
    const results = dataset.cases.map((_, index) =>
      answered({ q: { type: "choice", choice: index < right ? "a" : "b" } }),
    );
    return judge(policy, measurementOf(dataset, results), { state: "none" });
  };
  expect(verdict(37)).toMatchObject({
    outcome: "passed",
    message: "accuracy 0.9250 (37 of 40) reaches minAccuracy 0.90",
  });
  expect(verdict(32)).toMatchObject({
    outcome: "failed",
    message: "accuracy 0.8000 (32 of 40) is below minAccuracy 0.90",
  });
});

test("whatever an engine answers, nothing throws and every question is counted", () => {
  const dataset = datasetOf([{ state: "", expected: { q: "a", r: true, s: 1, t: null } }]);
  const anything = fc.jsonValue();
  const answer = fc.oneof(
    anything,
    fc.record(
      {
        type: fc.constantFrom("choice", "noul", "score"),
        choice: fc.oneof(fc.constant("a"), anything),
        noul: fc.oneof(fc.double(), anything),
        score: fc.oneof(fc.double(), anything),
        probabilities: fc.oneof(
          fc.dictionary(fc.constantFrom("a", "0", "1", "2"), fc.oneof(fc.double(), anything)),
          anything,
        ),
      },
      { requiredKeys: ["type"] },
    ),
  );
  fc.assert(
    fc.property(
      fc.oneof(anything, fc.record({ q: answer, r: answer, s: answer, t: answer })),
      (answers) => {
        const measurement = measurementOf(dataset, [answered(answers)]);
        expect(measurement.asked).toBe(4);
        expect(measurement.calibration.scored).toBeLessThanOrEqual(measurement.answered);
        expect(measurement.correct).toBeLessThanOrEqual(measurement.answered);
        const { ece, brier } = measurement.calibration;
        for (const figure of [ece, brier, measurement.macroF1]) {
          expect(formatFraction(figure)).toMatch(/^(0\.[0-9]{4}|1\.0000)$/);
        }
      },
    ),
    { seed: 1, numRuns: 2000 },
  );
});
