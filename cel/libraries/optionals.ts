import { Duration, Optional, Timestamp, Uint, UnreadableValue } from "../values.ts";
import { CelFailure, type Overload } from "./overload.ts";

/** The optional that holds nothing. */
export const NONE = new Optional(undefined);

/** What an optional holds; fails where that is nothing, or can't be read. */
export function heldBy(optional: Optional): unknown {
  if (optional.value === undefined) throw new CelFailure("optional.none() dereference");
  if (optional.value instanceof UnreadableValue) throw new CelFailure(optional.value.why);
  return optional.value;
}

/** Whether a value is what its type starts from: 0, "", an empty list. */
function isZero(value: unknown): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Map) return value.size === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  // The zero time is the first moment of year 1, not of 1970.
  if (value instanceof Timestamp) return value.nanos === -62_135_596_800_000_000_000n;
  return false;
}

function unwrap(list: readonly unknown[]): readonly unknown[] {
  if (!list.every((item) => item instanceof Optional))
    throw new CelFailure("a value is not optional");
  return list.map((item) => item.value).filter((value) => value !== undefined);
}

/** Optionals of CEL, but for `or` and `orValue`, whose argument is only evaluated when it is needed. */
// biome-ignore format: a table
export const optionals: readonly Overload[] = [
  ["optional_of",               "optional.of(V): optional<V>",                           (value: unknown) => new Optional(value)],
  ["optional_ofNonZeroValue",   "optional.ofNonZeroValue(V): optional<V>",               (value: unknown) => (isZero(value) ? NONE : new Optional(value))],
  ["optional_none",             "optional.none(): optional<V>",                          () => NONE],
  ["optional_value",            "optional<V>->value(): V",                               heldBy],
  ["optional_hasValue",         "optional<V>->hasValue(): bool",                         (optional: Optional) => optional.value !== undefined],
  ["optional_or_optional",      "optional<V>->or(optional<V>): optional<V>",             unreachable],
  ["optional_orValue_value",    "optional<V>->orValue(V): V",                            unreachable],
  ["optional_unwrap",           "optional.unwrap(list<optional<V>>): list<V>",           unwrap],
  ["optional_unwrapOpt",        "list<optional<V>>->unwrapOpt(): list<V>",               unwrap],
  ["list_first",                "list<V>->first(): optional<V>",                         (list: readonly unknown[]) => new Optional(list[0])],
  ["list_last",                 "list<V>->last(): optional<V>",                          (list: readonly unknown[]) => new Optional(list.at(-1))],
];

function unreachable(): never {
  throw new Error("the evaluator runs this function itself");
}
