import { parseDuration, parseTimestamp } from "../cel/libraries/time.ts";
import { Duration, type Timestamp, UnreadableValue } from "../cel/values.ts";

const SECOND = 1_000_000_000n;
const MAX_INT64 = 2n ** 63n - 1n;
// Each unit by its short names, and by the beginning of its long one.
const UNITS: readonly (readonly [nanos: bigint, long: string, ...short: string[]])[] = [
  [1n, "nano", "ns"],
  [1000n, "micro", "us", "µs"],
  [1_000_000n, "milli", "ms"],
  [SECOND, "sec", "s"],
  [60n * SECOND, "min", "m"],
  [3600n * SECOND, "hour", "h", "hr"],
  [86_400n * SECOND, "day", "d"],
  [604_800n * SECOND, "week", "w", "wk"],
];

/** A string of format `date` or `date-time` as CEL sees it. */
export function toTimestamp(text: string, format: string): Timestamp | UnreadableValue {
  const time = parseTimestamp(format === "date" ? `${text}T00:00:00Z` : text.toUpperCase());
  return time ?? new UnreadableValue(`Invalid ${format} formatted string ${text}`);
}

/** A string of format `duration` as CEL sees it. */
export function toDuration(text: string): Duration | UnreadableValue {
  const why = `Invalid duration ${text}: unable to parse ${text} as duration`;
  return readDuration(text) ?? new UnreadableValue(why);
}

/**
 * What a string of format `duration` says: a duration as Go writes it, or else the sum of all numbers
 * before the name of a unit, as in `3 weeks and 2 days` (kube-openapi `strfmt`); undefined when neither.
 */
export function readDuration(text: string): Duration | undefined {
  const duration = parseDuration(text);
  if (duration !== undefined) return duration;
  let nanos: bigint | undefined;
  for (const [, digits = "", word = ""] of text.matchAll(/(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    const factor = BigInt(digits);
    if (factor > MAX_INT64) return undefined;
    const name = word.toLowerCase();
    for (const [size, long, ...short] of UNITS) {
      if (!name.startsWith(long) && !short.includes(name)) continue;
      nanos = (nanos ?? 0n) + factor * size;
    }
  }
  return nanos === undefined ? undefined : new Duration(BigInt.asIntN(64, nanos));
}
