import { ESCAPES } from "../../kube/quote.ts";
import type { Meter } from "../evaluating/meter.ts";
import { CelFailure, type Overload } from "./overload.ts";
import { codePoints, findText, hasSurrogates, sliceText, textLength } from "./text.ts";

function position(value: bigint, length: number): number {
  if (value < 0n || value > BigInt(length)) throw new CelFailure(`index out of range: ${value}`);
  return Number(value);
}

// A search from beyond the end finds nothing, unless it is for the empty string.
function searchStart(from: bigint): number {
  if (from < 0n) throw new CelFailure(`index out of range: ${from}`);
  return Number(from);
}

const reversed = (text: string) => Array.from(text).reverse().join("");

const lower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upper = (text: string) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

// Unicode's White_Space; JavaScript's own trim also takes U+FEFF and leaves U+0085.
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text.charAt(start))) start += 1;
  while (end > start && SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const quote = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped.
  `"${text.toWellFormed().replace(/[\u0007-\r\\"]/g, (one) => ESCAPES.get(one) ?? one)}"`;

/** String functions of CEL, version 2 of its string extension among them, on code points. */
export function strings(meter: Meter): readonly Overload[] {
  // Splitting a text into its code points takes far longer than what is charged for looking at it.
  const points = (text: string): ArrayLike<string> => {
    if (hasSurrogates(text)) meter.spend(text.length * 4);
    return codePoints(text);
  };
  const slice = (text: string, start: number, end: number): string => {
    if (typeof points(text) === "string") return text.slice(start, end);
    return sliceText(text, start, end);
  };
  // Only short parts are found by the fast search that is built in.
  const paySearch = (text: string, part: string): void => {
    if (part.length > 32) meter.spend((text.length + part.length) >> 1);
  };
  const contains = (text: string, part: string): boolean => {
    paySearch(text, part);
    return findText(text, part) >= 0;
  };
  const find = (text: string, part: string, from: bigint): number => {
    const start = searchStart(from);
    const length = textLength(text);
    if (part === "") return Math.min(start, length);
    if (start >= length) return -1;
    paySearch(text, part);
    const isPlain = typeof points(text) === "string";
    const at = findText(text, part, isPlain ? start : sliceText(text, 0, start).length);
    return at < 0 || isPlain ? at : textLength(text.slice(0, at));
  };
  const findLast = (text: string, part: string, from: bigint | undefined): number => {
    const length = textLength(text);
    const partLength = textLength(part);
    if (part === "") return Math.min(from === undefined ? length : searchStart(from), length);
    const start = from === undefined ? length - 1 : searchStart(from);
    if (start >= length || partLength > length) return -1;
    meter.spend(text.length * 4);
    const end = Math.min(start + partLength, length);
    const at = find(reversed(sliceText(text, 0, end)), reversed(part), 0n);
    return at < 0 ? -1 : end - at - partLength;
  };
  const split = (text: string, separator: string, limit: bigint): string[] => {
    if (limit === 0n) return [];
    if (limit === 1n) return [text];
    paySearch(text, separator);
    const parts: string[] = [];
    const most = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit) - 1;
    if (separator === "") {
      meter.spend(text.length * 4);
      const all = Array.from(text);
      if (all.length <= most + 1) return all;
      return [...all.slice(0, most), all.slice(most).join("")];
    }
    let start = 0;
    while (parts.length < most) {
      const at = findText(text, separator, start);
      if (at < 0) break;
      // A long separator is prepared anew for each search.
      meter.spend(4 + (separator.length > 32 ? separator.length : 0));
      parts.push(text.slice(start, at));
      start = at + separator.length;
    }
    return [...parts, text.slice(start)];
  };
  const replace = (text: string, part: string, by: string, limit: bigint): string => {
    if (limit === 0n) return text;
    if (part === "") return interleave(text, by, limit);
    const parts = split(text, part, limit < 0n ? -1n : limit + 1n);
    meter.spend(((parts.length - 1) * by.length) >> 5);
    return parts.join(by);
  };
  // An empty part stands before each character and at the end.
  const interleave = (text: string, by: string, limit: bigint): string => {
    meter.spend(text.length * 8);
    const all = Array.from(text);
    const count = limit < 0n ? all.length + 1 : Math.min(Number(limit), all.length + 1);
    meter.spend((count * by.length) >> 5);
    const inner = all.map((gap, index) => (index < count ? by + gap : gap)).join("");
    return count > all.length ? inner + by : inner;
  };
  const substring = (text: string, start: bigint, end?: bigint): string => {
    const length = textLength(text);
    if (end !== undefined && start > end) {
      throw new CelFailure(`invalid substring range. start: ${start}, end: ${end}`);
    }
    const from = position(start, length);
    return slice(text, from, end === undefined ? length : position(end, length));
  };
  const charAt = (text: string, at: bigint): string => {
    const index = position(at, textLength(text));
    return points(text)[index] ?? "";
  };
  const join = (list: readonly unknown[], separator: string): string => {
    let length = 0;
    for (const item of list) {
      if (typeof item !== "string") throw new CelFailure("no such overload: join(list)");
      length += item.length + separator.length;
    }
    meter.spend(4 * list.length + (length >> 3));
    return list.join(separator);
  };
  // biome-ignore format: a table
  return [
    ["contains_string",                  "string->contains(string): bool",                contains],
    ["starts_with_string",               "string->startsWith(string): bool",              (text: string, part: string) => text.startsWith(part)],
    ["ends_with_string",                 "string->endsWith(string): bool",                (text: string, part: string) => text.endsWith(part)],
    ["string_char_at_int",               "string->charAt(int): string",                   charAt],
    ["string_index_of_string",           "string->indexOf(string): int",                  (text: string, part: string) => BigInt(find(text, part, 0n))],
    ["string_index_of_string_int",       "string->indexOf(string, int): int",             (text: string, part: string, from: bigint) => BigInt(find(text, part, from))],
    ["string_last_index_of_string",      "string->lastIndexOf(string): int",              (text: string, part: string) => BigInt(findLast(text, part, undefined))],
    ["string_last_index_of_string_int",  "string->lastIndexOf(string, int): int",         (text: string, part: string, from: bigint) => BigInt(findLast(text, part, from))],
    ["string_lower_ascii",               "string->lowerAscii(): string",                  lower],
    ["string_upper_ascii",               "string->upperAscii(): string",                  upper],
    ["string_trim",                      "string->trim(): string",                        trim],
    ["string_replace_string_string",     "string->replace(string, string): string",       (text: string, part: string, by: string) => replace(text, part, by, -1n)],
    ["string_replace_string_string_int", "string->replace(string, string, int): string",  replace],
    ["string_split_string",              "string->split(string): list<string>",           (text: string, separator: string) => split(text, separator, -1n)],
    ["string_split_string_int",          "string->split(string, int): list<string>",      split],
    ["string_substring_int",             "string->substring(int): string",                substring],
    ["string_substring_int_int",         "string->substring(int, int): string",           substring],
    ["strings_quote",                    "strings.quote(string): string",                 quote],
    ["list_join",                        "list<string>->join(): string",                  (list: readonly unknown[]) => join(list, "")],
    ["list_join_string",                 "list<string>->join(string): string",            join],
  ];
}
