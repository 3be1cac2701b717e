/**
 * The syntax tree of a CEL expression, with macros already expanded. It has the shape in which the
 * API server's library keeps one, since its cost model counts these very nodes.
 */
export type Expression =
  | Constant
  | Identifier
  | Select
  | Call
  | ListLiteral
  | MapLiteral
  | StructLiteral
  | Comprehension;

interface Node {
  /** Unique in its tree. */
  readonly id: number;
  /** Where the API server would point: an index into the text, of the operator or bracket for calls. */
  readonly start: number;
}

/** A literal; its value is a CEL value, so `1` is a bigint and `1.0` a number. */
export interface Constant extends Node {
  readonly kind: "constant";
  readonly value: unknown;
}

/** A variable, a type's name, or the name of something that a macro made up. */
export interface Identifier extends Node {
  readonly kind: "identifier";
  readonly name: string;
}

/** `operand.field`, or `has(operand.field)` with `testOnly`. */
export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expression;
  readonly field: string;
  readonly testOnly: boolean;
}

/** A function call; operators are calls too (`_+_`, `_?_:_`, `_[_]`, `@in`). */
export interface Call extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

/** `[a, ?b]`; `optional` holds the indexes of the elements behind a question mark. */
export interface ListLiteral extends Node {
  readonly kind: "list";
  readonly elements: readonly Expression[];
  readonly optional: ReadonlySet<number>;
}

/** `{k: v, ?k: v}`. */
export interface MapLiteral extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

/** One entry of a map literal; with `optional` its value must be an optional and none leaves it out. */
export interface MapEntry {
  readonly id: number;
  readonly start: number;
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

/** `Name{field: value}`; no environment of ours declares a type that can be made so. */
export interface StructLiteral extends Node {
  readonly kind: "struct";
  readonly name: string;
}

/** A fold over a list or a map, to which the macros expand. */
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly range: Expression;
  readonly variable: string;
  /** The second variable of a two-variable macro: the value beside its index or key. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** The children of a node, in the order in which they are written or evaluated. */
export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case "select":
      return [node.operand];
    case "call":
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case "list":
      return node.elements;
    case "map":
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case "comprehension":
      return [node.range, node.initial, node.condition, node.step, node.result];
    default:
      return [];
  }
}

/** The same node with each of its children replaced, in the order of `childrenOf`. */
export function mapChildren(
  node: Expression,
  replace: (child: Expression) => Expression,
): Expression {
  switch (node.kind) {
    case "select":
      return { ...node, operand: replace(node.operand) };
    case "call": {
      const target = node.target && replace(node.target);
      return { ...node, target, args: node.args.map(replace) };
    }
    case "list":
      return { ...node, elements: node.elements.map(replace) };
    case "map": {
      const again = (one: MapEntry) => ({
        ...one,
        key: replace(one.key),
        value: replace(one.value),
      });
      return { ...node, entries: node.entries.map(again) };
    }
    case "comprehension":
      return {
        ...node,
        range: replace(node.range),
        initial: replace(node.initial),
        condition: replace(node.condition),
        step: replace(node.step),
        result: replace(node.result),
      };
    default:
      return node;
  }
}

/** Visits a node and all below it, parents first; `visit` also gets the names of the calls around it. */
export function walk(
  root: Expression,
  visit: (node: Expression, inside: readonly string[]) => void,
): void {
  const stack: [Expression, readonly string[]][] = [[root, []]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [node, inside] = next;
    visit(node, inside);
    const below = node.kind === "call" ? [...inside, node.name] : inside;
    for (const child of childrenOf(node).toReversed()) stack.push([child, below]);
  }
}
