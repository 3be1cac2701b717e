import type { WireReader } from "./reader.ts";

/** Deepest nesting of objects and lists that is decoded; CRD schemas in use reach about 35. */
export const DEEPEST_NESTING = 1_000;

/** Field names to leave out, as a tree: `true` drops the field, a tree goes on below it. */
export interface Omission {
  readonly [field: string]: true | Omission;
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
export function readStruct(reader: WireReader, end: number, omit?: Omission): Mutable {
  return readFields(reader, end, 1, omit);
}

function readFields(reader: WireReader, end: number, depth: number, omit?: Omission): Mutable {
  if (depth > DEEPEST_NESTING) {
    throw reader.malformed(`an object is nested deeper than ${DEEPEST_NESTING} levels`);
  }
  const object: Mutable = {};
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag !== 0x0a) reader.skip(tag, end, 1);
    else readEntry(reader, reader.fieldEnd(end), depth, object, omit);
  }
  return object;
}

function readEntry(
  reader: WireReader,
  end: number,
  depth: number,
  object: Mutable,
  omit: Omission | undefined,
): void {
  let key = "";
  let value: unknown = null;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) {
      key = reader.string(end);
    } else if (tag === 0x12) {
      const below = omit !== undefined && Object.hasOwn(omit, key) ? omit[key] : undefined;
      const valueEnd = reader.fieldEnd(end);
      if (below === true) reader.at = valueEnd;
      else value = readValue(reader, valueEnd, depth, below);
    } else {
      reader.skip(tag, end, 2);
    }
  }
  if (omit !== undefined && Object.hasOwn(omit, key) && omit[key] === true) return;
  if (key === "__proto__") {
    // Assigning would set the prototype; a definition makes it a field like any other.
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    object[key] = value;
  }
}

function readValue(reader: WireReader, end: number, depth: number, omit?: Omission): unknown {
  let value: unknown = null;
  while (reader.at < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 0x1a:
        value = reader.string(end);
        break;
      case 0x2a:
        value = readFields(reader, reader.fieldEnd(end), depth + 1, omit);
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
