import { Uint } from "../values.ts";
import { CelFailure } from "./overload.ts";

/** An int within 64 bits; fails beyond. */
export function int64(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new CelFailure("integer overflow");
  return value;
}

/** A uint within 64 bits; fails beyond. */
export function uint64(value: bigint): Uint {
  if (BigInt.asUintN(64, value) !== value) throw new CelFailure("unsigned integer overflow");
  return new Uint(value);
}

/** The digits and exponent of a finite number's shortest decimal: 1500 is `15` and 3. */
function shortest(value: number): readonly [string, number] {
  const [mantissa = "0", exponent = "0"] = Math.abs(value).toExponential().split("e");
  return [mantissa.replace(".", ""), Number(exponent)];
}

function sign(value: number): string {
  return value < 0 || Object.is(value, -0) ? "-" : "";
}

/** A number as Go's `%g` writes it: `1e+06`, `123456.7`, `+Inf`. */
export function formatGeneral(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const [digits, exponent] = shortest(value);
  const early = exponent < -4 || exponent >= 6;
  return early ? `${sign(value)}${scientific(digits, exponent)}` : formatPlain(value);
}

function scientific(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  const power = String(Math.abs(exponent)).padStart(2, "0");
  return `${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${power}`;
}

/** A finite number's shortest decimal without an exponent: `0.000000001`. */
export function formatPlain(value: number): string {
  const [digits, exponent] = shortest(value);
  const point = exponent + 1;
  if (point <= 0) return `${sign(value)}0.${"0".repeat(-point)}${digits}`;
  if (digits.length <= point) return sign(value) + digits + "0".repeat(point - digits.length);
  return `${sign(value)}${digits.slice(0, point)}.${digits.slice(point)}`;
}
