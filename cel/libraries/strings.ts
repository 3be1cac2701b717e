import { CelFailure, type Overload } from "./overload.ts";

// Positions count code points in CEL and UTF-16 units in JavaScript.
const points = (text: string): string[] => Array.from(text);

function position(value: bigint, length: number): number {
  if (value < 0n || value > BigInt(length)) throw new CelFailure(`index out of range: ${value}`);
  return Number(value);
}

// A search from beyond the end finds nothing, unless it is for the empty string.
function searchStart(from: bigint): number {
  if (from < 0n) throw new CelFailure(`index out of range: ${from}`);
  return Number(from);
}

function occursAt(characters: readonly string[], sought: readonly string[], at: number): boolean {
  return sought.every((character, offset) => characters[at + offset] === character);
}

function indexOf(text: string, part: string, from: bigint): bigint {
  const [characters, sought, start] = [points(text), points(part), searchStart(from)];
  if (part === "") return BigInt(Math.min(start, characters.length));
  for (let at = start; at <= characters.length - sought.length; at += 1) {
    if (occursAt(characters, sought, at)) return BigInt(at);
  }
  return -1n;
}

function lastIndexOf(text: string, part: string, from: bigint): bigint {
  const [characters, sought, start] = [points(text), points(part), searchStart(from)];
  if (part === "") return BigInt(Math.min(start, characters.length));
  if (start >= characters.length) return -1n;
  for (let at = Math.min(start, characters.length - sought.length); at >= 0; at -= 1) {
    if (occursAt(characters, sought, at)) return BigInt(at);
  }
  return -1n;
}

function lastIndexAnywhere(text: string, part: string): bigint {
  const { length } = points(text);
  if (length === 0) return part === "" ? 0n : -1n;
  return lastIndexOf(text, part, BigInt(part === "" ? length : length - 1));
}

function split(text: string, separator: string, limit: bigint): string[] {
  if (limit === 0n) return [];
  const parts = separator === "" ? points(text) : text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return parts;
  const kept = Number(limit) - 1;
  return [...parts.slice(0, kept), parts.slice(kept).join(separator)];
}

function replace(text: string, part: string, by: string, limit: bigint): string {
  const gaps = part === "" ? points(text) : text.split(part);
  if (part === "") {
    // An empty part stands before each character and at the end.
    const count = limit < 0n ? gaps.length + 1 : Math.min(Number(limit), gaps.length + 1);
    const inner = gaps.map((gap, index) => (index < count ? by + gap : gap)).join("");
    return count > gaps.length ? inner + by : inner;
  }
  const count = limit < 0n ? gaps.length - 1 : Math.min(Number(limit), gaps.length - 1);
  return gaps
    .map((gap, index) => (index === 0 ? gap : (index <= count ? by : part) + gap))
    .join("");
}

function substring(text: string, start: bigint, end?: bigint): string {
  const characters = points(text);
  const from = position(start, characters.length);
  const to = end === undefined ? characters.length : position(end, characters.length);
  if (to < from) throw new CelFailure(`invalid substring range. start: ${start}, end: ${end}`);
  return characters.slice(from, to).join("");
}

const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const upper = (text: string) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
// Unicode's White_Space; JavaScript's own trim also takes U+FEFF and leaves U+0085.
const SPACE = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const trim = (text: string) =>
  text.replace(new RegExp(`^${SPACE}+`), "").replace(new RegExp(`${SPACE}+$`), "");

/** The string library of Kubernetes CEL, on code points. */
// biome-ignore format: a table
export const strings: readonly Overload[] = [
  ["string.charAt(int): string",                  (text: string, at: bigint) => points(text)[position(at, points(text).length)] ?? ""],
  ["string.indexOf(string): int",                 (text: string, part: string) => indexOf(text, part, 0n)],
  ["string.indexOf(string, int): int",            indexOf],
  ["string.lastIndexOf(string): int",             lastIndexAnywhere],
  ["string.lastIndexOf(string, int): int",        lastIndexOf],
  ["string.lowerAscii(): string",                 lower],
  ["string.upperAscii(): string",                 upper],
  ["string.trim(): string",                       trim],
  ["string.replace(string, string): string",      (text: string, part: string, by: string) => replace(text, part, by, -1n)],
  ["string.replace(string, string, int): string", replace],
  ["string.split(string): list<string>",          (text: string, separator: string) => split(text, separator, -1n)],
  ["string.split(string, int): list<string>",     split],
  ["string.substring(int): string",               substring],
  ["string.substring(int, int): string",          substring],
];
