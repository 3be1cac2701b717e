import { type CelType, isSameType, parametersOf, typeName } from "../checking/type.ts";
import { matching, REGEX, TEXT } from "./core-calls.ts";
import { Path } from "./path.ts";
import {
  exactly,
  MAX_UINT64,
  multiply,
  product,
  quotient,
  type Range,
  scale,
  sum,
  union,
} from "./range.ts";
import { type CallCost, type Operand, type SizedType, sizeOf } from "./sized.ts";

/** One operation of a comparison or an accessor. */
const UNIT: CallCost = { cost: exactly(1n) };
// The bytes of an IPv4 and of an IPv6 address.
const ADDRESS: Range = { min: 4n, max: 16n };
// The longest regular expression behind a named format, and the longest name of a format.
const FORMAT_PATTERN = 128;
const FORMAT_NAME = 64n;

const ACCESSORS: ReadonlySet<string> = new Set(
  (
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast " +
    "isGlobalUnicast format.named sign asInteger isInteger asApproximateFloat isGreaterThan " +
    "isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort " +
    "getEscapedPath getQuery"
  ).split(" "),
);

/**
 * The cost of calls that Kubernetes costs itself, after k8s.io/apiserver `pkg/cel/library/cost.go`;
 * undefined where it leaves them to CEL.
 */
export function libraryCallCost(
  name: string,
  overload: string,
  target: Operand | undefined,
  args: readonly Operand[],
  root: SizedType,
): CallCost | undefined {
  if (ACCESSORS.has(name)) return UNIT;
  const [first, second] = args;
  const size = (operand: Operand) => sizeOf(operand, root);
  switch (name) {
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
    case "includes":
      return target && { cost: traversal(name, target, root) };
    case "url":
    case "jsonpatch.escapeKey":
      return args.length === 1 && first ? read(size(first), 1, size(first)) : undefined;
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
      return target && read(size(target), 1, size(target));
    case "replace":
      return (
        target &&
        first &&
        second &&
        read(size(target), 2, replaced(size(target), size(first), size(second)))
      );
    case "split":
      return target && read(size(target), 2, { min: 0n, max: pieces(size(target).max, second) });
    case "join":
      return target && join(target, first, root);
    case "find":
    case "findAll":
      return (
        target &&
        first && {
          cost: matching(size(target), size(first)),
          size: { min: 0n, max: size(target).max },
        }
      );
    case "ip":
      if (overload === "cidr_ip") return UNIT;
      return first && read(size(first), 1);
    case "cidr":
    case "isIP":
    case "isCIDR":
    case "quantity":
    case "isQuantity":
    case "semver":
    case "isSemver":
      return first && read(size(first), 1);
    case "ip.isCanonical":
      return first && read(size(first), 2);
    case "containsIP":
    case "containsCIDR":
      return first && { cost: containment(name, overload, size(first)) };
    case "validate":
      return first && { cost: scale(scale(size(first), TEXT), FORMAT_PATTERN * REGEX) };
    case "_==_":
      return first && second && equality(first, second);
    default:
      return undefined;
  }
}

function read(size: Range, times: number, result?: Range): CallCost {
  return { cost: scale(size, times * TEXT), size: result };
}

/** Each item counts once, and its text as well where it has one. */
function traversal(name: string, target: Operand, root: SizedType): Range {
  const item = itemOf(target);
  const size = sizeOf(target, root);
  if (item !== undefined && (item.type.kind === "string" || item.type.kind === "bytes")) {
    return product(size, sum(exactly(1n), scale(sizeOf(item, root), TEXT)));
  }
  return item !== undefined || name === "includes" ? size : scale(size, TEXT);
}

/** An item of a list; like the API server, the first part of any type that has parts. */
function itemOf(list: Operand): Operand | undefined {
  const type: CelType | undefined = parametersOf(list.type)[0];
  if (type === undefined) return undefined;
  const path = list.path === undefined ? undefined : Path.extend(list.path.copy(), "@items");
  return { expression: undefined, type, path, size: undefined };
}

function replaced(text: Range, from: Range, to: Range): Range {
  let most = { count: 0n, kept: 0n };
  if (from.min === 0n) most = { count: oneMore(text.max), kept: text.max };
  else if (to.max <= from.min) most = { count: 0n, kept: text.max };
  else most = { count: quotient(text.max, from.min), kept: 0n };
  let least = { count: 0n, kept: 0n };
  if (from.max === 0n) least = { count: oneMore(text.min), kept: text.min };
  else if (from.max <= to.min) least = { count: 0n, kept: text.min };
  else least = { count: quotient(text.min, from.max), kept: 0n };
  const count = { min: least.count, max: most.count };
  return sum(product(count, to), { min: least.kept, max: most.kept });
}

/** A text without a separator is replaced around every character. */
function oneMore(size: bigint): bigint {
  return size < MAX_UINT64 ? size + 1n : size;
}

function pieces(length: bigint, limit: Operand | undefined): bigint {
  const { expression } = limit ?? {};
  if (expression?.kind !== "constant" || typeof expression.value !== "bigint") return length;
  // The API server takes a limit below zero for a huge one.
  return BigInt.asUintN(64, expression.value);
}

function join(list: Operand, separator: Operand | undefined, root: SizedType): CallCost {
  const count = sizeOf(list, root);
  const item = itemOf(list);
  let size = item === undefined ? exactly(0n) : product(count, sizeOf(item, root));
  if (separator !== undefined) {
    const gaps = {
      min: count.min > 0n ? count.min - 1n : 0n,
      max: count.max > 0n ? count.max - 1n : 0n,
    };
    size = sum(size, product(sizeOf(separator, root), gaps));
  }
  return read(size, 1, size);
}

function containment(name: string, overload: string, other: Range): Range {
  let cost = scale(sum(ADDRESS, ADDRESS), TEXT);
  if (name === "containsCIDR") cost = sum(cost, scale(ADDRESS, TEXT), exactly(1n));
  return overload.endsWith("_string") ? sum(cost, scale(other, TEXT)) : cost;
}

const CHEAP_TO_COMPARE: ReadonlySet<string> = new Set([
  "net.IP",
  "net.CIDR",
  "kubernetes.Quantity",
  "kubernetes.Semver",
]);

function equality(left: Operand, right: Operand): CallCost | undefined {
  if (!isSameType(left.type, right.type)) return undefined;
  const name = typeName(left.type);
  if (CHEAP_TO_COMPARE.has(name)) return UNIT;
  if (name === "kubernetes.NamedFormat") {
    return { cost: scale({ min: 1n, max: FORMAT_NAME }, TEXT) };
  }
  if (name !== "kubernetes.URL") return undefined;
  // The API server looks at the size of the right side twice.
  const size = right.size === undefined ? exactly(1n) : union(right.size, right.size);
  return { cost: scale({ min: 1n, max: multiply(size.max, 1n) }, TEXT) };
}
