import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { compare, formatFraction, ratio } from "./fraction.ts";
import { measure } from "./measurement.ts";
import { type Outcome, scoreCase } from "./score.ts";

const half = ratio(1, 2);
const choice = (label: string, probability?: number) => ({
  type: "choice",
  choice: label,
  ...(probability === undefined ? {} : { probabilities: { [label]: probability } }),
});
const one = (question: string, expected: unknown, answer: unknown) =>
  scoreCase([{ question, expected }], { [question]: answer }, half);
const times = <T>(count: number, make: () => readonly T[]) =>
  Array.from({ length: count }, make).flat();
/** Measures a case for each outcome. */
const measureEach = (outcomes: readonly Outcome[]) =>
  measure(outcomes.map((outcome, index) => ({ line: index + 1, outcomes: [outcome] })));

describe("measure", () => {
  it("22: is finite and 0 for nothing", () => {
    const measurement = measure([]);
    expect(measurement).toMatchObject({ asked: 0, answered: 0, correct: 0, questions: [] });
    const { ece, brier } = measurement.calibration;
    for (const figure of [ece, brier, measurement.macroF1]) {
      expect(formatFraction(figure)).toBe("0.0000");
    }
  });

  it("finds accuracy 0.8 and macro-F1 0.4444 where 2 of 10 are called by the common label", () => {
    const { asked, correct, macroF1 } = measureEach([
      ...times(8, () => one("q", "billing", choice("billing"))),
      ...times(2, () => one("q", "sales", choice("billing"))),
    ]);
    expect([correct, asked, formatFraction(macroF1)]).toEqual([8, 10, "0.4444"]);
  });

  it("weighs every question as much: 1.0 and 0.4 make 0.7", () => {
    const { macroF1, questions } = measureEach([
      ...times(20, () => one("a", "x", choice("x"))),
      // Classes x (F1 2/3), y (8/15) and no answer (0) have the mean 0.4.
      ...one("b", "x", choice("x")),
      ...one("b", "x", undefined),
      ...times(4, () => one("b", "y", choice("y"))),
      ...times(7, () => one("b", "y", undefined)),
    ]);
    expect(questions.map((of) => formatFraction(of.macroF1))).toEqual(["1.0000", "0.4000"]);
    expect(formatFraction(macroF1)).toBe("0.7000");
  });

  it("counts questions and not lines, sorted by name", () => {
    const both = scoreCase(
      [
        { question: "b", expected: true },
        { question: "a", expected: 2 },
      ],
      { a: { type: "score", score: 2 } },
      half,
    );
    const measurement = measure([{ line: 1, outcomes: both }]);
    expect(measurement).toMatchObject({ asked: 2, answered: 1, correct: 1, classifiable: 1 });
    expect(measurement.questions.map(({ question }) => question)).toEqual(["a", "b"]);
  });

  it("keeps of each case what was right, in the order of its questions, and no text", () => {
    const outcomes = scoreCase(
      [
        { question: "a", expected: "x" },
        { question: "b", expected: "x" },
      ],
      { a: choice("y"), b: choice("x") },
      half,
    );
    const { cases } = measure([
      { line: 2, slice: "s", outcomes },
      { line: 4, outcomes: one("b", "x", choice("x")) },
    ]);
    expect(cases).toEqual([
      { line: 2, correct: [false, true] },
      { line: 4, correct: [true] },
    ]);
  });

  it("leaves what is unanswered, or has no probability, out of calibration", () => {
    const { calibration } = measureEach([
      ...one("q", "x", choice("x", 0.75)),
      ...one("q", "x", choice("x")),
      ...one("q", "x", undefined),
    ]);
    expect(calibration.scored).toBe(1);
    expect(compare(calibration.ece, ratio(1, 4))).toBe(0);
  });

  it("keeps questions apart whose names objects inherit", () => {
    const { questions } = measureEach([
      ...one("constructor", "x", choice("x")),
      ...one("__proto__", "x", undefined),
    ]);
    expect(questions.map(({ question }) => question)).toEqual(["__proto__", "constructor"]);
  });
});

test("the order of the cases never matters", () => {
  const answers = fc.oneof(
    fc
      .tuple(fc.constantFrom("x", "y"), fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([label, p]) => choice(label, p)),
    fc.double({ min: 0, max: 1, noNaN: true }).map((noul) => ({ type: "noul", noul })),
    fc.constant(undefined),
  );
  const outcomes = fc
    .tuple(
      fc.constantFrom("a", "b", "c"),
      fc.constantFrom<unknown>("x", "y", true, false, 1),
      answers,
    )
    .map(([question, expected, answer]) => one(question, expected, answer));
  const orders = fc
    .array(outcomes, { maxLength: 30 })
    .chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
  fc.assert(
    fc.property(orders, ([first, second]) => {
      const [a, b] = [measureEach(first.flat()), measureEach(second.flat())];
      const counts = ({ asked, answered, correct, classifiable, calibration }: typeof a) => [
        asked,
        answered,
        correct,
        classifiable,
        calibration.scored,
      ];
      expect(counts(a)).toEqual(counts(b));
      expect(compare(a.macroF1, b.macroF1)).toBe(0);
      expect(compare(a.calibration.ece, b.calibration.ece)).toBe(0);
      expect(compare(a.calibration.brier, b.calibration.brier)).toBe(0);
    }),
    { seed: 1 },
  );
});
