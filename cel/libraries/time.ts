import { type CivilDate, civilFromDays, daysFromCivil } from "../../kube/calendar.ts";
import { Duration, Timestamp } from "../values.ts";
import { formatPlain } from "./numbers.ts";
import { CelFailure } from "./overload.ts";

const SECOND = 1_000_000_000n;
const DAY = 86_400n;
// Years 1 to 9999.
const MIN_SECONDS = -62_135_596_800n;
const MAX_SECONDS = 253_402_300_799n;

/** A date and time of day as a clock shows it. */
export interface Civil extends CivilDate {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Seconds of a point in time, rounded down. */
export function unixSeconds(time: Timestamp): bigint {
  return (time.nanos - (((time.nanos % SECOND) + SECOND) % SECOND)) / SECOND;
}

/** A timestamp within years 1 to 9999; fails beyond. */
export function timestampOf(nanos: bigint, offsetMinutes = 0): Timestamp {
  const time = new Timestamp(nanos, offsetMinutes);
  const seconds = unixSeconds(time);
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) throw new CelFailure("timestamp overflow");
  return time;
}

/** A duration within 64 bits of nanoseconds; fails beyond. */
export function durationOf(nanos: bigint): Duration {
  if (BigInt.asIntN(64, nanos) !== nanos) throw new CelFailure("integer overflow");
  return new Duration(nanos);
}

/** What a clock shows that is ahead of UTC by some seconds. */
export function civilAt(time: Timestamp, offsetSeconds: number): Civil {
  const local = unixSeconds(time) + BigInt(offsetSeconds);
  const ofDay = Number(((local % DAY) + DAY) % DAY);
  const days = Number((local - BigInt(ofDay)) / DAY);
  return {
    ...civilFromDays(days),
    hour: Math.floor(ofDay / 3600),
    minute: Math.floor(ofDay / 60) % 60,
    second: ofDay % 60,
  };
}

/** The day of the week from Sunday, 0, and the day of the year from 0. */
export function dayNumbers(civil: Civil): { readonly ofWeek: number; readonly ofYear: number } {
  const days = daysFromCivil(civil.year, civil.month, civil.day);
  return {
    ofWeek: (((days + 4) % 7) + 7) % 7,
    ofYear: days - daysFromCivil(civil.year, 1, 1),
  };
}

/** Seconds since 1970 of what a UTC clock shows. */
export function secondsOf(civil: Civil): bigint {
  const days = BigInt(daysFromCivil(civil.year, civil.month, civil.day));
  return days * DAY + BigInt(civil.hour * 3600 + civil.minute * 60 + civil.second);
}

const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?(?:(Z)|([+-])(\d\d):(\d\d))$/;

/** Reads a point in time as Go's RFC 3339 layout does; undefined when it is none. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [, , , , , , , fraction = "", , zoneSign, zoneHours = "0", zoneMinutes = "0"] = match;
  const inRange = hour < 24 && minute < 60 && second < 60 && month >= 1 && month <= 12 && day >= 1;
  if (!inRange || Number(zoneHours) > 24 || Number(zoneMinutes) > 60) return undefined;
  const days = daysFromCivil(year, month, day);
  if (civilFromDays(days).day !== day) return undefined;
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (zoneSign === "-" ? -1 : 1);
  const seconds = secondsOf({ year, month, day, hour, minute, second }) - BigInt(offset * 60);
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, "0"));
  return new Timestamp(seconds * SECOND + nanos, offset);
}

/** A point in time's text, on its own clock. */
export function formatTimestamp(time: Timestamp): string {
  const { year, month, day, hour, minute, second } = civilAt(time, time.offsetMinutes * 60);
  const two = (value: number) => String(value).padStart(2, "0");
  const nanos = Number(((time.nanos % SECOND) + SECOND) % SECOND);
  const fraction = nanos === 0 ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`;
  const offset = Math.abs(time.offsetMinutes);
  const zone =
    offset === 0
      ? "Z"
      : `${time.offsetMinutes < 0 ? "-" : "+"}${two(Math.floor(offset / 60))}:${two(offset % 60)}`;
  const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}${fraction}${zone}`;
}

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1000n],
  ["µs", 1000n],
  ["μs", 1000n],
  ["ms", 1_000_000n],
  ["s", SECOND],
  ["m", 60n * SECOND],
  ["h", 3600n * SECOND],
]);

/** Reads a duration as Go does (`1h30m`, `-1.5s`, `0`); undefined when it is none or beyond 64 bits. */
export function parseDuration(text: string): Duration | undefined {
  const [, minus, body = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === "0") return new Duration(0n);
  if (body === "" || body.length > 1000) return undefined;
  const part = /([0-9]*)(?:\.([0-9]*))?([^0-9.]+)/y;
  let total = 0n;
  while (part.lastIndex < body.length) {
    const match = part.exec(body);
    if (match === null) return undefined;
    const [, whole = "", fraction = "", name = ""] = match;
    const unit = UNITS.get(name);
    if (unit === undefined || whole + fraction === "") return undefined;
    const digits = fraction.slice(0, 18);
    // The library computes fractions with doubles, and cuts what is finer than a nanosecond.
    const rest = Math.trunc(Number(digits || "0") * (Number(unit) / 10 ** digits.length));
    total += BigInt(`0${whole}`) * unit + BigInt(rest);
  }
  const nanos = minus === "-" ? -total : total;
  return BigInt.asIntN(64, nanos) === nanos ? new Duration(nanos) : undefined;
}

/** A duration's text: its seconds, `1.5s`. */
export function formatDuration({ nanos }: Duration): string {
  const seconds = Number(nanos / SECOND) + Number(nanos % SECOND) / 1e9;
  return `${formatPlain(seconds)}s`;
}
