import type { FieldTree } from "../composition/requirement.ts";
import type { WireReader } from "./reader.ts";

/** Deepest nesting of objects and lists that is decoded; CRD schemas in use reach about 35. */
const DEEPEST_NESTING = 1_000;

/** How one field of an object is read: not at all, at once, when it is first read, or in part. */
export type FieldReading = "skip" | "whole" | Deferred | Reading;

/**
 * What of an object is decoded, and when. Of a list it is said of each item; what is no object is
 * read as it is. Bytes that are skipped are not looked at, so nothing wrong in them is an error.
 */
export interface Reading {
  readonly named: ReadonlyMap<string, FieldReading>;
  /** How fields are read that are not named. */
  readonly others: "skip" | "whole";
}

/** A field that is decoded when it is first read, and then as said. */
export class Deferred {
  readonly below: Reading | undefined;

  constructor(below?: Reading) {
    this.below = below;
  }
}

/** Narrows a reading to the fields of a tree; what it skips or defers, it still does. */
export function narrow(fields: FieldTree, reading: Reading | undefined): Reading {
  const named = new Map<string, FieldReading>();
  for (const [name, below] of Object.entries(fields)) {
    const how = reading?.named.get(name) ?? reading?.others ?? "whole";
    if (below === true || how === "skip") named.set(name, how);
    else if (how instanceof Deferred) named.set(name, new Deferred(narrow(below, how.below)));
    else named.set(name, narrow(below, how === "whole" ? undefined : how));
  }
  return { named, others: "skip" };
}

type Mutable = Record<string, unknown>;

/**
 * Reads a `google.protobuf.Struct` up to `end` as a plain object.
 *
 * A value without a kind is null, as for protobuf-go; of repeated fields the last one counts. A
 * Struct holds every number as a double, so the sender has already rounded integers beyond 2^53.
 * Throws MalformedMessage on bad data, on nesting beyond 1,000, and on NaN and infinities, which
 * JSON does not have.
 */
export function readStruct(reader: WireReader, end: number, reading?: Reading): Mutable {
  return readFields(reader, end, 1, reading);
}

function readFields(reader: WireReader, end: number, depth: number, reading?: Reading): Mutable {
  if (depth > DEEPEST_NESTING) {
    throw reader.malformed(`an object is nested deeper than ${DEEPEST_NESTING} levels`);
  }
  const object: Mutable = {};
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag !== 0x0a) reader.skip(tag, end, 1);
    else readEntry(reader, reader.fieldEnd(end), depth, object, reading);
  }
  return object;
}

function readEntry(
  reader: WireReader,
  end: number,
  depth: number,
  object: Mutable,
  reading: Reading | undefined,
): void {
  let key = "";
  let value: unknown = null;
  let from = end;
  let valueEnd = end;
  let how: FieldReading = reading?.others ?? "whole";
  let below: Reading | undefined;
  let later = false;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) {
      key = reader.string(end);
      if (reading !== undefined) {
        how = reading.named.get(key) ?? reading.others;
        later = how === "skip" || how instanceof Deferred;
        below = later || how === "whole" ? undefined : (how as Reading);
      }
    } else if (tag === 0x12) {
      valueEnd = reader.fieldEnd(end);
      from = reader.at;
      if (later) reader.at = valueEnd;
      else value = readValue(reader, valueEnd, depth, below);
    } else {
      reader.skip(tag, end, 2);
    }
  }
  if (how === "skip") return;
  if (how instanceof Deferred) defer(reader, object, key, from, valueEnd, depth, how.below);
  // Assigning would set the prototype; a definition makes it a field like any other.
  else if (key === "__proto__") define(object, key, value);
  else object[key] = value;
}

function define(object: Mutable, key: string, value: unknown): void {
  const attributes = { enumerable: true, configurable: true, writable: true };
  Object.defineProperty(object, key, { ...attributes, value });
}

/** Makes a field that decodes itself when it is first read; malformed bytes are an error then. */
function defer(
  reader: WireReader,
  object: Mutable,
  key: string,
  from: number,
  end: number,
  depth: number,
  below: Reading | undefined,
): void {
  Object.defineProperty(object, key, {
    enumerable: true,
    configurable: true,
    get() {
      reader.at = from;
      const value = readValue(reader, end, depth, below);
      define(object, key, value);
      return value;
    },
  });
}

function readValue(reader: WireReader, end: number, depth: number, reading?: Reading): unknown {
  let value: unknown = null;
  while (reader.at < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 0x1a:
        value = reader.string(end);
        break;
      case 0x2a:
        value = readFields(reader, reader.fieldEnd(end), depth + 1, reading);
        break;
      case 0x11:
        value = readNumber(reader, end);
        break;
      case 0x20:
        value = reader.varint(end) !== 0;
        break;
      case 0x32:
        value = readList(reader, reader.fieldEnd(end), depth + 1, reading);
        break;
      case 0x08:
        reader.varint(end);
        value = null;
        break;
      default:
        reader.skip(tag, end, 6);
    }
  }
  return value;
}

function readNumber(reader: WireReader, end: number): number {
  const value = reader.double(end);
  if (!Number.isFinite(value)) throw reader.malformed(`${value} is no number that JSON has`);
  return value;
}

function readList(
  reader: WireReader,
  end: number,
  depth: number,
  reading: Reading | undefined,
): unknown[] {
  if (depth > DEEPEST_NESTING) {
    throw reader.malformed(`a list is nested deeper than ${DEEPEST_NESTING} levels`);
  }
  const list: unknown[] = [];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) list.push(readValue(reader, reader.fieldEnd(end), depth, reading));
    else reader.skip(tag, end, 1);
  }
  return list;
}
