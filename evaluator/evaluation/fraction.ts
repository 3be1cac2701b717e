/**
 * An exact rational number; the denominator is positive, and the two need not be in lowest terms.
 * Gates compare these and no doubles: 0.93 − 0.91 is 0.02 here.
 */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Nothing. */
export const ZERO: Fraction = { numerator: 0n, denominator: 1n };

/** All. */
export const ONE: Fraction = { numerator: 1n, denominator: 1n };

/** A part of a whole count, zero where the whole is: the share of an empty set is none. */
export function ratio(part: number, whole: number): Fraction {
  return whole === 0 ? ZERO : { numerator: BigInt(part), denominator: BigInt(whole) };
}

const DECIMAL = /^(-?[0-9]+)(?:\.([0-9]+))?$/;

/** The value of a decimal such as `0.90`, `undefined` where the text is none; exponents are refused. */
export function parseDecimal(text: string): Fraction | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, whole = "", decimals = ""] = match;
  return {
    numerator: BigInt(`${whole}${decimals}`),
    denominator: 10n ** BigInt(decimals.length),
  };
}

/**
 * The value of a finite double as people write it: the shortest decimal that reads as the double,
 * which is the text that JSON carried. `undefined` for NaN and the infinities.
 */
export function fractionOf(number: number): Fraction | undefined {
  if (!Number.isFinite(number)) return undefined;
  const [digits = "", exponent = "0"] = String(number).split("e");
  const value = parseDecimal(digits);
  const power = Number(exponent);
  if (value === undefined || power === 0) return value;
  const { numerator, denominator } = value;
  return power > 0
    ? { numerator: numerator * 10n ** BigInt(power), denominator }
    : { numerator, denominator: denominator * 10n ** BigInt(-power) };
}

/** The sum, over the least common denominator so that long sums stay small. */
export function add(left: Fraction, right: Fraction): Fraction {
  if (left.denominator === right.denominator) {
    return { numerator: left.numerator + right.numerator, denominator: left.denominator };
  }
  const common = greatestCommonDivisor(left.denominator, right.denominator);
  const widen = right.denominator / common;
  return {
    numerator: left.numerator * widen + right.numerator * (left.denominator / common),
    denominator: left.denominator * widen,
  };
}

/** The left less the right. */
export function subtract(left: Fraction, right: Fraction): Fraction {
  return add(left, { numerator: -right.numerator, denominator: right.denominator });
}

/** The product. */
export function multiply(left: Fraction, right: Fraction): Fraction {
  return {
    numerator: left.numerator * right.numerator,
    denominator: left.denominator * right.denominator,
  };
}

/** The value divided by a whole count, zero where the count is: the mean of nothing is none. */
export function divide({ numerator, denominator }: Fraction, count: number): Fraction {
  return count === 0 ? ZERO : { numerator, denominator: denominator * BigInt(count) };
}

/** The distance from zero. */
export function absolute(value: Fraction): Fraction {
  return value.numerator < 0n ? { ...value, numerator: -value.numerator } : value;
}

/** Orders two values: negative, zero or positive. */
export function compare(left: Fraction, right: Fraction): -1 | 0 | 1 {
  const [a, b] = [left.numerator * right.denominator, right.numerator * left.denominator];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The value as a decimal with so many places; a tie goes to the even digit, as in Go: 1/32 is `0.0312`. */
export function formatFraction(value: Fraction, places = 4): string {
  const { numerator, denominator } = absolute(value);
  const scaled = numerator * 10n ** BigInt(places);
  let digits = scaled / denominator;
  const twice = (scaled % denominator) * 2n;
  if (twice > denominator || (twice === denominator && digits % 2n === 1n)) digits += 1n;
  const text = String(digits).padStart(places + 1, "0");
  const sign = value.numerator < 0n && digits > 0n ? "-" : "";
  const point = text.length - places;
  return places === 0 ? `${sign}${text}` : `${sign}${text.slice(0, point)}.${text.slice(point)}`;
}

/**
 * The value with four places, or as many more as its distance from a limit takes to be seen:
 * 4499/4999 is `0.90` to four places, yet not up to a limit of 0.90.
 */
export function formatAgainst(value: Fraction, limit: Fraction): string {
  const order = compare(value, limit);
  for (let places = 4; ; places++) {
    const text = formatFraction(value, places);
    // Two values that differ do so at some place, so this ends.
    if (compare(parseDecimal(text) ?? ZERO, limit) === order) return text;
    if (order === 0) return text;
  }
}

/** The double next to the value, to within 2⁻⁶⁴: for statistics, which are no exact figures anyway. */
export function toNumber({ numerator, denominator }: Fraction): number {
  // Either part alone may be beyond all doubles.
  return Number((numerator << 64n) / denominator) / 2 ** 64;
}

function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left, right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
