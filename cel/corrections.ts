import { CelFailure } from "./libraries/overload.ts";
import type { Problem } from "./restrictions.ts";
import { isNode, type SyntaxNode } from "./syntax.ts";
import { QuantityValue, SemverValue } from "./values.ts";

/** The type of an expression, as the library's checker leaves it on a node. */
interface CheckedType {
  readonly kind: string;
  readonly type: string;
  readonly name: string;
  matches(other: CheckedType): boolean;
}

interface CheckedCall extends SyntaxNode {
  readonly candidates?: Iterable<{ readonly argTypes: readonly CheckedType[] }>;
  readonly argTypes?: readonly CheckedType[];
}

type Handle = (left: unknown, right: unknown, ...rest: unknown[]) => unknown;

/**
 * Finds a method call on a receiver of unknown type whose arguments fit no overload: the API server
 * refuses it, the library only fails when it is evaluated.
 */
export function findCallProblem(nodes: readonly SyntaxNode[]): Problem | undefined {
  for (const node of nodes as readonly CheckedCall[]) {
    const { candidates, argTypes } = node;
    if (node.op !== "rcall" || candidates === undefined || argTypes === undefined) continue;
    const fits = [...candidates].some((one) =>
      one.argTypes.every((type, index) => argTypes[index]?.matches(type)),
    );
    if (fits) continue;
    const name = String((node.args as [string])[0]).replace(/^_/, "");
    const given = argTypes.map((type) => type.name).join(", ");
    const message = `found no matching overload for '${name}' applied to 'dyn.(${given})'`;
    return { message, position: node.start };
  }
  return undefined;
}

/**
 * Makes `==`, `!=` and `in` fail where a quantity or version on the left meets a value of another
 * type, as they do in Kubernetes; the library calls the two unequal.
 */
export function correctEquality(nodes: readonly SyntaxNode[]): void {
  for (const node of nodes as readonly (SyntaxNode & { handle?: Handle })[]) {
    const { handle } = node;
    if (handle === undefined) continue;
    if (node.op === "==" || node.op === "!=") {
      node.handle = (left, right, ...rest) => {
        if (typeof left === "object" && isOpaque(left) && !isSameKind(left, right))
          throw new CelFailure("no such overload");
        return handle(left, right, ...rest);
      };
    } else if (node.op === "in") {
      node.handle = (left, right, ...rest) => {
        const found = handle(left, right, ...rest);
        const odd =
          isOpaque(left) && Array.isArray(right) && !right.every((one) => isSameKind(left, one));
        if (found === false && odd) throw new CelFailure("no such overload");
        return found;
      };
    }
  }
}

function isOpaque(value: unknown): value is QuantityValue | SemverValue {
  return value instanceof QuantityValue || value instanceof SemverValue;
}

function isSameKind(left: QuantityValue | SemverValue, right: unknown): boolean {
  return left instanceof QuantityValue
    ? right instanceof QuantityValue
    : right instanceof SemverValue;
}

/** Conversions of a literal, which the API server already makes when it compiles. */
export function constantConversions(nodes: readonly SyntaxNode[]): readonly SyntaxNode[] {
  return nodes.filter((node) => {
    if (node.op !== "call") return false;
    const [name, args] = node.args as [string, readonly unknown[]];
    const [argument] = args;
    return /^_?(int|double|bool|string)$/.test(name) && isNode(argument) && argument.op === "value";
  });
}
