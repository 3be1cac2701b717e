import { textLength } from "../libraries/text.ts";
import {
  CidrValue,
  FormatValue,
  IpValue,
  Optional,
  QuantityValue,
  SemverValue,
  UrlValue,
} from "../values.ts";

// The API server's library counts what an evaluation takes in units of its own, of which each call
// has a limit. These are its rules for calls; idents, selects and literals are counted where they are
// evaluated.

const TEXT_FACTOR = 0.1;
const PATTERN_FACTOR = 0.25;
const LIST_COST = 10;

/** How large cel-go takes a value to be: the length of what has one, else 1. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return textLength(value);
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof Map) return value.size;
  if (value instanceof Optional && value.value !== undefined) return sizeOf(value.value);
  if (value instanceof IpValue) return value.family === 4 ? 4 : 16;
  if (value instanceof CidrValue) return Math.ceil(value.prefixLength / 8);
  return 1;
}

type Args = readonly unknown[];
type CallCost = (args: Args, result: unknown) => number;

const text = (size: number) => Math.ceil(size * TEXT_FACTOR);
const traversal: CallCost = ([subject]) => text(sizeOf(subject));
const twice: CallCost = ([subject]) => Math.ceil(sizeOf(subject) * 2 * TEXT_FACTOR);
const pattern: CallCost = ([subject, source]) =>
  Math.ceil((1 + sizeOf(subject)) * TEXT_FACTOR) * Math.ceil(sizeOf(source) * PATTERN_FACTOR);
const smaller: CallCost = ([left, right]) => text(Math.min(sizeOf(left), sizeOf(right)));
const both: CallCost = ([left, right]) => text(sizeOf(left) + sizeOf(right));
const network =
  (parsed: boolean): CallCost =>
  ([cidr, other]) =>
    text(2 * sizeOf(cidr)) + (parsed ? text(sizeOf(other)) : 0);
const subnet =
  (parsed: boolean): CallCost =>
  (args, result) =>
    network(parsed)(args, result) + text(sizeOf(args[0])) + 1;
const allocation = (factor: number, size: number) => Math.floor(size * factor) + 1 + LIST_COST;
const selfCompare = (list: unknown): number => {
  const [first] = list as Args;
  const factor = typeof first === "string" || first instanceof Uint8Array ? 2 + TEXT_FACTOR : 2;
  return allocation(factor, sizeOf(list) ** 2);
};
const sets =
  (times: number): CallCost =>
  ([left, right]) =>
    Math.floor(sizeOf(left) * sizeOf(right) * times) + 1;

/** What looking at all of a value costs: a tenth for each byte of texts and bytes, 1 for other scalars. */
function traversalOf(value: unknown): number {
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * TEXT_FACTOR);
  if (value instanceof Uint8Array) return Math.floor(value.length * TEXT_FACTOR);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + traversalOf(item), 0);
  if (!(value instanceof Map)) return 1;
  let sum = 0;
  for (const [key, held] of value) sum += traversalOf(key) + traversalOf(held);
  return sum;
}

const elements: CallCost = ([list]) => traversalOf(list);

/** What comparing two values for equality costs. */
export function equalityCost(left: unknown, right: unknown): number {
  if (typeof left !== "string" && (typeof left !== "object" || left === null)) return 1;
  const isOpaque = OPAQUE.some((one) => left instanceof one);
  return isOpaque ? 1 : smaller([left, right], undefined);
}

// biome-ignore lint/suspicious/noExplicitAny: constructors of any signature.
const OPAQUE: readonly (abstract new (...args: any[]) => unknown)[] = [
  QuantityValue,
  IpValue,
  CidrValue,
  FormatValue,
  UrlValue,
  SemverValue,
];

// By the function's name, as Kubernetes' own rules go, or by the overload's id, as cel-go's do.
const BY_NAME: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"].map(
    (name): [string, CallCost] => [name, elements],
  ),
  ...["url", "lowerAscii", "upperAscii", "substring", "trim"].map((name): [string, CallCost] => [
    name,
    traversal,
  ]),
  ...["cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"].map(
    (name): [string, CallCost] => [name, traversal],
  ),
  ["replace", twice],
  ["split", twice],
  ["ip.isCanonical", twice],
  ["join", (_args, result) => Math.ceil(sizeOf(result) * 2 * TEXT_FACTOR)],
  ["find", pattern],
  ["findAll", pattern],
  ["matches", pattern],
  [
    "validate",
    ([format, subject]) =>
      Math.ceil((1 + sizeOf(subject)) * TEXT_FACTOR) *
      Math.ceil((format as FormatValue).patternLength * PATTERN_FACTOR),
  ],
]);
const BY_OVERLOAD: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ["string_to_ip", traversal],
  ["cidr_contains_ip_string", network(true)],
  ["cidr_contains_ip_ip", network(false)],
  ["cidr_contains_cidr_string", subnet(true)],
  ["cidr_contains_cidr", subnet(false)],
  ["starts_with_string", ([, part]) => text(sizeOf(part))],
  ["ends_with_string", ([, part]) => text(sizeOf(part))],
  ["contains_string", ([subject, part]) => text(sizeOf(subject)) * text(sizeOf(part))],
  ["string_to_bytes", traversal],
  ["bytes_to_string", traversal],
  ["string_format", traversal],
  ["strings_quote", traversal],
  ["in_list", ([, list]) => sizeOf(list)],
  ["add_string", both],
  ["add_bytes", both],
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((name): [string, CallCost][] => [
    [`${name}_string`, smaller],
    [`${name}_bytes`, smaller],
  ]),
  ["list_slice", (_args, result) => allocation(1, sizeOf(result))],
  ["lists_range", (_args, result) => allocation(1, sizeOf(result))],
  ["list_reverse", (_args, result) => allocation(1, sizeOf(result))],
  ["list_flatten", ([list]) => allocation(1, sizeOf(list))],
  ["list_flatten_int", ([list, depth]) => allocation(Number(depth), sizeOf(list))],
  ["list_distinct", ([list]) => selfCompare(list)],
  ["list_sets_contains_list", sets(1)],
  ["list_sets_intersects_list", sets(1)],
  ["list_sets_equivalent_list", sets(2)],
]);

/** The rule for a function's overload, or undefined where it costs 1. */
export function callCostOf(name: string, overload: string): CallCost | undefined {
  if (overload.endsWith("_sortByAssociatedKeys")) return ([, keys]) => selfCompare(keys);
  if (/^list_.+_sort$/.test(overload)) return ([list]) => selfCompare(list);
  return BY_OVERLOAD.get(overload) ?? BY_NAME.get(name);
}
