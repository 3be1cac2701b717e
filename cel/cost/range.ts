/** A least and a largest size or cost, as unsigned 64-bit integers; sums and products stop at the largest one. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** The largest cost or size there is; it also stands for "unknown". */
export const MAX_UINT64 = 2n ** 64n - 1n;

/** What nothing is known about. */
export const UNKNOWN: Range = { min: 0n, max: MAX_UINT64 };

/** A range of one value. */
export function exactly(value: bigint): Range {
  return { min: value, max: value };
}

/** The sum of ranges. */
export function sum(...ranges: readonly Range[]): Range {
  return ranges.reduce(
    (left, right) => ({ min: add(left.min, right.min), max: add(left.max, right.max) }),
    exactly(0n),
  );
}

/** The product of two ranges. */
export function product(left: Range, right: Range): Range {
  return { min: multiply(left.min, right.min), max: multiply(left.max, right.max) };
}

/** The smallest range that holds both. */
export function union(left: Range, right: Range): Range {
  return { min: lesser(left.min, right.min), max: -lesser(-left.max, -right.max) };
}

/** A range times a factor, rounded up. */
export function scale(range: Range, factor: number): Range {
  return { min: scaled(range.min, factor), max: scaled(range.max, factor) };
}

/** The lesser of two sizes. */
export function lesser(left: bigint, right: bigint): bigint {
  if (left < right) return left;
  return right;
}

/** The product of two unsigned 64-bit integers, or the largest one. */
export function multiply(left: bigint, right: bigint): bigint {
  return lesser(left * right, MAX_UINT64);
}

/** The quotient of two sizes, rounded up as a double is. */
export function quotient(dividend: bigint, divisor: bigint): bigint {
  return clamp(Math.ceil(Number(dividend) / Number(divisor)));
}

function add(left: bigint, right: bigint): bigint {
  return lesser(left + right, MAX_UINT64);
}

// In doubles, as the API server counts, so that the same sizes round the same way.
function scaled(value: bigint, factor: number): bigint {
  return clamp(Math.ceil(Number(value) * factor));
}

function clamp(value: number): bigint {
  return value >= 2 ** 64 ? MAX_UINT64 : BigInt(value);
}
