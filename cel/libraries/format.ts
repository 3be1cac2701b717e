import { quote } from "../../kube/quote.ts";
import type { Meter } from "../evaluating/meter.ts";
import { Duration, Timestamp, TypeValue, typeNameOf, Uint } from "../values.ts";
import { toFixed, toFixedEnglish, toScientificEnglish } from "./decimal.ts";
import { type FormatClause, replaceClauses, VERB_TYPES, wrongType } from "./format-clauses.ts";
import { formatGeneral } from "./numbers.ts";
import { CelFailure, type Overload } from "./overload.ts";
import { compareText } from "./text.ts";
import { formatDuration, formatTimestamp } from "./time.ts";

const DEFAULT_PRECISION = 6;
const MAX_NESTING = 200;

/** `format` of the string extension: English, as the API server is set up. */
export function formats(meter: Meter): readonly Overload[] {
  const call = (text: string, args: readonly unknown[]) => {
    const result = replaceClauses(text, args.length, (clause) => {
      const formatted = formatClause(clause, args[clause.index], meter);
      meter.spend(20 + (formatted.length >> 1));
      return formatted;
    });
    return result;
  };
  return [["string_format", "string->format(list<dyn>): string", call]];
}

function formatClause({ verb, precision }: FormatClause, value: unknown, meter: Meter): string {
  const given = typeNameOf(value);
  const type = given
    .replace(/^google\.protobuf\./, "")
    .toLowerCase()
    .replace(/_type$/, "");
  if (!VERB_TYPES.get(verb)?.types.includes(type)) throw new CelFailure(wrongType(verb, given));
  switch (verb) {
    case "s":
      return plainText(value, meter, 0);
    case "f":
      return toFixedEnglish(doubleOf(value, verb), precision ?? DEFAULT_PRECISION);
    case "e":
      return toScientificEnglish(doubleOf(value, verb), precision ?? DEFAULT_PRECISION);
    case "d":
      return String(integerOf(value));
    case "b":
      return typeof value === "boolean" ? String(Number(value)) : integerOf(value).toString(2);
    case "o":
      return integerOf(value).toString(8);
    default:
      return verb === "X" ? hexadecimal(value).toUpperCase() : hexadecimal(value);
  }
}

function integerOf(value: unknown): bigint {
  return value instanceof Uint ? value.value : (value as bigint);
}

function doubleOf(value: unknown, verb: string): number {
  if (typeof value === "number") return value;
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity") return Number.POSITIVE_INFINITY;
  if (value === "-Infinity") return Number.NEGATIVE_INFINITY;
  throw new CelFailure(wrongType(verb, "string"));
}

function hexadecimal(value: unknown): string {
  if (typeof value === "string") return Buffer.from(value, "utf8").toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return integerOf(value).toString(16);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CelFailure(
      "error during formatting: invalid UTF-8 in bytes, cannot convert to string",
    );
  }
}

/** A value as `%s` writes it on its own. */
function plainText(value: unknown, meter: Meter, depth: number): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return formatGeneral(value);
  if (value instanceof Uint8Array) return decode(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue) return value.name;
  return innerText(value, meter, depth);
}

/** A value as it stands within a list or a map: a CEL literal as far as there is one. */
function innerText(value: unknown, meter: Meter, depth: number): string {
  meter.spend(8);
  if (depth > MAX_NESTING) throw new CelFailure("lists nested this deep are not known here");
  switch (typeof value) {
    case "boolean":
    case "bigint":
      return String(value);
    case "string":
      meter.spend(value.length);
      return quote(value);
    case "number":
      if (Number.isNaN(value)) return '"NaN"';
      if (!Number.isFinite(value)) return value > 0 ? '"+Inf"' : '"-Inf"';
      return toFixed(value, DEFAULT_PRECISION);
    default:
      break;
  }
  if (value === null) return "null";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return `b${quote(decode(value))}`;
  if (value instanceof Timestamp) return `timestamp("${formatTimestamp(value)}")`;
  if (value instanceof Duration) return `duration("${formatDuration(value)}")`;
  if (value instanceof TypeValue) return `type(${value.name})`;
  if (Array.isArray(value)) {
    return `[${value.map((item) => innerText(item, meter, depth + 1)).join(", ")}]`;
  }
  if (value instanceof Map) {
    const entries = [...value].map(([key, held]): [string, string] => [
      typeof key === "string" ? quote(key) : String(key),
      innerText(held, meter, depth + 1),
    ]);
    entries.sort(([left], [right]) => compareText(left, right));
    return `{${entries.map(([key, held]) => `${key}:${held}`).join(", ")}}`;
  }
  throw new CelFailure(`error during formatting: no formatting function for ${typeNameOf(value)}`);
}
