import { TEXT } from "./core-calls.ts";
import { exactly, MAX_UINT64, product, type Range, scale, sum } from "./range.ts";
import { type CallCost, type Operand, type SizedType, sizeOf } from "./sized.ts";

const CALL = exactly(1n);
const LIST = exactly(10n);

/**
 * The cost of the list and set libraries, after cel-go `ext/lists.go` (version 3) and `ext/sets.go`;
 * undefined for any other overload.
 */
export function listCallCost(
  overload: string,
  target: Operand | undefined,
  args: readonly Operand[],
  root: SizedType,
): CallCost | undefined {
  const [first, second] = args;
  const sorted = /^list_(.+)_sort(ByAssociatedKeys)?$/.exec(overload);
  if (sorted !== null) {
    const keys = sorted[2] === undefined ? target : first;
    if (target === undefined || keys === undefined) return undefined;
    const isText = sorted[1] === "string" || sorted[1] === "bytes";
    const size = sizeOf(keys, root);
    return allocating(isText ? 2 + TEXT : 2, product(size, size));
  }
  switch (overload) {
    case "list_slice": {
      if (target === undefined || first === undefined || second === undefined) return undefined;
      const end = literalSize(second, sizeOf(target, root).max);
      return allocating(1, exactly(BigInt.asUintN(64, end - literalSize(first, 0n))));
    }
    case "lists_range":
      return first && allocating(1, exactly(literalSize(first, MAX_UINT64)));
    case "list_reverse":
      return target && allocating(1, sizeOf(target, root));
    case "list_flatten":
      return target && allocating(1, sizeOf(target, root));
    case "list_flatten_int":
      return (
        target && first && allocating(Number(literalSize(first, MAX_UINT64)), sizeOf(target, root))
      );
    case "list_distinct": {
      if (target === undefined) return undefined;
      const size = sizeOf(target, root);
      return allocating(2, product(size, size));
    }
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
    case "list_sets_equivalent_list": {
      if (first === undefined || second === undefined) return undefined;
      const pairs = product(sizeOf(first, root), sizeOf(second, root));
      const twice = overload === "list_sets_equivalent_list";
      return { cost: sum(scale(pairs, twice ? 2 : 1), CALL) };
    }
    default:
      return undefined;
  }
}

function allocating(factor: number, size: Range): CallCost {
  return { cost: sum(scale(size, factor), CALL, LIST), size };
}

/** The value of a literal that counts something, or what stands in for any other expression. */
function literalSize({ expression }: Operand, otherwise: bigint): bigint {
  if (expression?.kind !== "constant" || typeof expression.value !== "bigint") return otherwise;
  return expression.value < 0n ? 0n : expression.value;
}
