import { Duration, Timestamp, Uint } from "../values.ts";
import { CelFailure, NO_OVERLOAD } from "./overload.ts";
import { compareText } from "./text.ts";

/** Orders two values of one type, or two numbers: negative, zero or positive; undefined beside a NaN. */
export function compareValues(left: unknown, right: unknown): number | undefined {
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  const [ours, theirs] = [numberOf(left), numberOf(right)];
  if (typeof ours !== typeof theirs && ours !== undefined && theirs !== undefined) {
    // The library compares an integer with a double as doubles.
    return compareValues(Number(ours), Number(theirs));
  }
  if (ours !== undefined && theirs !== undefined) {
    if (ours < theirs) return -1;
    if (ours > theirs) return 1;
    return Number.isNaN(Number(ours)) || Number.isNaN(Number(theirs)) ? undefined : 0;
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  const [mine, other] = [nanosOf(left, right), nanosOf(right, left)];
  if (mine !== undefined && other !== undefined) return mine < other ? -1 : mine > other ? 1 : 0;
  throw new CelFailure(NO_OVERLOAD);
}

function numberOf(value: unknown): number | bigint | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return value instanceof Uint ? value.value : undefined;
}

function nanosOf(value: unknown, other: unknown): bigint | undefined {
  if (value instanceof Timestamp && other instanceof Timestamp) return value.nanos;
  return value instanceof Duration && other instanceof Duration ? value.nanos : undefined;
}
