import { describe, expect, it, test } from "vitest";
import { ratio } from "./fraction.ts";
import { judge } from "./gates.ts";
import { approvalId, type EvaluationPolicy, policyHash } from "./identity.ts";
import { measure } from "./measurement.ts";
import { type Outcome, scoreCase } from "./score.ts";
import { type Evaluated, evaluationRecord } from "./status.ts";

const policy: EvaluationPolicy = {
  minAccuracy: "0.90",
  maxECE: "0.50",
  dataset: { kind: "ConfigMap", name: "golden", key: "cases.jsonl" },
};

function evaluated(outcomes: readonly Outcome[], changes: Partial<Evaluated> = {}): Evaluated {
  const measurement = measure([{ line: 1, outcomes }]);
  const baseline = { state: "none" } as const;
  return {
    revision: "a1b2c3d4e5f60718",
    policy,
    datasetDigest: "d".repeat(64),
    measurement,
    baseline,
    verdict: judge(policy, measurement, baseline),
    completedAt: "2026-10-09T12:00:00Z",
    ...changes,
  };
}

const score = (question: string, says: number | undefined, expected: unknown = true) =>
  scoreCase([{ question, expected }], { [question]: { type: "noul", noul: says } }, ratio(1, 2));

describe("the record of an evaluation", () => {
  it("has every figure to four places, and what they are figures of", () => {
    const outcomes = [...score("b", 0.75), ...score("a", 0.75), ...score("a", undefined)];
    const hash = policyHash(policy);
    expect(evaluationRecord(evaluated(outcomes))).toEqual({
      revision: "a1b2c3d4e5f60718",
      accuracy: "0.6667",
      cases: 3,
      failedCases: 1,
      coverage: "0.6667",
      calibratedCases: 2,
      ece: "0.2500",
      brier: "0.0625",
      classifiableCases: 3,
      macroF1: "0.6667",
      minAccuracy: "0.90",
      maxEce: "0.50",
      questions: [
        { id: "a", cases: 2, accuracy: "0.5000", macroF1: "0.3333" },
        { id: "b", cases: 1, accuracy: "1.0000", macroF1: "1.0000" },
      ],
      result: "Failed",
      reason: "accuracy 0.6667 (2 of 3) is below minAccuracy 0.90",
      policyHash: hash,
      scorerVersion: 2,
      datasetDigest: "d".repeat(64),
      approvalId: approvalId("a1b2c3d4e5f60718", {
        policyHash: hash,
        datasetDigest: "d".repeat(64),
      }),
      completedAt: "2026-10-09T12:00:00Z",
    });
  });

  it("has the stable revision's figures where it was measured, and the limits on them", () => {
    const outcomes = [...score("a", 0.9), ...score("a", 0.1)];
    const measurement = measure([{ line: 1, outcomes }]);
    const record = evaluationRecord(
      evaluated(score("a", 0.9), {
        policy: { ...policy, maxAccuracyDrop: "0.02", maxECEIncrease: "0.03" },
        baseline: { state: "measured", measurement },
      }),
    );
    expect(record).toMatchObject({
      baselineAccuracy: "0.5000",
      baselineEce: "0.4000",
      baselineMacroF1: "0.3333",
      maxAccuracyDrop: "0.02",
      maxEceIncrease: "0.03",
    });
  });

  it("H21: has no figure that rests on nothing, and never NaN or null", () => {
    const text = JSON.stringify(evaluationRecord(evaluated([])));
    expect(text).not.toMatch(/NaN|null|"ece"|"brier"|macroF1/);
    expect(JSON.parse(text)).toMatchObject({ accuracy: "0.0000", cases: 0, result: "Failed" });
  });

  test.each([
    ["passed", { outcome: "passed", message: "", skipped: [] }, "Passed"],
    ["failed", { outcome: "failed", reason: "EvaluationFailed", message: "" }, "Failed"],
    ["held", { outcome: "held", reason: "BaselineUnavailable", message: "" }, undefined],
  ] as const)("says %s only for such a verdict", (_, verdict, result) => {
    expect(evaluationRecord(evaluated(score("a", 1), { verdict })).result).toBe(result);
  });
});

describe("24: the table of questions", () => {
  const many = (name: (index: number) => string) =>
    Array.from({ length: 5000 }, (_, index) => {
      const question = index % 200;
      return score(name(question), index / 200 < question / 8 ? 1 : 0);
    }).flat();

  it("has the 20 worst of 200, and says that there are more", () => {
    const { questions, truncated } = evaluationRecord(
      evaluated(many((index) => `q${String(index).padStart(3, "0")}`)),
    );
    expect(truncated).toBe(true);
    expect(questions).toHaveLength(20);
    expect(questions.map(({ id }) => id).slice(0, 3)).toEqual(["q000", "q001", "q002"]);
    const accuracies = questions.map(({ accuracy }) => accuracy);
    expect(accuracies).toEqual([...accuracies].sort());
  });

  it("has all of 20, and does not say so", () => {
    const outcomes = Array.from({ length: 20 }, (_, index) => score(`q${index}`, 1)).flat();
    const record = evaluationRecord(evaluated(outcomes));
    expect(record.questions).toHaveLength(20);
    expect(record).not.toHaveProperty("truncated");
  });

  test.each([
    ["names of any length", (index: number) => `${index}${"q".repeat(500)}`],
    ["names that JSON escapes", (index: number) => "\u0001".repeat(60) + String(index)],
  ])("keeps the record within 8 KiB with %s", (_, name) => {
    const record = evaluationRecord(
      evaluated(many(name), {
        policy: { ...policy, minAccuracy: `0.${"9".repeat(20_000)}` },
        verdict: { outcome: "held", reason: "BaselineUnavailable", message: "😀".repeat(5000) },
      }),
    );
    expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThanOrEqual(8192);
    expect(record.truncated).toBe(true);
    expect(record.questions.length).toBeGreaterThan(0);
    for (const { id } of record.questions) expect(Buffer.byteLength(id)).toBeLessThanOrEqual(63);
  });
});
