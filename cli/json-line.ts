import { isRecord } from "../kube/object.ts";
import { FloatLiteral } from "../schema/number.ts";

/**
 * JSON on one line, in the order given, `undefined` left out; integers beyond 2^53 are written as
 * they are, which `JSON.stringify` can't.
 */
export function jsonLine(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (value instanceof FloatLiteral) return String(value.value);
  if (Array.isArray(value)) return `[${value.map(jsonLine).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${jsonLine(value[key])}`);
  return `{${members.join(",")}}`;
}
