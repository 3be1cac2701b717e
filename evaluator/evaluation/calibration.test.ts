import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type CalibrationPoint, calibrate, confidenceOf } from "./calibration.ts";
import { compare, type Fraction, formatFraction, parseDecimal, ratio } from "./fraction.ts";

type Pair = readonly [confidence: number, correct: 0 | 1];

const points = (pairs: readonly Pair[]): readonly CalibrationPoint[] =>
  pairs.map(([probability, correct]) => ({
    confidence: confidenceOf(probability),
    correct: correct === 1,
  }));
const equals = (value: Fraction, text: string) =>
  compare(value, parseDecimal(text) ?? ratio(-1, 1)) === 0;

describe("ECE and Brier", () => {
  test.each<readonly [string, readonly Pair[], string, string]>([
    ["one at 0.75, right", [[0.75, 1]], "0.25", "0.0625"],
    [
      "a sure yes and no with two halves",
      [
        [0.1, 0],
        [0.5, 1],
        [0.5, 0],
        [0.9, 1],
      ],
      "0.05",
      "0.13",
    ],
    [
      "all sure and wrong",
      [
        [1, 0],
        [1, 0],
        [1, 0],
        [1, 0],
      ],
      "1",
      "1",
    ],
    ["H25: confidence 0, right", [[0, 1]], "1", "1"],
    [
      "H25: both ends",
      [
        [0, 1],
        [0.9, 1],
      ],
      "0.55",
      "0.505",
    ],
    [
      "H25: 0.95 shares a bin with 1",
      [
        [0.95, 1],
        [1, 0],
      ],
      "0.475",
      "0.50125",
    ],
    [
      "H25: 0.6 begins a bin",
      [
        [0.6, 1],
        [0.6, 1],
        [0.55, 0],
        [0.55, 0],
      ],
      "0.475",
      "0.23125",
    ],
    ["nothing", [], "0", "0"],
  ])("of %s are exact", (_, pairs, ece, brier) => {
    const calibration = calibrate(points(pairs));
    expect(calibration.scored).toBe(pairs.length);
    expect(equals(calibration.ece, ece)).toBe(true);
    expect(equals(calibration.brier, brier)).toBe(true);
  });

  it("15, H25: count what is outside 0 to 1 or no number, brought inside", () => {
    const calibration = calibrate(
      points([
        [1.0000001, 1],
        [Number.NaN, 0],
        [-0.1, 0],
      ]),
    );
    expect(calibration.scored).toBe(3);
    expect(equals(calibration.ece, "0")).toBe(true);
  });

  const pairs = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 10_000 }), fc.constantFrom<0 | 1>(0, 1)),
    { maxLength: 60 },
  );

  it("do not depend on the order of the answers", () => {
    const orders = pairs.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(orders, ([one, other]) => {
        const [a, b] = [one, other].map((list) =>
          calibrate(points(list.map(([units, correct]) => [units / 10_000, correct]))),
        );
        expect(a).toEqual(b);
      }),
      { seed: 1 },
    );
  });

  it("are those of integers in ten-thousandths", () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const { ece, brier } = calibrate(
          points(list.map(([units, correct]) => [units / 10_000, correct])),
        );
        const gaps = new Map<number, number>();
        let squares = 0;
        for (const [units, correct] of list) {
          const gap = correct * 10_000 - units;
          const bin = Math.min(9, Math.floor(units / 1000));
          gaps.set(bin, (gaps.get(bin) ?? 0) + gap);
          squares += gap * gap;
        }
        const gap = [...gaps.values()].reduce((sum, one) => sum + Math.abs(one), 0);
        expect(compare(ece, ratio(gap, list.length * 10_000))).toBe(0);
        expect(compare(brier, ratio(squares, list.length * 100_000_000))).toBe(0);
      }),
      { seed: 1 },
    );
  });
});

test.each([
  [Number.NaN, "0.0000"],
  [Number.POSITIVE_INFINITY, "1.0000"],
  [Number.NEGATIVE_INFINITY, "0.0000"],
  [1.7, "1.0000"],
  [-0.1, "0.0000"],
  [0, "0.0000"],
  [1, "1.0000"],
  [0.8017, "0.8017"],
])("15: confidenceOf(%d) is %s", (probability, text) => {
  expect(formatFraction(confidenceOf(probability))).toBe(text);
});
