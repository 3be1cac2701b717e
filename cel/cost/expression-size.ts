import { type CelType, optionalValue } from "../checking/type.ts";
import type { Comprehension, Expression } from "../syntax/expression.ts";
import { exactly, type Range } from "./range.ts";

const SCALARS: ReadonlySet<string> = new Set("bool double duration int timestamp uint".split(" "));

/** `cel.bind` and what expands like it: a loop over nothing that gives a name to a value. */
export function isBinding({ range, condition, accumulator }: Comprehension): boolean {
  return (
    range.kind === "list" &&
    range.elements.length === 0 &&
    condition.kind === "constant" &&
    condition.value === false &&
    accumulator !== "__result__"
  );
}

/** The size that an expression shows by itself: of a literal, or of a list or map that is spelled out. */
export function ownSize(node: Expression): Range | undefined {
  switch (node.kind) {
    case "constant": {
      const { value } = node;
      if (typeof value === "string") return exactly(BigInt([...value].length));
      return value instanceof Uint8Array ? exactly(BigInt(value.length)) : exactly(1n);
    }
    case "list":
      return exactly(BigInt(node.elements.length));
    case "map":
      return exactly(BigInt(node.entries.length));
    default:
      return undefined;
  }
}

/** Whether values of a type are all of one size. */
export function isScalar(type: CelType): boolean {
  const inner = optionalValue(type);
  return inner === undefined ? SCALARS.has(type.kind) : isScalar(inner);
}
