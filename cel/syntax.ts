/** The CEL library's syntax tree, as far as this room looks into it; the contract test watches it. */
export interface SyntaxNode {
  readonly op: string;
  args: unknown;
  readonly start: number;
  readonly end: number;
  readonly meta: {
    readonly alternate?: SyntaxNode;
    readonly macro?: { evaluate: Evaluate; [part: string]: unknown };
    readonly evaluate: Evaluate;
  };
  evaluate: Evaluate;
  setMeta(key: string, value: unknown): SyntaxNode;
}

/** Evaluates a node; `subject` is the node itself, or the macro that stands in for it. */
export type Evaluate = (evaluator: Evaluator, subject: unknown, context: unknown) => unknown;

/** The library's evaluator, which runs a node in a context. */
export interface Evaluator {
  run(node: SyntaxNode, context: unknown): unknown;
}

/** The library's type checker. */
export interface TypeChecker {
  check(node: SyntaxNode, context: unknown): unknown;
  getType(name: string): unknown;
  createError(code: string, message: string, node: SyntaxNode): Error;
}

/** Tells whether a value is a node of the tree. */
export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "meta" in value && "op" in value;
}

/** All nodes of a tree, each once, what macros were expanded to included; parents come first. */
export function allNodes(root: SyntaxNode): readonly SyntaxNode[] {
  const seen = new Set<unknown>();
  const nodes: SyntaxNode[] = [];
  const queue: unknown[] = [root];
  while (queue.length > 0) {
    const value = queue.pop();
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isNode(value)) {
      nodes.push(value);
      queue.push(value.args, value.meta.alternate, value.meta.macro);
    } else if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) {
      queue.push(...Object.values(value));
    }
  }
  return nodes;
}
