import { sortedKeys } from "../../kube/canonical.ts";
import { isRecord } from "../../kube/object.ts";
import type { WireWriter } from "./writer.ts";

/** Deepest nesting that is written; protobuf-go reads 10,000 messages, three for each level. */
const DEEPEST_NESTING = 2_000;

/** Says that an object holds something a `google.protobuf.Struct` can't: a bug of whoever built it. */
export class UnencodableValue extends Error {
  override readonly name = "UnencodableValue";
}

/**
 * Writes the fields of a `google.protobuf.Struct`, keys sorted, so that equal objects give equal
 * bytes; the caller frames them. A field that is undefined is left out.
 *
 * Throws UnencodableValue, naming the path, on NaN, infinities, undefined in a list, bigints,
 * functions, class instances such as Date, and cycles.
 */
export function writeStruct(writer: WireWriter, object: object): void {
  if (writeFields(writer, object, 1)) return;
  throw new UnencodableValue(explain(object, "", 1) ?? "a value can't be encoded");
}

/** Answers false, having written garbage, when a value can't be encoded; `explain` finds which. */
function writeFields(writer: WireWriter, object: object, depth: number): boolean {
  if (depth > DEEPEST_NESTING) return false;
  const fields = object as Readonly<Record<string, unknown>>;
  const keys = sortedKeys(fields);
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] as string;
    const value = fields[key];
    if (value === undefined) continue;
    const entry = writer.length;
    if (!writeValue(writer, 0x12, value, depth)) return false;
    if (key !== "") writer.string(0x0a, key);
    writer.close(0x0a, entry);
  }
  return true;
}

function writeValue(writer: WireWriter, tag: number, value: unknown, depth: number): boolean {
  const mark = writer.length;
  switch (typeof value) {
    case "string":
      writer.string(0x1a, value);
      break;
    case "number":
      if (!Number.isFinite(value)) return false;
      writer.double(0x11, value);
      break;
    case "boolean":
      writer.integer(0x20, value ? 1 : 0);
      break;
    case "object":
      if (value === null) {
        writer.integer(0x08, 0);
      } else if (Array.isArray(value)) {
        if (!writeList(writer, value, depth + 1)) return false;
        writer.close(0x32, mark);
      } else {
        if (!isPlain(value) || !writeFields(writer, value, depth + 1)) return false;
        writer.close(0x2a, mark);
      }
      break;
    default:
      return false;
  }
  writer.close(tag, mark);
  return true;
}

function writeList(writer: WireWriter, list: readonly unknown[], depth: number): boolean {
  if (depth > DEEPEST_NESTING) return false;
  for (let i = list.length - 1; i >= 0; i--) {
    if (!writeValue(writer, 0x0a, list[i], depth)) return false;
  }
  return true;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function explain(value: unknown, path: string, depth: number): string | undefined {
  if (depth > DEEPEST_NESTING) {
    return `${path.slice(0, 200)}… is nested deeper than ${DEEPEST_NESTING} levels, or contains itself`;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = explain(item, `${path}[${index}]`, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isRecord(value) && isPlain(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      const found = explain(item, path === "" ? key : `${path}.${key}`, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number" && Number.isFinite(value)) return undefined;
  const seen = typeof value === "object" ? `a ${value?.constructor?.name}` : String(value);
  return `${path} is ${seen}, which JSON does not have`;
}
