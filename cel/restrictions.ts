import type { PatternCache } from "./pattern.ts";
import type { SyntaxNode } from "./syntax.ts";

/** What is wrong with an expression, and where: an index into its text. */
export interface Problem {
  readonly message: string;
  readonly position: number;
}

/** What an expression may use beside the functions that mean the same everywhere. */
export interface Language {
  /** The names of our own functions. */
  readonly functions: ReadonlySet<string>;
  readonly patterns: PatternCache;
  /** Whether `cel.bind` exists. */
  readonly bind: boolean;
}

const MAX_INT = 2n ** 63n - 1n;

// Functions of the CEL library that do what Kubernetes' do. What our own tables hold is allowed
// beside them; all else is refused rather than guessed, since the library has functions that
// Kubernetes has not, and some that give other answers.
const TRUSTED: ReadonlySet<string> = new Set([
  ..."has all exists exists_one filter map size startsWith endsWith contains join".split(" "),
  ..."type dyn bool of none value hasValue or orValue".split(" "),
]);

/**
 * Finds the first thing in an expression that can't be judged here as the API server would, or that
 * it would refuse and the library lets pass.
 */
export function findProblem(nodes: readonly SyntaxNode[], language: Language): Problem | undefined {
  const negated = new Set<unknown>();
  for (const node of nodes) if (node.op === "-_") negated.add(node.args);
  for (const node of nodes) {
    const problem = problemOf(node, language, negated.has(node));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(node: SyntaxNode, language: Language, negated: boolean): Problem | undefined {
  const at = (message: string | undefined) =>
    message === undefined ? undefined : { message, position: node.start };
  switch (node.op) {
    case "call":
    case "rcall":
      return at(callProblem(node, language)) ?? patternProblem(node, language.patterns);
    case "value":
      return at(literalProblem(node.args, negated));
    case "map":
      return at(mapProblem(node));
    default:
      return undefined;
  }
}

function callProblem(node: SyntaxNode, language: Language): string | undefined {
  const [name, first] = node.args as [string, unknown];
  if (name === "bind" && node.op === "rcall" && isIdentifier(first, "cel")) {
    return language.bind ? undefined : "undeclared reference to 'cel.bind'";
  }
  return TRUSTED.has(name) || language.functions.has(name)
    ? undefined
    : `the function ${JSON.stringify(name)} is not known here`;
}

/** A pattern that stands in the expression itself is compiled with it. */
function patternProblem(node: SyntaxNode, patterns: PatternCache): Problem | undefined {
  const [name, first, second] = node.args as [string, unknown, unknown];
  if (!/^(matches|find|findAll)$/.test(name)) return undefined;
  const argument = node.op === "rcall" ? (second as unknown[])[0] : (first as unknown[])[1];
  const source = literalText(argument);
  if (source === undefined) return undefined;
  const compiled = patterns.compile(source);
  if (compiled.ok) return undefined;
  return { message: compiled.error, position: (argument as SyntaxNode).start };
}

function isIdentifier(value: unknown, name: string): boolean {
  const node = value as SyntaxNode | undefined;
  return node?.op === "id" && node.args === name;
}

function literalText(value: unknown): string | undefined {
  const node = value as SyntaxNode | undefined;
  return node?.op === "value" && typeof node.args === "string" ? node.args : undefined;
}

function literalProblem(literal: unknown, negated: boolean): string | undefined {
  if (typeof literal === "bigint" && literal > MAX_INT + (negated ? 1n : 0n)) {
    return "invalid int literal";
  }
  if (typeof literal !== "object" || literal === null) return undefined;
  // Type names come here too, as values of the library's own class.
  const kind = literal.constructor.name;
  return kind === "UnsignedInt" || literal instanceof Uint8Array
    ? "unsigned and bytes literals are not known here"
    : undefined;
}

// The library builds maps as plain objects: keys become text, and some names are dropped.
function mapProblem(node: SyntaxNode): string | undefined {
  for (const [key] of node.args as [SyntaxNode, SyntaxNode][]) {
    const text = literalText(key);
    if (text === undefined) return "map keys must be string literals here";
    if (/^(__proto__|constructor|prototype)$/.test(text)) {
      return `the map key ${JSON.stringify(text)} is not possible here`;
    }
  }
  return undefined;
}
