/** What Go's `%q` writes with a backslash and a letter, and the two characters that need one. */
export const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** A text in double quotes as Go's `%q` writes it. */
export function quote(text: string): string {
  let quoted = '"';
  for (const character of text) quoted += ESCAPES.get(character) ?? escaped(character);
  return `${quoted}"`;
}

function escaped(character: string): string {
  if (PRINTABLE.test(character)) return character;
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x20 || point === 0x7f) return `\\x${point.toString(16).padStart(2, "0")}`;
  return point < 0x10000
    ? `\\u${point.toString(16).padStart(4, "0")}`
    : `\\U${point.toString(16).padStart(8, "0")}`;
}
