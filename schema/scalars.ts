import { isRecord } from "../kube/object.ts";
import { FloatLiteral, isJsonInteger, jsonType } from "./number.ts";
import type { Bounds, SchemaType } from "./structural.ts";
import { floatText, jsonText } from "./wording.ts";

/** A number as it stands in an object; a FloatLiteral is whole and was written as a float. */
export type SchemaNumber = number | bigint | FloatLiteral;

/**
 * Why a number is refused: it, or a bound of its schema, is out of the range of its type; it is out
 * of bounds; or it can be a multiple of nothing.
 */
export type NumberComplaint =
  | { readonly about: "range"; readonly detail: string }
  | { readonly about: "bound"; readonly detail: string; readonly value: SchemaNumber }
  | { readonly about: "factor"; readonly factor: number | bigint };

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/**
 * Judges a number by its bounds as the API server does: a number held in 64 bits is compared with
 * bounds cut to whole ones, unless its type is integer and the bound is no integer, which is a
 * complaint of its own.
 */
export function numberComplaints(
  value: SchemaNumber,
  type: SchemaType | undefined,
  bounds: Bounds,
): readonly NumberComplaint[] {
  const complaints: NumberComplaint[] = [];
  const { format, multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  const number = value instanceof FloatLiteral ? value.value : value;
  const isInteger = jsonType(value) === "integer";
  // A bound that does not fit the type is held against the value as a float, which is then shown.
  const seenAs = (whole: boolean) =>
    whole || !isInteger ? value : new FloatLiteral(Number(number));
  const checkRange = (what: string, one: number | bigint): boolean => {
    if (fitsRange(one, type, format)) return true;
    const width = format === undefined ? "(default format)" : `with format ${format}`;
    const detail = `${what} value must be of type ${type} ${width}`;
    complaints.push({ about: "range", detail });
    return false;
  };
  const compare = (what: string, bound: number, refuses: (limit: number | bigint) => string) => {
    const whole = checkRange(what, bound) && isInteger;
    const limit = whole ? int64(bound) : bound;
    const words = refuses(limit);
    if (words === "") return;
    const shown = whole ? String(limit) : floatText(bound);
    complaints.push({ about: "bound", detail: `${words} ${shown}`, value: seenAs(whole) });
  };
  if (type !== undefined) checkRange("Checked", number);
  if (multipleOf !== undefined) {
    const whole = checkRange("MultipleOf", multipleOf) && isInteger;
    const factor = whole ? int64(multipleOf) : multipleOf;
    if (factor <= 0) complaints.push({ about: "factor", factor });
    else if (!isMultiple(number, factor)) {
      const shown = whole ? String(factor) : floatText(multipleOf);
      const detail = `should be a multiple of ${shown}`;
      complaints.push({ about: "bound", detail, value: seenAs(whole) });
    }
  }
  if (minimum !== undefined) {
    compare("Minimum boundary", minimum, (limit) => {
      if (exclusiveMinimum) return number <= limit ? "should be greater than" : "";
      return number < limit ? "should be greater than or equal to" : "";
    });
  }
  if (maximum !== undefined) {
    compare("Maximum boundary", maximum, (limit) => {
      if (exclusiveMaximum) return number >= limit ? "should be less than" : "";
      return number > limit ? "should be less than or equal to" : "";
    });
  }
  return complaints;
}

function fitsRange(
  number: number | bigint,
  type: SchemaType | undefined,
  format: string | undefined,
): boolean {
  if (type !== "integer") return format !== "float" || Number.isFinite(Math.fround(Number(number)));
  if (typeof number === "number" && !Number.isInteger(number)) return false;
  const bits = format === "int32" ? 31 : 63;
  return number >= -(2 ** bits) && number < 2 ** bits;
}

/** The whole part of a bound, kept within 64 bits. */
function int64(bound: number): bigint {
  const whole = BigInt(Math.trunc(bound));
  return whole > MAX_INT64 ? MAX_INT64 : whole < MIN_INT64 ? MIN_INT64 : whole;
}

function isMultiple(number: number | bigint, factor: number | bigint): boolean {
  if (typeof factor === "bigint") return BigInt(number) % factor === 0n;
  return isJsonInteger(factor < 1 ? (1 / factor) * Number(number) : Number(number) / factor);
}

/**
 * Whether an enum lists a value, by Go's rules for converting the value to the listed one's type: a
 * float is cut to a whole number for a whole one, and an integer is a code point for a string.
 */
export function isAllowed(value: unknown, allowed: readonly unknown[]): boolean {
  return allowed.some((one) => {
    if (typeof one === "string" && typeof value === "string") return one === value;
    if (typeof one === "boolean") return one === value;
    if (one === null || one === undefined) return false;
    if (isNumber(value)) {
      if (typeof one === "string") return jsonType(value) === "integer" && one === rune(value);
      if (!isNumber(one)) return false;
      const left = plain(value);
      const right = plain(one);
      if (jsonType(one) !== "integer") return Number(left) === right;
      return (typeof left === "bigint" ? left : int64(left)) === BigInt(right);
    }
    if (typeof one !== "object" || typeof value !== "object" || isNumber(one)) return false;
    return isRecord(one) === isRecord(value) && jsonText(one) === jsonText(value);
  });
}

function isNumber(value: unknown): value is SchemaNumber {
  return typeof value === "number" || typeof value === "bigint" || value instanceof FloatLiteral;
}

function plain(value: SchemaNumber): number | bigint {
  return value instanceof FloatLiteral ? value.value : value;
}

function rune(value: SchemaNumber): string {
  const code = Number(plain(value));
  const valid = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? String.fromCodePoint(code) : "\ufffd";
}
