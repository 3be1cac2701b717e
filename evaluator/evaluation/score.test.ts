import { describe, expect, it, test } from "vitest";
import { type Fraction, formatFraction, fractionOf, parseDecimal, ZERO } from "./fraction.ts";
import { type Outcome, scoreCase } from "./score.ts";

const decimal = (text: string): Fraction => parseDecimal(text) ?? ZERO;

function outcome(
  answer: unknown,
  expected: unknown,
  { tolerance = "0.5", own }: { tolerance?: string; own?: number } = {},
): Outcome {
  const expectation = { question: "q", expected };
  const value = own === undefined ? undefined : fractionOf(own);
  const expectations = [value === undefined ? expectation : { ...expectation, tolerance: value }];
  const [only] = scoreCase(expectations, { q: answer }, decimal(tolerance));
  if (only === undefined) throw new Error("no outcome");
  return only;
}

/** The calibration point as `0.8000 right`, or `none`. */
function point({ calibration }: Outcome): string {
  if (calibration === undefined) return "none";
  return `${formatFraction(calibration.confidence)} ${calibration.correct ? "right" : "wrong"}`;
}

describe("a score", () => {
  const score = (value: unknown, probabilities?: unknown) => ({
    type: "score",
    score: value,
    probabilities,
  });

  test.each<readonly [string, number, number, { tolerance?: string; own?: number }, boolean]>([
    ["1: 3.0 for 3", 3, 3, {}, true],
    ["2: 2.3 for 2", 2.3, 2, {}, true],
    ["3: 2.6 for 2", 2.6, 2, {}, false],
    ["4: 1.5 for 2, at the tolerance", 1.5, 2, {}, true],
    ["4: 2.5 for 2, at the tolerance", 2.5, 2, {}, true],
    ["5: 2.0001 for 2 with tolerance 0", 2.0001, 2, { tolerance: "0" }, false],
    ["5: 2 for 2 with tolerance 0", 2, 2, { tolerance: "0" }, true],
    ["6: 3.0 for 2 with tolerance 1", 3, 2, { tolerance: "1" }, true],
    ["7: 2 for 2 with a negative tolerance", 2, 2, { own: -1 }, false],
    ["7: NaN with tolerance 1e308", Number.NaN, 2, { own: 1e308 }, false],
    ["7: Infinity with tolerance 1e308", Number.POSITIVE_INFINITY, 2, { own: 1e308 }, false],
    ["7: -Infinity with tolerance 1e308", Number.NEGATIVE_INFINITY, 2, { own: 1e308 }, false],
    [
      "1.1 for 1 with tolerance 0.1, which binary fractions miss",
      1.1,
      1,
      { tolerance: "0.1" },
      true,
    ],
    ["the case's tolerance before the policy's", 3, 2, { own: 1 }, true],
    ["the case's tolerance of 0 before the policy's", 2.1, 2, { own: 0 }, false],
    ["2.5 for a level of 2.5", 2.5, 2.5, {}, false],
    ["-1 for a level of -1", -1, -1, {}, false],
  ])("%s", (_, value, expected, tolerances, correct) => {
    expect(outcome(score(value), expected, tolerances).correct).toBe(correct);
  });

  test.each<readonly [string, unknown, string]>([
    ["8, H23: the lowest of equal levels", { "0": 0, "1": 0, "2": 0.5, "3": 0.5 }, "0.5000 wrong"],
    ["the likeliest level", { "0": 0.1, "1": 0, "2": 0.1, "3": 0.8 }, "0.8000 right"],
    ["9: one level", { "0": 1 }, "none"],
    ["two levels", { "0": 0.2, "1": 0.8 }, "0.8000 wrong"],
    ["ten levels", Object.fromEntries(Array.from("0123456789", (l) => [l, 0.1])), "0.1000 wrong"],
    [
      "9: eleven levels",
      Object.fromEntries([..."0123456789", "10"].map((l) => [l, 1 / 11])),
      "none",
    ],
    ["10: levels 0 and 2", { "0": 0.5, "2": 0.5 }, "none"],
    ["10: a level that is no number", { "0": 0.5, a: 0.5 }, "none"],
    ["10, H23: levels counted from 1", { "1": 0.2, "2": 0.8 }, "none"],
    ["a level with a zero before it", { "0": 0.5, "01": 0.5 }, "none"],
    ["11: a probability above 1", { "0": 1.001, "1": 0 }, "none"],
    ["11: a probability below 0", { "0": 1, "1": -0.001 }, "none"],
    ["11: NaN", { "0": 1, "1": Number.NaN }, "none"],
    ["11: Infinity", { "0": 1, "1": Number.POSITIVE_INFINITY }, "none"],
    ["a probability as text", { "0": 1, "1": "0" }, "none"],
    ["12: a sum of 0.2", { "0": 0.1, "1": 0.1 }, "none"],
    ["H23: a sum of 1.4", { "0": 0.5, "1": 0.9 }, "none"],
    ["12: a sum of exactly 1 in thirds", { "0": 0.3333, "1": 0.3333, "2": 0.3334 }, "0.3334 wrong"],
    ["H23: a sum of 0.9999", { "0": 0.2, "1": 0.7999 }, "0.7999 wrong"],
    ["a sum of exactly 0.99", { "0": 0.29, "1": 0.7 }, "0.7000 wrong"],
    ["a sum just below", { "0": 0.2899, "1": 0.7 }, "none"],
    ["a sum of exactly 1.01", { "0": 0.31, "1": 0.7 }, "0.7000 wrong"],
    ["a list", [0.5, 0.5], "none"],
    ["null", null, "none"],
  ])("is calibrated by %s", (_, probabilities, expected) => {
    const scored = outcome(score(2.5, probabilities), 3);
    expect(point(scored)).toBe(expected);
    expect(scored).toMatchObject({ correct: true, answered: true });
  });

  it("H23: is calibrated by its likeliest level and not by its value", () => {
    expect(point(outcome(score(1, { "0": 0.2, "1": 0.7999 }), 1))).toBe("0.7999 right");
  });

  it("21: has no class", () => {
    expect(outcome(score(2), 2)).not.toHaveProperty("classified");
  });
});

describe("a choice", () => {
  const choice = (label: unknown, probabilities?: unknown) => ({
    type: "choice",
    choice: label,
    probabilities,
  });

  test.each<readonly [string, unknown, unknown, boolean, string]>([
    ["the expected label", choice("a", { a: 0.8017, b: 0.2 }), "a", true, "0.8017 right"],
    ["another label", choice("b", { a: 0.3, b: 0.7 }), "a", false, "0.7000 wrong"],
    ["another case", choice("A", { A: 1 }), "a", false, "1.0000 wrong"],
    [
      "14, H23: no probability of its own",
      choice("billing", { technical: 0.4 }),
      "billing",
      true,
      "none",
    ],
    [
      "H23: a label that objects inherit",
      choice("constructor", { other: 1 }),
      "constructor",
      true,
      "none",
    ],
    ["no probabilities", choice("b"), "a", false, "none"],
    ["a probability as text", choice("a", { a: "0.5" }), "a", true, "none"],
    ["15: a probability of NaN", choice("a", { a: Number.NaN }), "a", true, "0.0000 right"],
    ["15: a probability of 1.7", choice("a", { a: 1.7 }), "a", true, "1.0000 right"],
    ["20: an empty label", choice("", { "": 0.6 }), "", true, "0.6000 right"],
  ])("of %s", (_, answer, expected, correct, calibrated) => {
    const scored = outcome(answer, expected);
    expect(scored).toMatchObject({ answered: true, correct });
    expect(point(scored)).toBe(calibrated);
  });

  it("has the label as its class", () => {
    expect(outcome(choice("b"), "a").classified).toEqual({ expected: '"a"', predicted: '"b"' });
  });
});

describe("a noul", () => {
  const noul = (value: unknown) => ({ type: "noul", noul: value });

  test.each<readonly [string, unknown, boolean, boolean, string]>([
    ["13: 0.5 for true", 0.5, true, true, "0.5000 right"],
    ["13: 0.5 for false", 0.5, false, false, "0.5000 wrong"],
    ["0.4999 for false", 0.4999, false, true, "0.5001 right"],
    ["0.937 for true", 0.937, true, true, "0.9370 right"],
    ["0.1 for true", 0.1, true, false, "0.9000 wrong"],
    ["15: 1.7 for true", 1.7, true, true, "1.0000 right"],
    ["-0.1 for false", -0.1, false, true, "1.0000 right"],
  ])("of %s", (_, value, expected, correct, calibrated) => {
    const scored = outcome(noul(value), expected);
    expect(scored).toMatchObject({ answered: true, correct });
    expect(point(scored)).toBe(calibrated);
  });

  it("has what it says as its class, another one than a label of the same name", () => {
    expect(outcome(noul(0.5), false).classified).toEqual({ expected: "false", predicted: "true" });
    expect(outcome(noul(0.5), "true").classified).toEqual({
      expected: '"true"',
      predicted: "true",
    });
  });
});

describe("a question without a usable answer is wrong, and absent from calibration", () => {
  test.each([
    undefined,
    null,
    "billing",
    {},
    { choice: "billing" },
    { type: "rank", choice: "billing" },
    { type: "constructor" },
    { type: "choice" },
    { type: "choice", choice: 1, probabilities: { 1: 1 } },
    { type: "noul", noul: null },
    { type: "noul", noul: "0.9" },
    { type: "noul", noul: Number.NaN },
    { type: "score", score: null, probabilities: { 0: 1, 1: 0 } },
    { type: "score", score: "1" },
  ])("such as %j", (answer) => {
    expect(outcome(answer, "billing")).toEqual({
      question: "q",
      answered: false,
      correct: false,
      classified: { expected: '"billing"', predicted: undefined },
    });
  });

  test.each([undefined, null, [], "text", { other: { type: "noul", noul: 1 } }])(
    "when the answers are %j",
    (answers) => {
      const [scored] = scoreCase([{ question: "q", expected: true }], answers, ZERO);
      expect(scored).toMatchObject({ answered: false, correct: false });
    },
  );

  it("as is one whose name objects inherit", () => {
    const [scored] = scoreCase([{ question: "toString", expected: true }], {}, ZERO);
    expect(scored).toMatchObject({ answered: false, correct: false });
  });
});

test.each([
  ["a choice for a number", { type: "choice", choice: "1", probabilities: { 1: 0.9 } }, 1],
  ["a choice for null", { type: "choice", choice: "null", probabilities: { null: 0.9 } }, null],
  ["a noul for a label", { type: "noul", noul: 1 }, "true"],
  ["a score for a boolean", { type: "score", score: 1, probabilities: { 0: 0, 1: 1 } }, true],
  ["a score for text", { type: "score", score: 1, probabilities: { 0: 0, 1: 1 } }, "1"],
])(
  "an expectation of the wrong type is missed, and says nothing of calibration: %s",
  (_, answer, expected) => {
    const scored = outcome(answer, expected);
    expect(scored).toMatchObject({ answered: true, correct: false });
    expect(point(scored)).toBe("none");
  },
);

test("21: null and numbers are no class", () => {
  expect(outcome(undefined, null)).not.toHaveProperty("classified");
  expect(outcome(undefined, 2)).not.toHaveProperty("classified");
});
