import { hash } from "node:crypto";
import { isRecord } from "./object.ts";

/**
 * Serialises a JSON value with the keys of every object sorted by UTF-16 code unit, no spaces, and
 * undefined fields left out, so that equal values give equal text whatever order they arrived in.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const key of sortedKeys(members)) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${quoted(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** Own keys in code unit order; most objects have them so already, and a look is cheaper than a sort. */
export function sortedKeys(object: object): readonly string[] {
  const keys = Object.keys(object);
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i] as string) < (keys[i - 1] as string)) return keys.sort();
  }
  return keys;
}

/** What JSON escapes; a test is cheaper than `JSON.stringify` for the many strings without any. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be found
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Hashes bytes, or text as UTF-8, with SHA-256 and returns the first `length` of its 64 hexadecimal digits. */
export function sha256Hex(data: string | Uint8Array, length = 64): string {
  return hash("sha256", data, "hex").slice(0, length);
}

/** Copies a JSON value with the keys of every object sorted; lists keep their order. */
export function sortKeys<T>(value: T): T;
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  return Object.fromEntries(sortedKeys(value).map((key) => [key, sortKeys(value[key])]));
}

/**
 * A number of 32 bits that equal JSON values share, whatever the order of an object's keys; others
 * seldom do. For looking values up quickly, never for telling them apart.
 */
export function fingerprint(value: unknown): number {
  if (typeof value === "string") return textFingerprint(value);
  if (typeof value !== "object" || value === null) return textFingerprint(String(value));
  let sum = 0;
  if (Array.isArray(value)) {
    for (const item of value) sum = (Math.imul(sum, 31) + fingerprint(item)) | 0;
    return mixed(sum + 1);
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(members)) {
    sum = (sum + mixed(Math.imul(textFingerprint(key), 31) + fingerprint(members[key]))) | 0;
  }
  return mixed(sum + 2);
}

function textFingerprint(text: string): number {
  let sum = text.length;
  for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
  return sum;
}

function mixed(sum: number): number {
  const half = Math.imul(sum ^ (sum >>> 16), 0x45d9f3b);
  return half ^ (half >>> 15);
}

/** Tells whether two JSON values are equal; the order of an object's keys does not matter. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, at) => jsonEqual(item, b[at]))
    );
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]));
}
