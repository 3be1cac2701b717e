import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { placeOf } from "../../cel/syntax/place.ts";

/** Reads one of the recorded files beside this one: a JSON value a line, compressed. */
export function readRecorded<Row>(name: string): readonly Row[] {
  const bytes = gunzipSync(readFileSync(new URL(name, import.meta.url)));
  return bytes
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
}

/** Issues as they are recorded: `line:column: message`. */
export function placed(
  text: string,
  issues: readonly { readonly message: string; readonly position: number }[],
): readonly string[] {
  return issues.map(({ message, position }) => {
    const { line, column } = placeOf(text, position);
    return `${line}:${column}: ${message}`;
  });
}
