import type { Duration, Timestamp } from "../values.ts";
import { CelFailure, type Overload } from "./overload.ts";
import { type Civil, civilAt, dayNumbers, secondsOf, unixSeconds } from "./time.ts";

// Zones are slow to set up; all there are would be few enough to keep.
type Zones = Map<string, Intl.DateTimeFormat | undefined>;

/** How many seconds the clocks of a zone are ahead of UTC at a point in time. */
function zoneOffset(time: Timestamp, zone: string, zones: Zones): number {
  if (zone === "" || zone === "UTC") return 0;
  const colon = zone.indexOf(":");
  return colon < 0 ? namedOffset(time, zone, zones) : fixedOffset(zone, colon);
}

function fixedOffset(zone: string, colon: number): number {
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  const isNumber = (text: string) => /^[+-]?[0-9]{1,6}$/.test(text);
  if (!isNumber(hours) || !isNumber(minutes)) {
    throw new CelFailure(`no time zone offset: ${JSON.stringify(zone)}`);
  }
  return (Number(hours) * 60 + (zone.startsWith("-") ? -1 : 1) * Number(minutes)) * 60;
}

function namedOffset(time: Timestamp, zone: string, zones: Zones): number {
  const unknown = new CelFailure(`unknown time zone ${zone}`);
  // The clock of whatever machine the API server runs on can't be told from here.
  if (zone === "Local") throw new CelFailure("the time zone of the API server is not known here");
  if (!/^[A-Z]/.test(zone)) throw unknown;
  if (!zones.has(zone)) {
    if (zones.size >= MAX_ZONES) zones.clear();
    zones.set(zone, zoneFormat(zone));
  }
  const format = zones.get(zone);
  const known = format?.resolvedOptions().timeZone;
  // Zone names are files for the API server: their case counts.
  if (format === undefined || (known !== zone && known?.toLowerCase() === zone.toLowerCase())) {
    throw unknown;
  }
  const utcSeconds = unixSeconds(time);
  const parts = new Map(
    format.formatToParts(Number(utcSeconds) * 1000).map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const year = parts.get("era") === "BC" ? 1 - part("year") : part("year");
  const [month, day, hour] = [part("month"), part("day"), part("hour") % 24];
  const civil = { year, month, day, hour, minute: part("minute"), second: part("second") };
  return Number(secondsOf(civil) - utcSeconds);
}

function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      hourCycle: "h23",
    });
  } catch {
    return undefined;
  }
}

const ofDuration = (unit: bigint) => (duration: Duration) => duration.nanos / unit;

type Part = (civil: Civil, time: Timestamp) => number;
const PARTS: readonly (readonly [name: string, id: string, part: Part])[] = [
  ["getFullYear", "timestamp_to_year", ({ year }) => year],
  ["getMonth", "timestamp_to_month", ({ month }) => month - 1],
  ["getDayOfYear", "timestamp_to_day_of_year", (civil) => dayNumbers(civil).ofYear],
  ["getDayOfMonth", "timestamp_to_day_of_month", ({ day }) => day - 1],
  ["getDate", "timestamp_to_day_of_month_1_based", ({ day }) => day],
  ["getDayOfWeek", "timestamp_to_day_of_week", (civil) => dayNumbers(civil).ofWeek],
  ["getHours", "timestamp_to_hours", ({ hour }) => hour],
  ["getMinutes", "timestamp_to_minutes", ({ minute }) => minute],
  ["getSeconds", "timestamp_to_seconds", ({ second }) => second],
  [
    "getMilliseconds",
    "timestamp_to_milliseconds",
    (_, { nanos }) => Number((((nanos / 1_000_000n) % 1000n) + 1000n) % 1000n),
  ],
];

const MAX_ZONES = 600;

const parts = (zones: Zones): readonly Overload[] =>
  PARTS.flatMap(([name, id, part]): Overload[] => [
    [id, `timestamp->${name}(): int`, (time: Timestamp) => BigInt(part(civilAt(time, 0), time))],
    [
      id === "timestamp_to_seconds" ? `${id}_tz` : `${id}_with_tz`,
      `timestamp->${name}(string): int`,
      (time: Timestamp, zone: string) =>
        BigInt(part(civilAt(time, zoneOffset(time, zone, zones)), time)),
    ],
  ]);

/** The parts of timestamps and durations; without a zone a timestamp's are those of UTC. */
export const times = (): readonly Overload[] => [
  ...parts(new Map()),
  ["duration_to_hours", "duration->getHours(): int", ofDuration(3_600_000_000_000n)],
  ["duration_to_minutes", "duration->getMinutes(): int", ofDuration(60_000_000_000n)],
  ["duration_to_seconds", "duration->getSeconds(): int", ofDuration(1_000_000_000n)],
  ["duration_to_milliseconds", "duration->getMilliseconds(): int", ofDuration(1_000_000n)],
];
