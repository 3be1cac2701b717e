import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  absolute,
  add,
  compare,
  divide,
  type Fraction,
  formatAgainst,
  formatFraction,
  fractionOf,
  multiply,
  parseDecimal,
  ratio,
  subtract,
  ZERO,
} from "./fraction.ts";

function decimal(text: string): Fraction {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} is no decimal`);
  return value;
}

const whole = fc.integer({ min: -10_000, max: 10_000 });
const positive = fc.integer({ min: 1, max: 10_000 });
const fractions = fc
  .tuple(whole, positive)
  .map(([numerator, denominator]) => ratio(numerator, denominator));

describe("a decimal", () => {
  it.each(["0", "0.90", "1.000", "12.5", "-0.1", "007"])("may be %s", (text) => {
    expect(Number(formatFraction(decimal(text), 20))).toBe(Number(text));
  });

  it.each([
    "",
    ".5",
    "1.",
    "+1",
    "0x1",
    "1e5",
    "1e+999999999",
    " 1",
    "1\n",
    "NaN",
    "Infinity",
    "0,5",
  ])("may not be %j", (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  it("is what a double was written as, and none where it is no number", () => {
    expect(compare(fractionOf(0.1) ?? ZERO, ratio(1, 10))).toBe(0);
    expect(compare(fractionOf(5e-324) ?? ZERO, ZERO)).toBe(1);
    expect(compare(fractionOf(1e308) ?? ZERO, ratio(1, 1))).toBe(1);
    for (const none of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(fractionOf(none)).toBeUndefined();
    }
  });

  it("reads every double exactly as it prints", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const { numerator, denominator } = fractionOf(number) as Fraction;
        expect(String(denominator)).toMatch(/^10*$/);
        expect(Number(`${numerator}e-${String(denominator).length - 1}`)).toBe(number + 0);
      }),
      { seed: 1 },
    );
  });
});

describe("the arithmetic of fractions", () => {
  it("agrees with itself: sums, differences, products and quotients undo each other", () => {
    fc.assert(
      fc.property(fractions, fractions, positive, (a, b, count) => {
        expect(compare(subtract(add(a, b), b), a)).toBe(0);
        expect(compare(add(a, b), add(b, a))).toBe(0);
        expect(compare(multiply(divide(a, count), ratio(count, 1)), a)).toBe(0);
        expect(compare(absolute(a), ZERO)).toBeGreaterThanOrEqual(0);
        expect(compare(a, b)).toBe(-compare(b, a) + 0);
      }),
      { seed: 1 },
    );
  });

  it("knows no binary fractions: 0.93 − 0.91 is 0.02, and ten times 0.1 is 1", () => {
    expect(compare(subtract(decimal("0.93"), decimal("0.91")), decimal("0.02"))).toBe(0);
    const tenth = fractionOf(0.1) ?? ZERO;
    expect(compare(Array(10).fill(tenth).reduce(add, ZERO), ratio(1, 1))).toBe(0);
  });

  it("has no shares and no means of nothing", () => {
    expect(ratio(0, 0)).toEqual(ZERO);
    expect(divide(ratio(1, 2), 0)).toEqual(ZERO);
  });
});

describe("a fraction as text", () => {
  test.each([
    [1, 32, 4, "0.0312"],
    [3, 32, 4, "0.0938"],
    [37, 40, 4, "0.9250"],
    [2, 3, 4, "0.6667"],
    [1, 1, 4, "1.0000"],
    [12345, 10, 1, "1234.5"],
    [5, 2, 0, "2"],
    [7, 2, 0, "4"],
    [-1, 8, 2, "-0.12"],
    [-1, 1000, 2, "0.00"],
  ])("%i/%i with %i places is %s", (part, of, places, text) => {
    expect(formatFraction(ratio(part, of), places)).toBe(text);
  });

  test.each([
    [4499, 4999, "0.90", "0.89998"],
    [90, 100, "0.9", "0.9000"],
    [37, 40, "0.90", "0.9250"],
    [900001, 1000000, "0.9", "0.900001"],
    [1, 3, "0.33333333", "0.333333333"],
  ])("%i/%i beside %s is %s", (part, of, limit, text) => {
    expect(formatAgainst(ratio(part, of), decimal(limit))).toBe(text);
  });

  it("stands on the same side of a limit as the value", () => {
    fc.assert(
      fc.property(positive, positive, positive, positive, (a, b, c, d) => {
        const [value, limit] = [ratio(a, b), ratio(c, d)];
        if (compare(value, limit) === 0) return;
        expect(compare(decimal(formatAgainst(value, limit)), limit)).toBe(compare(value, limit));
      }),
      { seed: 1 },
    );
  });
});
