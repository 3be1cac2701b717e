import type { PatternCache } from "./pattern.ts";
import type { SyntaxNode } from "./syntax.ts";

/** What is wrong with an expression, and where: an index into its text. */
export interface Problem {
  readonly message: string;
  readonly position: number;
  /** The API server may well accept the expression, but it uses what is not known here. */
  readonly unjudged?: true;
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
  ..."type dyn of none value hasValue or orValue".split(" "),
]);

// Functions and namespaces of Kubernetes' libraries that are not known here.
const UNKNOWN_HERE: ReadonlySet<string> = new Set([
  ..."format reverse isSorted sum min max flatten distinct sort sortBy range slice".split(" "),
  ..."ip isIP cidr isCIDR family isUnspecified isLoopback isLinkLocalMulticast masked".split(" "),
  ..."isLinkLocalUnicast isGlobalUnicast isCanonical containsIP containsCIDR prefixLength".split(
    " ",
  ),
  ..."url isURL getScheme getHost getHostname getPort getEscapedPath getQuery".split(" "),
  ..."duration timestamp getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear".split(" "),
  ..."getHours getMilliseconds getMinutes getMonth getSeconds uint bytes first last".split(" "),
  ..."intersects equivalent validate named isInteger optMap optFlatMap ofNonZeroValue".split(" "),
  ..."existsOne transformList transformMap transformMapEntry image isImage".split(" "),
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
  const at = (message: string | undefined): Problem | undefined =>
    message === undefined ? undefined : { message, position: node.start };
  const unjudged = (message: string | undefined): Problem | undefined =>
    message === undefined ? undefined : { message, position: node.start, unjudged: true };
  switch (node.op) {
    case "call":
    case "rcall":
      return (
        unjudged(unknownCall(node, language)) ??
        at(callProblem(node, language)) ??
        patternProblem(node, language.patterns)
      );
    case "value":
      return at(literalProblem(node.args, negated)) ?? unjudged(unknownLiteral(node.args));
    case "map":
      return unjudged(mapProblem(node));
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
    : `undeclared reference to '${name}'`;
}

function unknownCall(node: SyntaxNode, language: Language): string | undefined {
  const [name, first, second] = node.args as [string, unknown, unknown];
  const isOurs = TRUSTED.has(name) || language.functions.has(name);
  const namespaced = ["sets", "lists", "strings"].some((one) => isIdentifier(first, one));
  if (node.op === "rcall" && namespaced) return `the function '${name}' is not known here`;
  // A macro over a key and a value.
  const twoVariables =
    node.op === "rcall" &&
    /^(all|exists)$/.test(name) &&
    Array.isArray(second) &&
    second.length === 3;
  if (twoVariables) return `'${name}' over two variables is not known here`;
  return !isOurs && UNKNOWN_HERE.has(name) ? `the function '${name}' is not known here` : undefined;
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
  return undefined;
}

function unknownLiteral(literal: unknown): string | undefined {
  if (typeof literal !== "object" || literal === null) return undefined;
  // Type names come here too, as values of the library's own class.
  return literal.constructor.name === "UnsignedInt" || literal instanceof Uint8Array
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
