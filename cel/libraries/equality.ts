import { compareQuantities } from "../../kube/quantity.ts";
import { compareSemvers } from "../../kube/semver.ts";
import type { Meter } from "../evaluating/meter.ts";
import { KeyedList, PreservedValue, SetList } from "../list-values.ts";
import {
  CidrValue,
  Duration,
  FormatValue,
  IpValue,
  Optional,
  QuantityValue,
  SemverValue,
  Timestamp,
  TypeValue,
  Uint,
  UnreadableValue,
  UrlValue,
} from "../values.ts";
import { isSameKeyedList, isSameSet } from "./list-types.ts";
import { CelFailure, NO_OVERLOAD } from "./overload.ts";

/**
 * Whether two values are equal. Numbers compare by value whatever their types, and values of other
 * types are unequal; what Kubernetes adds itself fails against another type on its right.
 */
export function isEqual(left: unknown, right: unknown, meter: Meter): boolean {
  if (left instanceof UnreadableValue) throw new CelFailure(left.why);
  if (right instanceof UnreadableValue) throw new CelFailure(right.why);
  switch (typeof left) {
    case "string":
      if (typeof right === "string" && left.length > 64) meter.spend(left.length >> 6);
      return left === right;
    case "boolean":
      return left === right;
    case "bigint":
      if (typeof right === "bigint") return left === right;
      break;
    case "number":
      if (typeof right === "number") return left === right;
      break;
    default:
      break;
  }
  if (isNumeric(left)) return isNumeric(right) && isSameNumber(left, right);
  if (left === null || right === null) return left === right;
  if (Array.isArray(left)) return Array.isArray(right) && isSameList(left, right, meter);
  if (left instanceof PreservedValue || right instanceof PreservedValue) {
    return isSamePreserved(left, right);
  }
  if (left instanceof Map) return right instanceof Map && isSameMap(left, right, meter);
  return isSameInstance(left, right, meter);
}

function isNumeric(value: unknown): value is bigint | number | Uint {
  return typeof value === "bigint" || typeof value === "number" || value instanceof Uint;
}

function isSameNumber(left: bigint | number | Uint, right: bigint | number | Uint): boolean {
  const plain = (value: bigint | number | Uint) => (value instanceof Uint ? value.value : value);
  const [ours, theirs] = [plain(left), plain(right)];
  // The library compares an integer with a double as doubles.
  if (typeof ours === typeof theirs) return ours === theirs;
  return Number(ours) === Number(theirs);
}

/** Whether two values are equal where a failure within counts as equal, as the API server's lists have it. */
function isNotUnequal(left: unknown, right: unknown, meter: Meter): boolean {
  if (left instanceof UnreadableValue) throw new Unread(left.why);
  if (right instanceof UnreadableValue) {
    // What holds others fails with it; a scalar is just not equal to it.
    if (Array.isArray(left) || left instanceof Map) throw new Unread(right.why);
    return false;
  }
  try {
    return isEqual(left, right, meter);
  } catch (failure) {
    if (failure instanceof CelFailure && !(failure instanceof Unread)) return true;
    throw failure;
  }
}

/** A value of an object that can't be read fails the comparison of all that holds it. */
class Unread extends CelFailure {}

function isSamePreserved(left: unknown, right: unknown): boolean {
  return (
    left instanceof PreservedValue && right instanceof PreservedValue && left.json === right.json
  );
}

function isSameList(left: readonly unknown[], right: readonly unknown[], meter: Meter): boolean {
  if (left instanceof SetList) return isSameSet(left, right, meter);
  if (left instanceof KeyedList) {
    return isSameKeyedList(left, right, meter, (one, other) => isNotUnequal(one, other, meter));
  }
  if (left.length !== right.length) return false;
  meter.spend(left.length);
  return left.every((item, index) => isNotUnequal(item, right[index], meter));
}

function isSameMap(
  left: ReadonlyMap<unknown, unknown>,
  right: ReadonlyMap<unknown, unknown>,
  meter: Meter,
): boolean {
  if (left.size !== right.size) return false;
  meter.spend(left.size);
  for (const [key, value] of left) {
    const found = lookUp(right, key);
    if (found === undefined && value instanceof PreservedValue && !value.isDeclared) continue;
    if (found === undefined || !isNotUnequal(value, found, meter)) return false;
  }
  return true;
}

/** The value under a key as a map holds keys, or under the same number of another type. */
export function lookUp(map: ReadonlyMap<unknown, unknown>, key: unknown): unknown {
  const found = map.get(key);
  if (found !== undefined || typeof key === "string" || typeof key === "boolean") return found;
  if (typeof key === "bigint") return map.get(Number(key));
  return typeof key === "number" && Number.isInteger(key) ? map.get(BigInt(key)) : undefined;
}

function isSameInstance(left: unknown, right: unknown, meter: Meter): boolean {
  if (left instanceof Uint8Array) {
    return right instanceof Uint8Array && Buffer.compare(left, right) === 0;
  }
  if (left instanceof Timestamp) return right instanceof Timestamp && left.nanos === right.nanos;
  if (left instanceof Duration) return right instanceof Duration && left.nanos === right.nanos;
  if (left instanceof TypeValue) return right instanceof TypeValue && left.name === right.name;
  if (left instanceof Optional) {
    if (!(right instanceof Optional)) return false;
    if (left.value === undefined || right.value === undefined) return left.value === right.value;
    return isEqual(left.value, right.value, meter);
  }
  return isSameOpaque(left, right);
}

function isSameOpaque(left: unknown, right: unknown): boolean {
  if (left instanceof QuantityValue && right instanceof QuantityValue) {
    return compareQuantities(left.quantity, right.quantity) === 0;
  }
  if (left instanceof SemverValue && right instanceof SemverValue) {
    return compareSemvers(left.version, right.version) === 0;
  }
  if (left instanceof IpValue && right instanceof IpValue) return isSameAddress(left, right);
  if (left instanceof CidrValue && right instanceof CidrValue) {
    return isSameAddress(left.address, right.address) && left.prefixLength === right.prefixLength;
  }
  if (left instanceof UrlValue && right instanceof UrlValue) return left.text === right.text;
  if (left instanceof FormatValue && right instanceof FormatValue) return left.name === right.name;
  throw new CelFailure(NO_OVERLOAD);
}

function isSameAddress(left: IpValue, right: IpValue): boolean {
  return left.family === right.family && left.bits === right.bits;
}
