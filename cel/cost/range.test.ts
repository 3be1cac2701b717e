import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactly, MAX_UINT64, multiply, product, quotient, scale, sum, union } from "./range.ts";

const uint64 = fc.bigInt({ min: 0n, max: MAX_UINT64 });
const range = fc
  .tuple(uint64, uint64)
  .map(([a, b]) => (a < b ? { min: a, max: b } : { min: b, max: a }));

describe("sums and products", () => {
  it("stop at the largest unsigned 64-bit integer", () => {
    expect(sum(exactly(MAX_UINT64), exactly(1n))).toEqual(exactly(MAX_UINT64));
    expect(multiply(2n ** 40n, 2n ** 40n)).toBe(MAX_UINT64);
    expect(multiply(2n ** 32n, 2n ** 32n - 1n)).toBe(2n ** 64n - 2n ** 32n);
    expect(scale(exactly(MAX_UINT64), 2)).toEqual(exactly(MAX_UINT64));
    expect(quotient(MAX_UINT64, 1n)).toBe(MAX_UINT64);
  });

  it("stay ranges whatever they are made of", () => {
    fc.assert(
      fc.property(range, range, fc.double({ min: 0, max: 100, noNaN: true }), (a, b, factor) => {
        for (const { min, max } of [sum(a, b), product(a, b), union(a, b), scale(a, factor)]) {
          expect(min >= 0n && min <= max && max <= MAX_UINT64).toBe(true);
        }
      }),
    );
  });

  it("do not depend on the order of operands", () => {
    fc.assert(
      fc.property(range, range, (a, b) => {
        expect([sum(a, b), product(a, b), union(a, b)]).toEqual([
          sum(b, a),
          product(b, a),
          union(b, a),
        ]);
      }),
    );
  });
});

it.each([
  [0n, 0.1, 0n],
  [1n, 0.1, 1n],
  [30n, 0.1, 3n],
  [31n, 0.1, 4n],
  [3n, 0.25, 1n],
])("rounds %i times %d up to %i", (value, factor, result) => {
  expect(scale(exactly(value), factor)).toEqual(exactly(result));
});
