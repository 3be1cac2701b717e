import type { Expression } from "../syntax/expression.ts";

/** The dotted name that a chain of selects spells, or undefined when it is none. */
export function dottedName(node: Expression): string | undefined {
  if (node.kind === "identifier") return node.name;
  if (node.kind !== "select" || node.testOnly) return undefined;
  const before = dottedName(node.operand);
  return before === undefined ? undefined : `${before}.${node.field}`;
}

/** The same tree with what was resolved by its dotted name as one identifier, or as a call without target. */
export function resolveNames(node: Expression, resolved: ReadonlyMap<number, string>): Expression {
  const again = (child: Expression) => resolveNames(child, resolved);
  const name = resolved.get(node.id);
  switch (node.kind) {
    case "identifier":
      return name === undefined ? node : { ...node, name };
    case "select":
      if (name !== undefined) return { kind: "identifier", id: node.id, start: node.start, name };
      return { ...node, operand: again(node.operand) };
    case "call": {
      const args = node.args.map(again);
      if (name !== undefined) return { ...node, name, target: undefined, args };
      return { ...node, target: node.target && again(node.target), args };
    }
    case "list":
      return { ...node, elements: node.elements.map(again) };
    case "map":
      return {
        ...node,
        entries: node.entries.map((one) => ({
          ...one,
          key: again(one.key),
          value: again(one.value),
        })),
      };
    case "comprehension":
      return {
        ...node,
        range: again(node.range),
        initial: again(node.initial),
        condition: again(node.condition),
        step: again(node.step),
        result: again(node.result),
      };
    default:
      return node;
  }
}
