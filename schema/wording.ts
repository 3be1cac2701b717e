import { quote } from "../kube/quote.ts";
import { FloatLiteral, jsonType } from "./number.ts";

/** A number as Go's `%v` prints it: an int64 in digits, any other as a float64. */
function numberText(value: number | bigint): string {
  return jsonType(value) === "integer" ? String(BigInt(value)) : floatText(Number(value));
}

/** A float64 as Go's `%v` prints it: with an exponent from 1e+06 on, and below 1e-04. */
export function floatText(value: number): string {
  const exponential = value.toExponential();
  const exponent = Number(exponential.slice(exponential.indexOf("e") + 1));
  if (exponent >= -4 && exponent < 6) return String(value);
  return exponential.replace(/e([+-])(\d)$/, "e$10$2");
}

/** A value as the API server prints it in a cause. */
export function valueText(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (value instanceof FloatLiteral) return floatText(value.value);
  if (typeof value === "number" || typeof value === "bigint") return numberText(value);
  return jsonText(value);
}

/** JSON as Go marshals it: keys sorted, and characters escaped that matter in HTML. */
export function jsonText(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (value instanceof FloatLiteral) return String(value.value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object") return escapeHtml(JSON.stringify(value));
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${escapeHtml(JSON.stringify(key))}:${jsonText((value as never)[key])}`);
  return `{${members.join(",")}}`;
}

function escapeHtml(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
