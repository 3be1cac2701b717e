import type { Meter } from "../evaluating/meter.ts";
import { KeyedList, SetList } from "../list-values.ts";
import { Duration, Timestamp } from "../values.ts";
import { CelFailure } from "./overload.ts";

type Equal = (left: unknown, right: unknown) => boolean;

/** Whether a list of type set has the items of another list, in any order. */
export function isSameSet(left: SetList, right: readonly unknown[], meter: Meter): boolean {
  if (left.length !== right.length) return false;
  meter.spend(left.length + right.length);
  const [ours, theirs] = [new Set(itemKeys(left)), new Set(itemKeys(right))];
  return ours.size === theirs.size && [...theirs].every((key) => ours.has(key));
}

/** Whether a list of type map has the items of another list, by their keys and in any order. */
export function isSameKeyedList(
  left: KeyedList,
  right: readonly unknown[],
  meter: Meter,
  equal: Equal,
): boolean {
  if (left.length !== right.length) return false;
  meter.spend(left.length);
  const ours = new Map(left.map((item) => [keysOf(item, left.keyNames), item]));
  const seen = new Set<string>();
  for (const item of right) {
    const key = keysOf(item, left.keyNames);
    if (!ours.has(key) || !equal(ours.get(key), item)) return false;
    seen.add(key);
  }
  return seen.size === ours.size;
}

/**
 * The sum of two lists. A list of type set takes what it does not have, a list of type map puts items
 * in the place of those with the same keys; both stay what they are.
 */
export function addLists(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  if (left instanceof SetList) {
    const held = new Set(itemKeys(left));
    const keys = itemKeys(right);
    const added = right.filter((_, index) => {
      const key = keys[index];
      const isNew = !held.has(key);
      held.add(key);
      return isNew;
    });
    return SetList.holding([...left, ...added]);
  }
  if (!(left instanceof KeyedList)) return left.concat(right);
  const items = [...left];
  const places = new Map(items.map((item, index) => [keysOf(item, left.keyNames), index]));
  for (const item of right) {
    const place = places.get(keysOf(item, left.keyNames));
    if (place === undefined) items.push(item);
    else items[place] = item;
  }
  return KeyedList.withKeys(items, left.keyNames);
}

function itemKeys(list: readonly unknown[]): readonly unknown[] {
  return list.map((item) => {
    if (Array.isArray(item) || item instanceof Map) {
      throw new CelFailure("listSet operations are only supported on lists of scalar values");
    }
    return scalarKey(item);
  });
}

function keysOf(item: unknown, names: readonly string[]): string {
  if (!(item instanceof Map)) return "";
  return names.map((name) => JSON.stringify(String(scalarKey(item.get(name))))).join();
}

/** Equal for equal scalars alone; what can't be read equals nothing, not even itself when read again. */
function scalarKey(value: unknown): unknown {
  if (value instanceof Timestamp || value instanceof Duration) return `time ${value.nanos}`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`;
  if (typeof value === "object" && value !== null) return value;
  return `${typeof value} ${String(value)}`;
}
