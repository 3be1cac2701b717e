import type { Duration, Timestamp, Uint } from "../values.ts";
import { addLists } from "./list-types.ts";
import { int64, uint64 } from "./numbers.ts";
import { compareValues } from "./order.ts";
import { CelFailure, type Overload } from "./overload.ts";
import { durationOf, timestampOf } from "./time.ts";

function divide(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new CelFailure("division by zero");
  return left / right;
}

function modulo(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new CelFailure("modulus by zero");
  if (right === -1n) int64(-left);
  return left % right;
}

function concatBytes(left: Uint8Array, right: Uint8Array): Uint8Array {
  return Uint8Array.from([...left, ...right]);
}

type Operation<Value, Result = Value> = (left: Value, right: Value) => Result;
const onUints =
  (operation: Operation<bigint>): Operation<Uint> =>
  (left, right) =>
    uint64(operation(left.value, right.value));
const onInts =
  (operation: Operation<bigint>): Operation<bigint> =>
  (left, right) =>
    int64(operation(left, right));

// biome-ignore format: a table
const arithmetic: readonly Overload[] = [
  ["add_bytes",                    "_+_(bytes, bytes): bytes",             concatBytes],
  ["add_double",                   "_+_(double, double): double",          (left: number, right: number) => left + right],
  ["add_duration_duration",        "_+_(duration, duration): duration",    (left: Duration, right: Duration) => durationOf(left.nanos + right.nanos)],
  ["add_duration_timestamp",       "_+_(duration, timestamp): timestamp",  (left: Duration, right: Timestamp) => timestampOf(right.nanos + left.nanos, right.offsetMinutes)],
  ["add_timestamp_duration",       "_+_(timestamp, duration): timestamp",  (left: Timestamp, right: Duration) => timestampOf(left.nanos + right.nanos, left.offsetMinutes)],
  ["add_int64",                    "_+_(int, int): int",                   onInts((left, right) => left + right)],
  ["add_list",                     "_+_(list<A>, list<A>): list<A>",       addLists],
  ["add_string",                   "_+_(string, string): string",          (left: string, right: string) => left + right],
  ["add_uint64",                   "_+_(uint, uint): uint",                onUints((left, right) => left + right)],
  ["divide_double",                "_/_(double, double): double",          (left: number, right: number) => left / right],
  ["divide_int64",                 "_/_(int, int): int",                   onInts(divide)],
  ["divide_uint64",                "_/_(uint, uint): uint",                onUints(divide)],
  ["modulo_int64",                 "_%_(int, int): int",                   onInts(modulo)],
  ["modulo_uint64",                "_%_(uint, uint): uint",                onUints(modulo)],
  ["multiply_double",              "_*_(double, double): double",          (left: number, right: number) => left * right],
  ["multiply_int64",               "_*_(int, int): int",                   onInts((left, right) => left * right)],
  ["multiply_uint64",              "_*_(uint, uint): uint",                onUints((left, right) => left * right)],
  ["negate_double",                "-_(double): double",                   (value: number) => -value],
  ["negate_int64",                 "-_(int): int",                         (value: bigint) => int64(-value)],
  ["subtract_double",              "_-_(double, double): double",          (left: number, right: number) => left - right],
  ["subtract_duration_duration",   "_-_(duration, duration): duration",    (left: Duration, right: Duration) => durationOf(left.nanos - right.nanos)],
  ["subtract_int64",               "_-_(int, int): int",                   onInts((left, right) => left - right)],
  ["subtract_timestamp_duration",  "_-_(timestamp, duration): timestamp",  (left: Timestamp, right: Duration) => timestampOf(left.nanos - right.nanos, left.offsetMinutes)],
  ["subtract_timestamp_timestamp", "_-_(timestamp, timestamp): duration",  (left: Timestamp, right: Timestamp) => durationOf(left.nanos - right.nanos)],
  ["subtract_uint64",              "_-_(uint, uint): uint",                onUints((left, right) => left - right)],
];

type Test = (order: number) => boolean;
const RELATIONS: readonly (readonly [operator: string, name: string, test: Test])[] = [
  ["_<_", "less", (order) => order < 0],
  ["_<=_", "less_equals", (order) => order <= 0],
  ["_>_", "greater", (order) => order > 0],
  ["_>=_", "greater_equals", (order) => order >= 0],
];
const ORDERED: readonly (readonly [types: string, suffix: string])[] = [
  ["bool, bool", "bool"],
  ["int, int", "int64"],
  ["int, double", "int64_double"],
  ["int, uint", "int64_uint64"],
  ["uint, uint", "uint64"],
  ["uint, double", "uint64_double"],
  ["uint, int", "uint64_int64"],
  ["double, double", "double"],
  ["double, int", "double_int64"],
  ["double, uint", "double_uint64"],
  ["string, string", "string"],
  ["bytes, bytes", "bytes"],
  ["timestamp, timestamp", "timestamp"],
  ["duration, duration", "duration"],
];

const comparisons: readonly Overload[] = RELATIONS.flatMap(([operator, name, test]) =>
  ORDERED.map(
    ([types, suffix]): Overload => [
      `${name}_${suffix}`,
      `${operator}(${types}): bool`,
      (left: unknown, right: unknown) => {
        const order = compareValues(left, right);
        if (order === undefined) throw new CelFailure("NaN values cannot be ordered");
        return test(order);
      },
    ],
  ),
);

/** The operators that are plain functions of their operands. */
export const operators: readonly Overload[] = [...arithmetic, ...comparisons];

/**
 * Operators that the evaluator runs itself, since they look at an operand before another or know no
 * types; they stand here for the checker.
 */
// biome-ignore format: a table
export const builtIns: readonly Overload[] = [
  ["conditional",                          "_?_:_(bool, A, A): A",                         unreachable],
  ["logical_and",                          "_&&_(bool, bool): bool",                       unreachable],
  ["logical_or",                           "_||_(bool, bool): bool",                       unreachable],
  ["logical_not",                          "!_(bool): bool",                               (value: boolean) => !value],
  ["not_strictly_false",                   "@not_strictly_false(bool): bool",              unreachable],
  ["equals",                               "_==_(A, A): bool",                             unreachable],
  ["not_equals",                           "_!=_(A, A): bool",                             unreachable],
  ["in_list",                              "@in(A, list<A>): bool",                        unreachable],
  ["in_map",                               "@in(A, map<A, B>): bool",                      unreachable],
  ["index_list",                           "_[_](list<A>, int): A",                        unreachable],
  ["index_map",                            "_[_](map<A, B>, A): B",                        unreachable],
  ["optional_list_index_int",              "_[_](optional<list<V>>, int): optional<V>",    unreachable],
  ["optional_map_index_value",             "_[_](optional<map<K, V>>, K): optional<V>",    unreachable],
  ["list_optindex_optional_int",           "_[?_](list<V>, int): optional<V>",             unreachable],
  ["optional_list_optindex_optional_int",  "_[?_](optional<list<V>>, int): optional<V>",   unreachable],
  ["map_optindex_optional_value",          "_[?_](map<K, V>, K): optional<V>",             unreachable],
  ["optional_map_optindex_optional_value", "_[?_](optional<map<K, V>>, K): optional<V>",   unreachable],
  ["@mapInsert_map_key_value",             "cel.@mapInsert(map<K, V>, K, V): map<K, V>",   unreachable],
  ["@mapInsert_map_map",                   "cel.@mapInsert(map<K, V>, map<K, V>): map<K, V>", unreachable],
];

function unreachable(): never {
  throw new Error("the evaluator runs this operator itself");
}
