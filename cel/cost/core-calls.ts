import { exactly, lesser, product, type Range, scale, sum, UNKNOWN } from "./range.ts";
import type { CallCost, Operand } from "./sized.ts";

/** What one character of a string costs to look at. */
export const TEXT = 0.1;
/** What one character of a regular expression costs for every character that it is matched with. */
export const REGEX = 0.25;

const COMPARISONS: ReadonlySet<string> = new Set(
  (
    "equals not_equals less_string greater_string less_equals_string greater_equals_string " +
    "less_bytes greater_bytes less_equals_bytes greater_equals_bytes"
  ).split(" "),
);

/**
 * The cost of CEL's own functions, after cel-go `checker/cost.go`; undefined for what costs one unit,
 * and for `&&`, `||`, `?:` and `+` on texts and lists, which `estimateCost` treats itself.
 */
export function coreCallCost(
  overload: string,
  target: Operand | undefined,
  args: readonly Operand[],
): CallCost | undefined {
  const [first, second] = args;
  if (COMPARISONS.has(overload) && first !== undefined && second !== undefined) {
    return { cost: scale(comparison(known(first), known(second)), TEXT) };
  }
  switch (overload) {
    case "string_format":
      return target && { cost: scale(known(target), TEXT) };
    case "string_to_bytes":
      return first && resized(known(first), ({ min, max }) => ({ min, max: wrap(max * 4n) }));
    case "bytes_to_string":
      return first && resized(known(first), ({ min, max }) => ({ min: min / 4n, max }));
    case "strings_quote":
      return (
        first &&
        resized(known(first), ({ min, max }) => ({ min: wrap(min + 2n), max: wrap(max * 2n + 2n) }))
      );
    case "starts_with_string":
    case "ends_with_string":
      return first && { cost: scale(known(first), TEXT) };
    case "in_list":
      return second && { cost: scale(known(second), 1) };
    case "matches":
      return first && second && { cost: matching(known(first), known(second)) };
    case "matches_string":
      return target && first && { cost: matching(known(target), known(first)) };
    case "contains_string":
      return (
        target && first && { cost: product(scale(known(target), TEXT), scale(known(first), TEXT)) }
      );
    default:
      return undefined;
  }
}

/** The cost of matching a text with a pattern; an empty text still costs something. */
export function matching(text: Range, pattern: Range): Range {
  return product(scale(sum(text, exactly(1n)), TEXT), scale(pattern, REGEX));
}

function known(operand: Operand): Range {
  return operand.size ?? UNKNOWN;
}

function resized(size: Range, result: (size: Range) => Range): CallCost {
  return { cost: scale(size, TEXT), size: result(size) };
}

/** Only as much is compared as the smaller side has. */
function comparison(left: Range, right: Range): Range {
  const max = lesser(left.max, right.max);
  return { min: max > 0n ? 1n : 0n, max };
}

// These three may overflow where the API server counts them, too.
function wrap(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
