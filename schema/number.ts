/**
 * A number that was written with a point or an exponent although it is whole, such as `8000.0`.
 * The API server stores it as an integer, yet no CEL rule can read it; a double can't tell the two
 * apart, so whoever parses text wraps such a number. Protobuf has only doubles: there it never occurs.
 */
export class FloatLiteral {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  toJSON(): number {
    return this.value;
  }
}

/** The types of JSON as the API server tells them apart, `integer` being a number held in 64 bits. */
export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);

/** The JSON type of a value; whole doubles count as integers while 64 bits hold them. */
export function jsonType(value: unknown): JsonType {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "bigint":
      return value >= MIN_INT && value <= MAX_INT ? "integer" : "number";
    case "number":
      return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63
        ? "integer"
        : "number";
    default:
      if (value === null || value === undefined) return "null";
      if (Array.isArray(value)) return "array";
      return value instanceof FloatLiteral ? "number" : "object";
  }
}

const EPSILON = 1e-9;

/** Whether a float counts as whole: as the API server has it, up to a relative error of 1e-9. */
export function isJsonInteger(number: number): boolean {
  if (!(Math.abs(number) <= Number.MAX_SAFE_INTEGER)) return false;
  const rounded = Math.round(number);
  return number === rounded || Math.abs(number - rounded) < EPSILON * Math.abs(rounded);
}
