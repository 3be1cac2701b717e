import { type Duration, type Timestamp, TypeValue, typeNameOf, Uint } from "../values.ts";
import { formatGeneral, int64, uint64 } from "./numbers.ts";
import { CelFailure, type Overload } from "./overload.ts";
import { textLength } from "./text.ts";
import {
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  timestampOf,
  unixSeconds,
} from "./time.ts";

const SECOND = 1_000_000_000n;

function failConversion(to: string): never {
  throw new CelFailure(`type conversion error from 'string' to '${to}'`);
}

function parseInt64(text: string): bigint {
  if (!/^[+-]?[0-9]{1,400}$/.test(text)) return failConversion("int");
  const value = BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, value) === value ? value : failConversion("int");
}

function parseUint64(text: string): Uint {
  if (!/^[0-9]{1,400}$/.test(text)) return failConversion("uint");
  const value = BigInt(text);
  return BigInt.asUintN(64, value) === value ? new Uint(value) : failConversion("uint");
}

const HEX_FLOAT = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/;

function parseFloat64(text: string): number {
  const special = /^([+-]?)(?:(inf|infinity)|nan)$/i.exec(text);
  if (special !== null) {
    if (special[2] === undefined) return special[1] === "" ? Number.NaN : failConversion("double");
    return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  // Underscores may stand between digits.
  const plain = text.replace(/(?<=[0-9])_(?=[0-9])/g, "");
  const hex = HEX_FLOAT.exec(plain);
  if (hex !== null) return parseHexadecimal(hex);
  if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(plain)) {
    return failConversion("double");
  }
  const value = Number(plain);
  return Number.isFinite(value) ? value : failConversion("double");
}

function parseHexadecimal([, sign, whole = "", fraction = "", exponent]: RegExpExecArray): number {
  const digits = (whole + fraction).replace(/^0+/, "");
  if (whole + fraction === "") return failConversion("double");
  // More digits than a double holds would have to be rounded.
  if (digits.length > 13) throw new CelFailure("hexadecimal doubles this long are not known here");
  const value = Number(`0x${digits || "0"}`) * 2 ** (Number(exponent) - 4 * fraction.length);
  if (!Number.isFinite(value)) return failConversion("double");
  return sign === "-" ? -value : value;
}

function parseBool(text: string): boolean {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(text)) return false;
  return failConversion("bool");
}

function doubleToInt(value: number): bigint {
  // The library refuses both ends, which a double can't tell from what is beyond.
  if (!(value > -(2 ** 63) && value < 2 ** 63)) throw new CelFailure("integer overflow");
  return BigInt(Math.trunc(value));
}

function doubleToUint(value: number): Uint {
  if (!(value >= 0 && value < 2 ** 64)) throw new CelFailure("unsigned integer overflow");
  return new Uint(BigInt(Math.trunc(value)));
}

function bytesToString(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CelFailure("invalid UTF-8 in bytes, cannot convert to string");
  }
}

const size = (value: { length: number }) => BigInt(value.length);
const same = (value: unknown) => value;

/** Conversions and sizes of the CEL standard. */
// biome-ignore format: a table
export const conversions: readonly Overload[] = [
  ["bool_to_bool",           "bool(bool): bool",                same],
  ["string_to_bool",         "bool(string): bool",              parseBool],
  ["bytes_to_bytes",         "bytes(bytes): bytes",             same],
  ["string_to_bytes",        "bytes(string): bytes",            (text: string) => new TextEncoder().encode(text)],
  ["double_to_double",       "double(double): double",          same],
  ["int64_to_double",        "double(int): double",             Number],
  ["string_to_double",       "double(string): double",          parseFloat64],
  ["uint64_to_double",       "double(uint): double",            (value: Uint) => Number(value.value)],
  ["duration_to_duration",   "duration(duration): duration",    same],
  ["string_to_duration",     "duration(string): duration",      (text: string) => parseDuration(text) ?? failConversion("google.protobuf.Duration")],
  ["to_dyn",                 "dyn(A): dyn",                     same],
  ["int64_to_int64",         "int(int): int",                   same],
  ["double_to_int64",        "int(double): int",                doubleToInt],
  ["duration_to_int64",      "int(duration): int",              (value: Duration) => value.nanos],
  ["string_to_int64",        "int(string): int",                parseInt64],
  ["timestamp_to_int64",     "int(timestamp): int",             unixSeconds],
  ["uint64_to_int64",        "int(uint): int",                  (value: Uint) => int64(value.value)],
  ["string_to_string",       "string(string): string",          same],
  ["bool_to_string",         "string(bool): string",            String],
  ["bytes_to_string",        "string(bytes): string",           bytesToString],
  ["double_to_string",       "string(double): string",          formatGeneral],
  ["duration_to_string",     "string(duration): string",        formatDuration],
  ["int64_to_string",        "string(int): string",             String],
  ["timestamp_to_string",    "string(timestamp): string",       formatTimestamp],
  ["uint64_to_string",       "string(uint): string",            (value: Uint) => String(value.value)],
  ["timestamp_to_timestamp", "timestamp(timestamp): timestamp", same],
  ["int64_to_timestamp",     "timestamp(int): timestamp",       (value: bigint) => timestampOf(value * SECOND)],
  ["string_to_timestamp",    "timestamp(string): timestamp",    stringToTimestamp],
  ["type",                   "type(A): type<A>",                (value: unknown) => new TypeValue(typeNameOf(value))],
  ["uint64_to_uint64",       "uint(uint): uint",                same],
  ["double_to_uint64",       "uint(double): uint",              doubleToUint],
  ["int64_to_uint64",        "uint(int): uint",                 uint64],
  ["string_to_uint64",       "uint(string): uint",              parseUint64],
  ["size_bytes",             "size(bytes): int",                size],
  ["bytes_size",             "bytes->size(): int",              size],
  ["size_list",              "size(list<A>): int",              size],
  ["list_size",              "list<A>->size(): int",            size],
  ["size_map",               "size(map<A, B>): int",            (map: ReadonlyMap<unknown, unknown>) => BigInt(map.size)],
  ["map_size",               "map<A, B>->size(): int",          (map: ReadonlyMap<unknown, unknown>) => BigInt(map.size)],
  ["size_string",            "size(string): int",               (text: string) => BigInt(textLength(text))],
  ["string_size",            "string->size(): int",             (text: string) => BigInt(textLength(text))],
];

function stringToTimestamp(text: string): Timestamp {
  const parsed = parseTimestamp(text) ?? failConversion("google.protobuf.Timestamp");
  return timestampOf(parsed.nanos, parsed.offsetMinutes);
}
