import type { Meter } from "../evaluating/meter.ts";
import { Duration, typeNameOf, Uint } from "../values.ts";
import { isEqual } from "./equality.ts";
import { int64, uint64 } from "./numbers.ts";
import { compareValues } from "./order.ts";
import { CelFailure, NO_OVERLOAD, type Overload } from "./overload.ts";
import { durationOf } from "./time.ts";

type List = readonly unknown[];

const COMPARABLE = "int uint double bool duration timestamp string bytes".split(" ");
const ORDERED: ReadonlySet<string> = new Set(
  "int uint double bool string bytes google.protobuf.Duration google.protobuf.Timestamp".split(" "),
);
const MAX_RANGE = 1_000_000n;

/** Lists of Kubernetes CEL: its own functions and the list extension, version 3. */
export function lists(meter: Meter): readonly Overload[] {
  const equal = (left: unknown, right: unknown): boolean => {
    meter.spend(2);
    try {
      return isEqual(left, right, meter);
    } catch (failure) {
      // An item that can't be compared is not the one that is sought.
      if (failure instanceof CelFailure) return false;
      throw failure;
    }
  };
  const refuseOdd = (name: string, list: List) => {
    const odd = list.find((item) => !isComparable(item));
    if (odd !== undefined) throw new CelFailure(`${NO_OVERLOAD}: ${name}(list)`);
  };
  const order = (left: unknown, right: unknown): number => {
    meter.spend(typeof left === "string" ? 4 + (left.length >> 2) : 3);
    return compareValues(left, right) ?? 0;
  };
  const isSorted = (list: List) => {
    refuseOdd("isSorted", list);
    return list.every((item, index) => index === 0 || order(list[index - 1], item) <= 0);
  };
  const extreme = (name: string, sign: number) => (list: List) => {
    if (list.length === 0) throw new CelFailure(`${name} called on empty list`);
    refuseOdd(name, list);
    return list.reduce((best, item) => (order(best, item) * sign > 0 ? item : best));
  };
  const sum =
    <Value, Total>(zero: Total, add: (total: Total, value: Value) => Total) =>
    (list: List) => {
      meter.spend(list.length);
      if (list.some((item) => typeNameOf(item) !== typeNameOf(zero))) {
        throw new CelFailure(`${NO_OVERLOAD}: sum(list)`);
      }
      return list.reduce<Total>((total, item) => add(total, item as Value), zero);
    };
  const indexOf = (list: List, item: unknown) => BigInt(list.findIndex((one) => equal(one, item)));
  const lastIndexOf = (list: List, item: unknown) =>
    BigInt(list.findLastIndex((one) => equal(one, item)));
  const includes = (target: unknown, item: unknown) =>
    Array.isArray(target) ? target.some((one) => equal(one, item)) : equal(target, item);
  const slice = (list: List, start: bigint, end: bigint) => {
    const refuse = (why: string) => new CelFailure(`cannot slice(${start}, ${end}), ${why}`);
    if (start < 0n || end < 0n) throw refuse("negative indexes not supported");
    if (start > end) throw refuse("start index must be less than or equal to end index");
    if (BigInt(list.length) < end) throw refuse(`list is length ${list.length}`);
    return list.slice(Number(start), Number(end));
  };
  const flatten = (list: List, depth: bigint): unknown[] => {
    if (depth < 0n) throw new CelFailure("level must be non-negative");
    meter.spend(2 + 3 * list.length);
    const flat: unknown[] = [];
    for (const item of list) {
      if (!Array.isArray(item) || depth === 0n) flat.push(item);
      else for (const inner of flatten(item, depth - 1n)) flat.push(inner);
    }
    return flat;
  };
  const sortBy = (list: List, keys: List): List => {
    if (list.length !== keys.length) {
      throw new CelFailure(
        `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.length} and ${keys.length} elements respectively`,
      );
    }
    if (list.length === 0) return list;
    const type = typeNameOf(keys[0]);
    if (!isComparable(keys[0])) throw new CelFailure("list elements must be comparable");
    if (!keys.every((key) => typeNameOf(key) === type)) {
      throw new CelFailure("list elements must have the same type");
    }
    if (keys.some((key) => typeof key === "number" && Number.isNaN(key))) {
      throw new CelFailure("the order of a list with NaN is not known here");
    }
    return Array.from(list.keys())
      .sort((left, right) => order(keys[left], keys[right]))
      .map((index) => list[index]);
  };
  const distinct = (list: List): List => {
    const unique: unknown[] = [];
    for (const item of list) if (!unique.some((one) => equal(item, one))) unique.push(item);
    return unique;
  };
  const range = (count: bigint): List => {
    if (count > MAX_RANGE) throw new CelFailure("a range of more than 1000000 is not known here");
    if (count < 0n) throw new CelFailure(`lists.range: size must be non-negative, got ${count}`);
    meter.spend(2 * Number(count));
    return Array.from({ length: Number(count) }, (_, index) => BigInt(index));
  };
  const perType = (make: (type: string, name: string) => Overload) =>
    COMPARABLE.map((type) => make(type, wellKnown(type)));
  // biome-ignore format: a table
  return [
    ...perType((type) => [`list_${type}_is_sorted_bool`, `list<${type}>->isSorted(): bool`, isSorted]),
    ...perType((type) => [`list_${type}_max_${type}`, `list<${type}>->max(): ${type}`, extreme("max", -1)]),
    ...perType((type) => [`list_${type}_min_${type}`, `list<${type}>->min(): ${type}`, extreme("min", 1)]),
    ...perType((type, name) => [`list_${name}_sort`, `list<${type}>->sort(): list<${type}>`, (list: List) => sortBy(list, list)]),
    ...perType((type, name) => [`list_${name}_sortByAssociatedKeys`, `list<T>->@sortByAssociatedKeys(list<${type}>): list<T>`, sortBy]),
    ["list_int_sum_int",           "list<int>->sum(): int",                 sum(0n, (total, value: bigint) => int64(total + value))],
    ["list_uint_sum_uint",         "list<uint>->sum(): uint",               sum(new Uint(0n), (total, value: Uint) => uint64(total.value + value.value))],
    ["list_double_sum_double",     "list<double>->sum(): double",           sum(0, (total, value: number) => total + value)],
    ["list_duration_sum_duration", "list<duration>->sum(): duration",       sum(new Duration(0n), (total, value: Duration) => durationOf(total.nanos + value.nanos))],
    ["list_a_index_of_int",        "list<A>->indexOf(A): int",              indexOf],
    ["list_a_last_index_of_int",   "list<A>->lastIndexOf(A): int",          lastIndexOf],
    ["list_includes_dyn_dyn",      "dyn->includes(dyn): bool",              includes],
    ["list_slice",                 "list<T>->slice(int, int): list<T>",     slice],
    ["list_flatten",               "list<list<T>>->flatten(): list<T>",     (list: List) => flatten(list, 1n)],
    ["list_flatten_int",           "list<dyn>->flatten(int): list<dyn>",    flatten],
    ["lists_range",                "lists.range(int): list<int>",           range],
    ["list_reverse",               "list<T>->reverse(): list<T>",           (list: List) => list.toReversed()],
    ["list_distinct",              "list<T>->distinct(): list<T>",          distinct],
  ];
}

function isComparable(value: unknown): boolean {
  return ORDERED.has(typeNameOf(value));
}

/** The name under which the list extension declares a type. */
function wellKnown(type: string): string {
  if (type === "duration") return "google.protobuf.Duration";
  return type === "timestamp" ? "google.protobuf.Timestamp" : type;
}

/** Sets of CEL: lists of which only the members count. */
export function sets(meter: Meter): readonly Overload[] {
  const has = (list: List, item: unknown) =>
    list.some((one) => {
      meter.spend(2);
      return isEqual(item, one, meter);
    });
  const contains = (list: List, sub: List) => sub.every((item) => has(list, item));
  // biome-ignore format: a table
  return [
    ["list_sets_contains_list",   "sets.contains(list<T>, list<T>): bool",   contains],
    ["list_sets_equivalent_list", "sets.equivalent(list<T>, list<T>): bool", (left: List, right: List) => contains(left, right) && contains(right, left)],
    ["list_sets_intersects_list", "sets.intersects(list<T>, list<T>): bool", (left: List, right: List) => left.some((item) => has(right, item))],
  ];
}
