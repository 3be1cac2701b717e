import { CelFailure } from "./overload.ts";

// Far more digits than anyone reads; each costs time.
const MAX_PRECISION = 1000;

/** A finite double as an exact fraction. */
function exact(value: number): readonly [numerator: bigint, denominator: bigint] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const mantissa = (bits & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n);
  const power = Math.max(exponent, 1) - 1075;
  return power < 0 ? [mantissa, 1n << BigInt(-power)] : [mantissa << BigInt(power), 1n];
}

/** Divides with ties to the even number. */
function divideToEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0);
}

/** A number with so many decimals, rounded to even: `2.500`. */
export function toFixed(value: number, precision: number): string {
  if (precision > MAX_PRECISION) {
    throw new CelFailure(`more than ${MAX_PRECISION} decimals are not known here`);
  }
  const [numerator, denominator] = exact(value);
  const digits = divideToEven(numerator * 10n ** BigInt(precision), denominator)
    .toString()
    .padStart(precision + 1, "0");
  const whole = digits.slice(0, digits.length - precision);
  const fraction = precision === 0 ? "" : `.${digits.slice(-precision)}`;
  return `${isNegative(value) ? "-" : ""}${whole}${fraction}`;
}

/** The same as English writes it: `1,234,567.500`, `∞`. */
export function toFixedEnglish(value: number, precision: number): string {
  if (!Number.isFinite(value)) return special(value);
  const [whole = "", fraction] = toFixed(value, precision).split(".");
  const grouped = whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/**
 * A number in scientific notation as English writes it: `1.052033×10⁰³`. The library takes a
 * precision for the least width, and always writes six decimals.
 */
export function toScientificEnglish(value: number, width: number): string {
  const text = Number.isFinite(value) ? scientific(value) : special(value);
  if (width > MAX_PRECISION) {
    throw new CelFailure(`more than ${MAX_PRECISION} decimals are not known here`);
  }
  return " ".repeat(Math.max(0, width - Array.from(text).length)) + text;
}

function scientific(value: number): string {
  const sign = isNegative(value) ? "-" : "";
  if (value === 0) return `${sign}0.000000×10⁰⁰`;
  const [numerator, denominator] = exact(value);
  let exponent = Number(value.toExponential().split("e")[1]);
  const scaled = (power: number) =>
    power >= 0
      ? divideToEven(numerator * 10n ** BigInt(power), denominator)
      : divideToEven(numerator, denominator * 10n ** BigInt(-power));
  let digits = scaled(6 - exponent).toString();
  if (digits.length > 7) {
    exponent += 1;
    digits = scaled(6 - exponent).toString();
  }
  const power = String(Math.abs(exponent)).padStart(2, "0");
  const raised = [...power].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
  return `${sign}${digits[0]}.${digits.slice(1)}×10${exponent < 0 ? "⁻" : ""}${raised}`;
}

function special(value: number): string {
  return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞";
}
