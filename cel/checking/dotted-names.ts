import { type Expression, mapChildren } from "../syntax/expression.ts";

/** The dotted name that a chain of selects spells, or undefined when it is none. */
export function dottedName(node: Expression): string | undefined {
  if (node.kind === "identifier") return node.name;
  if (node.kind !== "select" || node.testOnly) return undefined;
  const before = dottedName(node.operand);
  return before === undefined ? undefined : `${before}.${node.field}`;
}

/** The same tree with what was resolved by its dotted name as one identifier, or as a call without target. */
export function resolveNames(node: Expression, resolved: ReadonlyMap<number, string>): Expression {
  const again = mapChildren(node, (child) => resolveNames(child, resolved));
  const name = resolved.get(node.id);
  if (name === undefined) return again;
  if (again.kind === "call") return { ...again, name, target: undefined };
  return { kind: "identifier", id: node.id, start: node.start, name };
}
