import { CelFailure, type Overload } from "./overload.ts";

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);

function toInt(value: bigint): bigint {
  if (value > MAX_INT || value < MIN_INT) throw new CelFailure("integer overflow");
  return value;
}

function parseInt64(text: string): bigint {
  if (!/^[+-]?[0-9]{1,20}$/.test(text)) {
    throw new CelFailure(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return toInt(BigInt(text.replace("+", "")));
}

function parseFloat64(text: string): number {
  if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) {
    throw new CelFailure(`strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
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
  ["string(string): string", (value: string) => value],
  ["string(bool): string",   (value: boolean) => String(value)],
  ["string(int): string",    (value: bigint) => String(value)],
];
