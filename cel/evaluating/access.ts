import { lookUp } from "../libraries/equality.ts";
import { NONE } from "../libraries/optionals.ts";
import { CelFailure, NO_OVERLOAD } from "../libraries/overload.ts";
import { Optional, typeNameOf, Uint, UnreadableValue } from "../values.ts";

/** A value that may be read; fails for one that can't, or that is itself a failure kept for later. */
export function readable(value: unknown): unknown {
  if (value instanceof UnreadableValue) throw new CelFailure(value.why);
  if (value instanceof CelFailure) throw value;
  return value;
}

/** The field of a value, or of what an optional holds; fails where there is none. */
export function selectField(operand: unknown, field: string): unknown {
  if (operand instanceof Map) {
    const found = operand.get(field);
    if (found === undefined) throw new CelFailure(`no such key: ${field}`);
    return found instanceof UnreadableValue ? readable(found) : found;
  }
  if (operand instanceof Optional) return selectOptional(operand, field);
  throw noKey(operand, field);
}

// Whatever holds nothing has no such key; a list says more.
function noKey(operand: unknown, key: unknown): CelFailure {
  if (!Array.isArray(operand)) return new CelFailure(`no such key: ${shown(key)}`);
  const isIndex = ["bigint", "number"].includes(typeof key) || key instanceof Uint;
  return new CelFailure(
    isIndex
      ? `index out of bounds: ${shown(key)}`
      : `unsupported index type '${typeNameOf(key)}' in list`,
  );
}

function shown(key: unknown): unknown {
  return key instanceof Uint ? key.value : key;
}

/** The field as an optional, none where there is none. */
export function selectOptional(operand: unknown, field: string): Optional {
  const held = operand instanceof Optional ? operand.value : operand;
  return held instanceof Map ? optionalOf(held.get(field)) : NONE;
}

/** Whether a value has a field; fails for one that can't be read. */
export function hasField(operand: unknown, field: string): boolean {
  const held = operand instanceof Optional ? operand.value : operand;
  const found = held instanceof Map ? held.get(field) : undefined;
  return (found instanceof UnreadableValue ? readable(found) : found) !== undefined;
}

function optionalOf(value: unknown): Optional {
  return value === undefined ? NONE : new Optional(readable(value));
}

/** A key as maps hold them. */
export function mapKey(key: unknown): unknown {
  if (!(key instanceof Uint)) return key;
  // Larger ones share a number with their neighbours.
  if (key.value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new CelFailure("uint keys beyond 2^53 are not known here");
  }
  return Number(key.value);
}

/** A map's key as a value. */
export function keyValue(key: unknown): unknown {
  return typeof key === "number" ? new Uint(BigInt(key)) : key;
}

/** The element of a list or the value of a map, or undefined; fails for a key that is none. */
function find(operand: unknown, key: unknown): unknown {
  if (operand instanceof Map) {
    if (!isKey(key)) throw new CelFailure(NO_OVERLOAD);
    return lookUp(operand, mapKey(key));
  }
  if (!Array.isArray(operand)) return undefined;
  const at = key instanceof Uint ? key.value : key;
  const isWhole = typeof at === "bigint" || (typeof at === "number" && Number.isInteger(at));
  if (!isWhole) throw noKey(operand, key);
  return at < 0 || at >= operand.length ? undefined : operand[Number(at)];
}

function isKey(key: unknown): boolean {
  return ["string", "boolean", "bigint", "number"].includes(typeof key) || key instanceof Uint;
}

/** `operand[key]`, also on what an optional holds; fails where there is nothing. */
export function index(operand: unknown, key: unknown): unknown {
  if (operand instanceof Optional) return indexOptional(operand, key);
  const found = find(operand, key);
  if (found === undefined) throw noKey(operand, key);
  return readable(found);
}

/** `operand[?key]`. */
export function indexOptional(operand: unknown, key: unknown): Optional {
  const held = operand instanceof Optional ? operand.value : operand;
  return held === undefined ? NONE : optionalOf(find(held, key));
}
