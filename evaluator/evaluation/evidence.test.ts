import { describe, expect, it, test } from "vitest";
import { confidenceQuantile, weighEvidence } from "./evidence.ts";
import { formatFraction, ratio, ZERO } from "./fraction.ts";
import type { EvaluationPolicy } from "./identity.ts";
import { type Measurement, measure } from "./measurement.ts";

/** So many cases of so many questions, all of a case right or all of it wrong. */
function measured(right: number, wrong: number, questions = 1): Measurement {
  return measure(
    Array.from({ length: right + wrong }, (_, index) => ({
      line: index + 1,
      outcomes: Array.from({ length: questions }, (_, question) => ({
        question: `q${question}`,
        answered: true,
        correct: index < right,
      })),
    })),
  );
}

function weigh(
  measurement: Measurement,
  minAccuracy: string,
  confidence: string,
  changes: Partial<EvaluationPolicy> = {},
): string {
  const dataset = { kind: "ConfigMap", name: "golden", key: "cases.jsonl" } as const;
  const policy = { minAccuracy, confidence, dataset, ...changes };
  const quantile = confidenceQuantile(confidence) ?? ZERO;
  const { state, message } = weighEvidence(policy, quantile, measurement);
  return `${state}: ${message}`;
}

describe("an accuracy that reaches its floor", () => {
  test.each<readonly [string, Measurement, string, string, string]>([
    [
      "is sure with many cases",
      measured(470, 30),
      "0.90",
      "0.95",
      "enough: 500 cases, worth 499 independent questions, are enough to be sure of minAccuracy 0.90 with confidence 0.95",
    ],
    [
      "is luck with few",
      measured(37, 3),
      "0.90",
      "0.95",
      "short: accuracy 0.9250 (37 of 40) rests on 40 cases, worth 39 independent questions: too little to be sure of minAccuracy 0.90 with confidence 0.95; 360 more cases would do at this accuracy",
    ],
    [
      "is luck where five questions are one",
      measured(93, 7, 5),
      "0.90",
      "0.95",
      "short: accuracy 0.9300 (465 of 500) rests on 100 cases, worth 99 independent questions: too little to be sure of minAccuracy 0.90 with confidence 0.95; 174 more cases would do at this accuracy",
    ],
    [
      "and no higher is proved by nothing",
      measured(90, 10),
      "0.90",
      "0.95",
      "short: accuracy 0.9000 (90 of 100) rests on 100 cases, worth 99 independent questions: too little to be sure of minAccuracy 0.90 with confidence 0.95; no number of cases would do at exactly this accuracy",
    ],
    [
      "needs more cases than the cap",
      measured(91, 9),
      "0.90",
      "0.95",
      "short: accuracy 0.9100 (91 of 100) rests on 100 cases, worth 99 independent questions: too little to be sure of minAccuracy 0.90 with confidence 0.95; 2360 more cases would do at this accuracy, with maxCases raised from 500 to 2460",
    ],
    [
      "needs more cases than any cap",
      measured(901, 99),
      "0.90",
      "0.95",
      "short: accuracy 0.9010 (901 of 1000) rests on 1000 cases, worth 999 independent questions: too little to be sure of minAccuracy 0.90 with confidence 0.95; 242743 more cases would do at this accuracy, but maxCases allows 5000 at most",
    ],
    [
      "without a mistake lacks one case",
      measured(24, 0, 5),
      "0.90",
      "0.95",
      "short: accuracy 1.0000 (120 of 120) rests on 24 cases, worth 24 independent questions: too little to be sure of minAccuracy 0.90 with confidence 0.95; 1 more case would do at this accuracy",
    ],
    [
      "in one case is worth one question",
      measured(1, 0, 10),
      "0.90",
      "0.95",
      "short: accuracy 1.0000 (10 of 10) rests on 1 case, worth 1 independent question: too little to be sure of minAccuracy 0.90 with confidence 0.95; 24 more cases would do at this accuracy",
    ],
  ])("%s", (_, measurement, floor, confidence, said) => {
    expect(weigh(measurement, floor, confidence)).toBe(said);
  });

  it("without a mistake is sure from 25 cases on", () => {
    expect(weigh(measured(25, 0), "0.90", "0.95")).toMatch(/^enough: /);
  });

  it("of 0 needs no evidence", () => {
    expect(weigh(measured(0, 3), "0", "0.99")).toMatch(/^enough: /);
  });

  it("needs more than its own cap", () => {
    const said = weigh(measured(37, 3), "0.90", "0.95", { maxCases: 40 });
    expect(said).toContain(
      "360 more cases would do at this accuracy, with maxCases raised from 40 to 400",
    );
  });

  it("gains nothing from cases that agree with each other more than chance would", () => {
    const outcomes = [true, true, false].map((correct, index) => ({
      question: `q${index}`,
      answered: true,
      correct,
    }));
    const alike = measure([1, 2, 3, 4].map((line) => ({ line, outcomes })));
    expect(weigh(alike, "0.5", "0.95")).toContain("4 cases, worth 12 independent questions");
  });
});

test.each([
  ["0.95", "1.644854"],
  ["0.51", "0.025069"],
  ["0.999999", "4.753424"],
])("the quantile of %s is %s", (confidence, z) => {
  expect(formatFraction(confidenceQuantile(confidence) ?? ratio(0, 1), 6)).toBe(z);
});

test.each(["0.5", "0.50", "1", "0.4", "1.5", "95%", "", "0.99999999999999999999"])(
  "no quantile is that of %j",
  (confidence) => {
    expect(confidenceQuantile(confidence)).toBeUndefined();
  },
);
