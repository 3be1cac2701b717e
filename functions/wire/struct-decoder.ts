import type { WireReader } from "./reader.ts";

/** Deepest nesting of objects and lists that is decoded; CRD schemas in use reach about 35. */
const DEEPEST_NESTING = 1_000;

/**
 * Fields that need not be decoded at once, as a tree of field names: `skip` leaves a field out, a
 * Deferred one is decoded when it is first read, and a tree goes on below it.
 */
export interface Laziness {
  readonly [field: string]: "skip" | Deferred | Laziness;
}

/** A field that is decoded when it is first read, and then as lazily as said. */
export class Deferred {
  readonly below: Laziness | undefined;

  constructor(below?: Laziness) {
    this.below = below;
  }
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
export function readStruct(reader: WireReader, end: number, lazy?: Laziness): Mutable {
  return readFields(reader, end, 1, lazy);
}

function readFields(reader: WireReader, end: number, depth: number, lazy?: Laziness): Mutable {
  if (depth > DEEPEST_NESTING) {
    throw reader.malformed(`an object is nested deeper than ${DEEPEST_NESTING} levels`);
  }
  const object: Mutable = {};
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag !== 0x0a) reader.skip(tag, end, 1);
    else readEntry(reader, reader.fieldEnd(end), depth, object, lazy);
  }
  return object;
}

function readEntry(
  reader: WireReader,
  end: number,
  depth: number,
  object: Mutable,
  lazy: Laziness | undefined,
): void {
  let key = "";
  let value: unknown = null;
  let from = end;
  let valueEnd = end;
  let below: Laziness[string] | undefined;
  let later = false;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) {
      key = reader.string(end);
      if (lazy !== undefined) below = Object.hasOwn(lazy, key) ? lazy[key] : undefined;
      later = below === "skip" || below instanceof Deferred;
    } else if (tag === 0x12) {
      valueEnd = reader.fieldEnd(end);
      from = reader.at;
      if (later) reader.at = valueEnd;
      else value = readValue(reader, valueEnd, depth, below as Laziness | undefined);
    } else {
      reader.skip(tag, end, 2);
    }
  }
  if (below === "skip") return;
  if (below instanceof Deferred) defer(reader, object, key, from, valueEnd, depth, below.below);
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
  below: Laziness | undefined,
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

function readValue(reader: WireReader, end: number, depth: number, lazy?: Laziness): unknown {
  let value: unknown = null;
  while (reader.at < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 0x1a:
        value = reader.string(end);
        break;
      case 0x2a:
        value = readFields(reader, reader.fieldEnd(end), depth + 1, lazy);
        break;
      case 0x11:
        value = readNumber(reader, end);
        break;
      case 0x20:
        value = reader.varint(end) !== 0;
        break;
      case 0x32:
        value = readList(reader, reader.fieldEnd(end), depth + 1);
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

function readList(reader: WireReader, end: number, depth: number): unknown[] {
  if (depth > DEEPEST_NESTING) {
    throw reader.malformed(`a list is nested deeper than ${DEEPEST_NESTING} levels`);
  }
  const list: unknown[] = [];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) list.push(readValue(reader, reader.fieldEnd(end), depth));
    else reader.skip(tag, end, 1);
  }
  return list;
}
