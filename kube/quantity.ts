/** How a quantity was written, which decides its canonical suffix (apimachinery `resource.Format`). */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** A Kubernetes quantity, exact: its value in billionths, the finest step that Kubernetes keeps. */
export interface Quantity {
  readonly nano: bigint;
  readonly format: QuantityFormat;
  /**
   * The power of ten at which Kubernetes keeps the number in 64 bits, left out where it does not.
   * Its CEL library calls a quantity an integer by this alone, so that `1000m` is none.
   */
  readonly scale?: number;
}

/** A quantity, or the API server's words for why the text is none. */
export type ParsedQuantity =
  | { readonly ok: true; readonly quantity: Quantity }
  | { readonly ok: false; readonly error: string };

const NANO_DIGITS = 9;
const NANO = 10n ** BigInt(NANO_DIGITS);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_BINARY = MAX_INT64 * NANO;

// apimachinery has neither bound; without them a short text such as 1e2000000000 names a number
// that no machine can hold, so such a text is an error here rather than a guess.
const MAX_LENGTH = 1024;
const MAX_EXPONENT = 1024;

const DECIMAL_EXPONENTS: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const BINARY_EXPONENTS: ReadonlyMap<string, number> = new Map([
  ["Ki", 10],
  ["Mi", 20],
  ["Gi", 30],
  ["Ti", 40],
  ["Pi", 50],
  ["Ei", 60],
]);
const DECIMAL_SUFFIXES = new Map([...DECIMAL_EXPONENTS].map(([suffix, by]) => [by, suffix]));
const BINARY_SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;

// The API server's parser is laxer than its own documentation: digits may be missing on either
// side of the point, or on both (`.`, `Ki` and `-` are zero; only `Pi` and `Ei` need a digit).
const GRAMMAR = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;

const FORMAT_ERROR =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMBER_ERROR = "unable to parse numeric part of quantity";
const SUFFIX_ERROR = "unable to parse quantity's suffix";

/**
 * Parses a quantity as apimachinery's `resource.ParseQuantity` does: more than nine decimals round
 * away from zero, and binary suffixes cap at 2^63-1.
 */
export function parseQuantity(text: string): ParsedQuantity {
  if (text.length > MAX_LENGTH) return { ok: false, error: `more than ${MAX_LENGTH} characters` };
  const match = text === "" ? null : GRAMMAR.exec(text);
  if (match === null) return { ok: false, error: FORMAT_ERROR };
  const [, sign = "", whole = "", fraction = "", suffix = ""] = match;

  const digits = BigInt(`0${whole}${fraction}`);
  const binary = BINARY_EXPONENTS.get(suffix);
  let format: QuantityFormat;
  let magnitude: bigint;
  if (binary !== undefined) {
    if (whole === "" && fraction === "" && binary >= 50) return { ok: false, error: NUMBER_ERROR };
    format = "BinarySI";
    magnitude = toNano(digits << BigInt(binary), -fraction.length);
    if (magnitude > MAX_BINARY) magnitude = MAX_BINARY;
    // Shown with a decimal suffix, since a fraction of one has no binary one.
    if (magnitude > 0n && magnitude < NANO) format = "DecimalSI";
  } else {
    const decimal = DECIMAL_EXPONENTS.get(suffix);
    const exponent = decimal ?? parseExponent(suffix);
    if (exponent === undefined) return { ok: false, error: SUFFIX_ERROR };
    if (Math.abs(exponent) > MAX_EXPONENT) {
      return { ok: false, error: `the exponent is not within ±${MAX_EXPONENT}` };
    }
    format = decimal === undefined ? "DecimalExponent" : "DecimalSI";
    magnitude = toNano(digits, exponent - fraction.length);
  }
  const nano = sign === "-" ? -magnitude : magnitude;
  const scale = int64Scale(whole, fraction, suffix);
  return { ok: true, quantity: scale === undefined ? { nano, format } : { nano, format, scale } };
}

/** The scale that apimachinery's fast path gives a number, `undefined` where it takes the slow one. */
function int64Scale(whole: string, fraction: string, suffix: string): number | undefined {
  const digits = Math.max(1, whole.replace(/^0+/, "").length);
  const binary = BINARY_EXPONENTS.get(suffix);
  if (binary !== undefined) {
    return fraction === "" && digits + Math.floor(binary * 0.3) < 15 ? 0 : undefined;
  }
  const exponent = DECIMAL_EXPONENTS.get(suffix) ?? parseExponent(suffix) ?? 0;
  const scale = exponent - fraction.length;
  return digits + fraction.length <= 18 && scale >= -NANO_DIGITS ? scale : undefined;
}

function parseExponent(suffix: string): number | undefined {
  return /^[eE][-+]?[0-9]+$/.test(suffix) ? Number(suffix.slice(1)) : undefined;
}

/** Scales digits × 10^exponent to billionths; what is finer rounds up, so that some stays some. */
function toNano(digits: bigint, exponent: number): bigint {
  const shift = exponent + NANO_DIGITS;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (digits + divisor - 1n) / divisor;
}

/** Orders two quantities by value, whatever their suffixes: negative, zero or positive. */
export function compareQuantities(left: Quantity, right: Quantity): -1 | 0 | 1 {
  return left.nano < right.nano ? -1 : left.nano > right.nano ? 1 : 0;
}

/** The sign of a quantity: -1, 0 or 1. */
export function quantitySign(quantity: Quantity): -1 | 0 | 1 {
  return quantity.nano < 0n ? -1 : quantity.nano > 0n ? 1 : 0;
}

/** The quantity as a whole number, `undefined` when it has a fraction. */
export function quantityInteger(quantity: Quantity): bigint | undefined {
  return quantity.nano % NANO === 0n ? quantity.nano / NANO : undefined;
}

/** The quantity as CEL's `asInteger` gives it, `undefined` where Kubernetes keeps no 64-bit integer. */
export function quantityInt64(quantity: Quantity): bigint | undefined {
  if (quantity.scale === undefined || quantity.scale < 0) return undefined;
  const whole = quantity.nano / NANO;
  return fitsInt64(whole) ? whole : undefined;
}

function fitsInt64(value: bigint): boolean {
  return value <= MAX_INT64 && value >= -MAX_INT64 - 1n;
}

/** The nearest double to the quantity. */
export function quantityFloat(quantity: Quantity): number {
  return Number(`${quantity.nano}e-${NANO_DIGITS}`);
}

/** Adds two quantities; the sum keeps the left one's format unless that one is zero, as apimachinery does. */
export function addQuantities(left: Quantity, right: Quantity): Quantity {
  const nano = left.nano + right.nano;
  const format = left.nano === 0n ? right.format : left.format;
  const scale = sumScale(left, right);
  return scale === undefined ? { nano, format } : { nano, format, scale };
}

function sumScale(left: Quantity, right: Quantity): number | undefined {
  if (left.scale === undefined || right.scale === undefined) return undefined;
  if (right.nano === 0n) return left.scale;
  if (left.nano === 0n) return right.scale;
  const scale = Math.min(left.scale, right.scale);
  const fits = (nano: bigint) => fitsInt64(nano / 10n ** BigInt(scale + NANO_DIGITS));
  return fits(left.nano) && fits(right.nano) && fits(left.nano + right.nano) ? scale : undefined;
}

/** Subtracts the right quantity; the format is chosen as in `addQuantities`. */
export function subtractQuantities(left: Quantity, right: Quantity): Quantity {
  return addQuantities(left, { ...right, nano: -right.nano });
}

/** The quantity of a whole number, in decimal format. */
export function integerQuantity(value: bigint): Quantity {
  return { nano: value * NANO, format: "DecimalSI", scale: 0 };
}

/**
 * The canonical text, as apimachinery's `Quantity.String`: the largest suffix that leaves no
 * fraction, binary ones only for whole numbers from 1024 on.
 */
export function formatQuantity(quantity: Quantity): string {
  const { nano, format } = quantity;
  if (nano === 0n) return "0";
  const whole = quantityInteger(quantity);
  if (format === "BinarySI" && whole !== undefined && (whole >= 1024n || whole <= -1024n)) {
    return formatBinary(whole);
  }
  let digits = nano;
  let exponent = -NANO_DIGITS;
  while (digits % 1000n === 0n) {
    digits /= 1000n;
    exponent += 3;
  }
  // Beyond E apimachinery prints no suffix at all, which is another value; we print the exponent.
  const suffix = format === "DecimalExponent" ? undefined : DECIMAL_SUFFIXES.get(exponent);
  return `${digits}${suffix ?? (exponent === 0 ? "" : `e${exponent}`)}`;
}

function formatBinary(whole: bigint): string {
  let digits = whole;
  let power = 0;
  while (digits % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
    digits /= 1024n;
    power += 1;
  }
  return `${digits}${BINARY_SUFFIXES[power]}`;
}
