import { CelFailure, type Overload } from "./overload.ts";

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);

function toInt(value: bigint): bigint {
  if (value > MAX_INT || value < MIN_INT) throw new CelFailure("integer overflow");
  return value;
}

function parseInt64(text: string): bigint {
  if (!/^[+-]?[0-9]{1,20}$/.test(text)) {
    throw new CelFailure("type conversion error from 'string' to 'int'");
  }
  return toInt(BigInt(text.replace("+", "")));
}

function parseFloat64(text: string): number {
  const special = /^([+-]?)(?:(inf|infinity)|nan)$/i.exec(text);
  if (special !== null) {
    if (special[2] === undefined) return Number.NaN;
    return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) {
    throw new CelFailure("type conversion error from 'string' to 'double'");
  }
  return Number(text);
}

function parseBool(text: string): boolean {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(text)) return false;
  throw new CelFailure("type conversion error from 'string' to 'bool'");
}

/** Conversions of the CEL standard, with the range checks that the base library leaves out. */
// biome-ignore format: a table
export const conversions: readonly Overload[] = [
  ["int(int): int",          (value: bigint) => value],
  ["int(string): int",       parseInt64],
  ["int(double): int",       (value: number) => {
    if (!(value > -(2 ** 63) && value < 2 ** 63)) throw new CelFailure("integer overflow");
    return BigInt(Math.trunc(value));
  }],
  ["double(double): double", (value: number) => value],
  ["double(int): double",    (value: bigint) => Number(value)],
  ["double(string): double", parseFloat64],
  ["bool(bool): bool",       (value: boolean) => value],
  ["bool(string): bool",     parseBool],
  ["string(string): string", (value: string) => value],
  ["string(bool): string",   (value: boolean) => String(value)],
  ["string(int): string",    (value: bigint) => String(value)],
];
