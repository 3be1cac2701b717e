import type { Issue } from "./place.ts";

/** A string or bytes literal read from a text, or what is wrong with it. */
export type ReadText =
  | { readonly ok: true; readonly value: string | Uint8Array; readonly end: number }
  | { readonly ok: false; readonly issue: Issue };

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ...["\\", "'", '"', "`", "?"].map((same): [string, string] => [same, same]),
]);
const ESCAPE =
  /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;

/** Reads the literal that begins at `start`; `prefix` is its lower-case prefix of `b` and `r`. */
export function readText(source: string, start: number, prefix: string): ReadText {
  const fail = (message: string, position: number): ReadText => ({
    ok: false,
    issue: { message, position },
  });
  const open = start + prefix.length;
  const mark = source[open] as string;
  const triple = source.startsWith(mark.repeat(3), open);
  const close = triple ? mark.repeat(3) : mark;
  const [raw, isBytes] = [prefix.includes("r"), prefix.includes("b")];
  const parts: (string | number)[] = [];
  let at = open + close.length;
  for (;;) {
    if (at >= source.length) return fail(unrecognized(source.slice(start)), start);
    if (source.startsWith(close, at)) break;
    const character = source[at] as string;
    if (!triple && (character === "\n" || character === "\r")) {
      return fail(unrecognized(source.slice(start, at + 1)), start);
    }
    if (character === "\\" && !raw) {
      ESCAPE.lastIndex = at;
      const sequence = ESCAPE.exec(source);
      const value = sequence === null ? undefined : meaningOf(sequence, isBytes);
      if (sequence === null) return fail(unrecognized(source.slice(start, at + 2)), start);
      if (value === undefined) {
        const isPoint = !isBytes && /^.[uU]/.test(sequence[0]);
        return fail(isPoint ? "invalid unicode code point" : "unable to unescape string", start);
      }
      parts.push(value);
      at += sequence[0].length;
      continue;
    }
    if (character === "\r") {
      // Line breaks of every kind are read as one.
      parts.push("\n");
      at += source[at + 1] === "\n" ? 2 : 1;
      continue;
    }
    const next = /[^\\\r\n'"]+|[\s\S]/y;
    next.lastIndex = at;
    const plain = next.exec(source)?.[0] ?? character;
    parts.push(plain);
    at += plain.length;
  }
  const end = at + close.length;
  return { ok: true, value: isBytes ? bytesOf(parts) : parts.join(""), end };
}

function unrecognized(text: string): string {
  return `Syntax error: token recognition error at: '${text}'`;
}

/** What an escape stands for: a text, or a byte's number within bytes; undefined when it is not allowed. */
function meaningOf(sequence: RegExpExecArray, isBytes: boolean): string | number | undefined {
  const [, simple, hex, short, long, octal] = sequence;
  if (simple !== undefined) return SIMPLE.get(simple);
  const byte = hex === undefined ? octal : hex;
  if (byte !== undefined) {
    const value = Number.parseInt(byte, hex === undefined ? 8 : 16);
    return isBytes ? value : String.fromCodePoint(value);
  }
  if (isBytes) return undefined;
  const point = Number.parseInt((short ?? long) as string, 16);
  const valid = point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return valid ? String.fromCodePoint(point) : undefined;
}

function bytesOf(parts: readonly (string | number)[]): Uint8Array {
  const bytes = parts.flatMap((part) =>
    typeof part === "number" ? [part] : [...new TextEncoder().encode(part)],
  );
  return Uint8Array.from(bytes);
}
