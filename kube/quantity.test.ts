import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  integerQuantity,
  parseQuantity,
  type Quantity,
  quantityFloat,
  quantityInt64,
  quantityInteger,
  quantitySign,
  subtractQuantities,
} from "./quantity.ts";

function parse(text: string): Quantity {
  const parsed = parseQuantity(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.error}`);
  return parsed.quantity;
}

describe("parseQuantity", () => {
  it.each([
    // Text, canonical text, value in billionths.
    ["0", "0", 0n],
    ["1", "1", 1_000_000_000n],
    ["+1", "1", 1_000_000_000n],
    ["-1", "-1", -1_000_000_000n],
    ["0100m", "100m", 100_000_000n],
    ["1000m", "1", 1_000_000_000n],
    ["1500m", "1500m", 1_500_000_000n],
    ["1.5", "1500m", 1_500_000_000n],
    ["1.", "1", 1_000_000_000n],
    [".5", "500m", 500_000_000n],
    ["80Gi", "80Gi", 85_899_345_920n * 1_000_000_000n],
    ["1.5Gi", "1536Mi", 1_610_612_736n * 1_000_000_000n],
    ["1000Ki", "1000Ki", 1_024_000n * 1_000_000_000n],
    ["1Ei", "1Ei", 1_152_921_504_606_846_976n * 1_000_000_000n],
    ["8Ei", "9223372036854775807", 9_223_372_036_854_775_807n * 1_000_000_000n],
    ["0.5Ki", "512", 512n * 1_000_000_000n],
    ["0.0001Ki", "102400u", 102_400_000n],
    ["1e3", "1e3", 1_000n * 1_000_000_000n],
    ["1E3", "1e3", 1_000n * 1_000_000_000n],
    ["12e-1", "1200e-3", 1_200_000_000n],
    ["1E", "1E", 1_000_000_000_000_000_000n * 1_000_000_000n],
    ["1n", "1n", 1n],
    ["0.1n", "1n", 1n],
    ["-0.1n", "-1n", -1n],
    ["1.0000000001", "1000000001n", 1_000_000_001n],
    ["100000k", "100M", 100_000_000n * 1_000_000_000n],
    // What the API server's parser lets pass although its grammar does not.
    ["Ki", "0", 0n],
    [".", "0", 0n],
    ["-", "0", 0n],
  ])("reads %j as %s", (text, canonical, nano) => {
    expect(parse(text).nano).toBe(nano);
    expect(formatQuantity(parse(text))).toBe(canonical);
  });

  it.each([
    ["", "must match"],
    ["lots", "must match"],
    [" 1", "must match"],
    ["1 ", "must match"],
    ["1.1.M", "must match"],
    ["1+1.0M", "must match"],
    ["0.1mi", "suffix"],
    ["0.1am", "must match"],
    ["1i", "suffix"],
    ["-3.01e-", "suffix"],
    ["1KiB", "must match"],
    ["1K", "suffix"],
    ["Pi", "numeric part"],
    ["-Ei", "numeric part"],
    ["1e1025", "exponent"],
    ["1e-1025", "exponent"],
    ["1".repeat(1025), "1024 characters"],
  ])("refuses %j", (text, why) => {
    expect(parseQuantity(text)).toEqual({ ok: false, error: expect.stringContaining(why) });
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => typeof parseQuantity(text).ok === "boolean"));
  });
});

const quantities = fc
  .tuple(
    fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
    fc.constantFrom("n", "u", "m", "", "k", "M", "G", "T", "P", "E", "e3", "E-3"),
  )
  .map(([digits, suffix]) => parse(`${digits}${suffix}`));
const binaryQuantities = fc
  .tuple(fc.integer({ min: -100_000, max: 100_000 }), fc.constantFrom("Ki", "Mi", "Gi", "Ti"))
  .map(([digits, suffix]) => parse(`${digits}${suffix}`));
const anyQuantity = fc.oneof(quantities, binaryQuantities);

describe("a quantity", () => {
  it("keeps its value through its canonical text", () => {
    fc.assert(
      fc.property(anyQuantity, (quantity) => {
        expect(parse(formatQuantity(quantity)).nano).toBe(quantity.nano);
      }),
    );
  });

  it("has one canonical text", () => {
    fc.assert(
      fc.property(anyQuantity, (quantity) => {
        const text = formatQuantity(quantity);
        expect(formatQuantity(parse(text))).toBe(text);
      }),
    );
  });

  it("orders by value, not by how it is written", () => {
    expect(compareQuantities(parse("1Gi"), parse("1G"))).toBe(1);
    expect(compareQuantities(parse("1024Mi"), parse("1Gi"))).toBe(0);
    expect(compareQuantities(parse("-1"), parse("0"))).toBe(-1);
    fc.assert(
      fc.property(anyQuantity, anyQuantity, (left, right) => {
        const order = compareQuantities(left, right);
        expect(compareQuantities(right, left)).toBe(order === 0 ? 0 : -order);
        expect(quantitySign(subtractQuantities(left, right))).toBe(order);
      }),
    );
  });

  it("adds and subtracts exactly", () => {
    fc.assert(
      fc.property(anyQuantity, anyQuantity, (left, right) => {
        expect(subtractQuantities(addQuantities(left, right), right).nano).toBe(left.nano);
      }),
    );
    expect(formatQuantity(addQuantities(parse("1Gi"), parse("1G")))).toBe("2073741824");
    expect(formatQuantity(addQuantities(parse("0"), parse("1Gi")))).toBe("1Gi");
  });

  it.each([
    ["1", 1n],
    ["1k", 1000n],
    ["80Gi", 85_899_345_920n],
    ["9e17", 900_000_000_000_000_000n],
    // Kubernetes keeps these at a scale below zero, or beyond 64 bits.
    ["1000m", undefined],
    ["1.0", undefined],
    ["1.5Gi", undefined],
    ["9e18", 9_000_000_000_000_000_000n],
    ["1e19", undefined],
    ["1Ei", undefined],
  ])("is an integer to CEL, or not: %s", (text, integer) => {
    expect(quantityInt64(parse(text))).toBe(integer);
  });

  it("stays an integer to CEL through sums of integers", () => {
    expect(quantityInt64(addQuantities(parse("1k"), parse("24")))).toBe(1024n);
    expect(quantityInt64(addQuantities(parse("1"), parse("500m")))).toBeUndefined();
    expect(quantityInt64(addQuantities(parse("0"), parse("1.5Gi")))).toBeUndefined();
    expect(quantityInt64(subtractQuantities(parse("3"), integerQuantity(1n)))).toBe(2n);
    expect(quantityInt64(addQuantities(parse("9e18"), parse("9e18")))).toBeUndefined();
  });

  it("tells its whole number and its nearest double", () => {
    expect(quantityInteger(parse("2k"))).toBe(2000n);
    expect(quantityInteger(parse("1500m"))).toBeUndefined();
    expect(quantityFloat(parse("1500m"))).toBe(1.5);
    expect(formatQuantity(integerQuantity(3000n))).toBe("3k");
  });
});
