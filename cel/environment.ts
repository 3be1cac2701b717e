import {
  TypeError as CelTypeError,
  Environment,
  ParseError,
  type ParseResult,
} from "@marcbachmann/cel-js";
import { Budget } from "./budget.ts";
import { constantConversions, correctEquality, findCallProblem } from "./corrections.ts";
import { conversions } from "./libraries/conversions.ts";
import type { Overload } from "./libraries/overload.ts";
import { quantities } from "./libraries/quantity.ts";
import { regex } from "./libraries/regex.ts";
import { semvers } from "./libraries/semver.ts";
import { strings } from "./libraries/strings.ts";
import { PatternCache } from "./pattern.ts";
import { correctPresenceTests } from "./presence.ts";
import { Program } from "./program.ts";
import { findProblem, type Problem } from "./restrictions.ts";
import { allNodes, type SyntaxNode } from "./syntax.ts";
import { QuantityValue, SemverValue, UnreadableValue } from "./values.ts";

/** A compiled expression, or what is wrong with it and where. */
export type Compiled = { readonly ok: true; readonly program: Program } | CompileFailure;

/** Why an expression can't be used; with `unjudged` the API server may accept it all the same. */
export interface CompileFailure {
  readonly ok: false;
  readonly message: string;
  readonly position?: number;
  readonly unjudged?: true;
}

/** What varies between the environments in which Kubernetes runs CEL. */
export interface EnvironmentOptions {
  /** The longest expression, in UTF-8 bytes. */
  readonly maxLength: number;
  /** Whether `cel.bind` exists. */
  readonly bind: boolean;
  /** Declares the variables, and any types they need, to the library. */
  declare(environment: Environment): void;
  /** Declares the variables as precisely as the API server does, for the type check alone. */
  declareForCheck?(environment: Environment): void;
}

// One evaluation may visit this many nodes: some 30 ms on one core, and far more than any rule needs.
const BUDGET = 1_000_000;
// Texts up to this length cost no more than the step of the call itself.
const SHORT = 64;

/** Compiles CEL expressions over one set of variables, with the libraries of Kubernetes. */
export class CelEnvironment {
  readonly #options: EnvironmentOptions;
  readonly #budget = new Budget(BUDGET);
  readonly #patterns = new PatternCache();
  readonly #evaluating: Environment;
  readonly #checking: Environment | undefined;
  readonly #functions: ReadonlySet<string>;

  constructor(options: EnvironmentOptions) {
    this.#options = options;
    const overloads = [
      ...conversions,
      ...strings,
      ...regex(this.#patterns, this.#budget),
      ...quantities,
      ...semvers,
    ];
    this.#functions = new Set(overloads.map(([signature]) => functionName(signature)));
    this.#evaluating = build(overloads, this.#budget, (environment) =>
      options.declare(environment),
    );
    const { declareForCheck } = options;
    this.#checking =
      declareForCheck &&
      build(overloads, this.#budget, (environment) => declareForCheck(environment));
  }

  /** Compiles an expression that must give a bool; what can't be judged here is an error, never a guess. */
  compile(expression: string): Compiled {
    if (Buffer.byteLength(expression) > this.#options.maxLength) {
      return {
        ok: false,
        message: `the expression is longer than ${this.#options.maxLength} bytes`,
      };
    }
    try {
      const refused = this.#checking && this.#parse(this.#checking, expression);
      if (refused?.ok === false) return refused;
      const parsed = this.#parse(this.#evaluating, expression);
      if (!parsed.ok) return parsed;
      return { ok: true, program: new Program(parsed.parsed, parsed.nodes, this.#budget) };
    } catch (error) {
      return { ok: false, ...problemOf(error) };
    }
  }

  #parse(environment: Environment, expression: string): Parsed {
    const parsed = environment.parse(expression);
    const nodes = allNodes(parsed.ast as unknown as SyntaxNode);
    const problem = findProblem(nodes, {
      functions: this.#functions,
      patterns: this.#patterns,
      bind: this.#options.bind,
    });
    if (problem !== undefined) return { ok: false, ...problem };
    for (const node of nodes) useOwnFunction(node, this.#functions);
    correctPresenceTests(nodes);
    const checked = parsed.check();
    if (checked.error !== undefined) return { ok: false, ...problemOf(checked.error) };
    const failing = findCallProblem(nodes) ?? this.#findFailingConstant(environment, nodes);
    if (failing !== undefined) return { ok: false, ...failing };
    if (checked.type !== "bool" && !/^dyn\b/.test(checked.type ?? "")) {
      return { ok: false, message: `must evaluate to bool, not ${checked.type}`, position: 0 };
    }
    correctEquality(nodes);
    return { ok: true, parsed, nodes };
  }

  #findFailingConstant(
    environment: Environment,
    nodes: readonly SyntaxNode[],
  ): Problem | undefined {
    for (const node of constantConversions(nodes)) {
      const [name, [literal]] = node.args as [string, [SyntaxNode]];
      const call = environment.clone().registerConstant("literal", "dyn", literal.args);
      try {
        call.evaluate(`${name}(literal)`);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { message, position: node.start };
      }
    }
    return undefined;
  }
}

type Parsed =
  | { readonly ok: true; readonly parsed: ParseResult; readonly nodes: readonly SyntaxNode[] }
  | CompileFailure;

function build(
  overloads: readonly Overload[],
  budget: Budget,
  declare: (environment: Environment) => void,
): Environment {
  const environment = new Environment({ enableOptionalTypes: true });
  environment.registerType("Quantity", { ctor: QuantityValue, fields: {} });
  environment.registerType("Semver", { ctor: SemverValue, fields: {} });
  environment.registerType("Unreadable", { ctor: UnreadableValue, fields: {} });
  for (const [signature, call] of overloads) {
    const counted = countText(call, budget);
    environment.registerFunction(ownSignature(signature), counted, { async: false });
  }
  const same = new Map(overloads);
  const compareQuantity = same.get("Quantity.compareTo(Quantity): int");
  const compareSemver = same.get("Semver.compareTo(Semver): int");
  environment.registerOperator("Quantity == Quantity", (a, b) => compareQuantity?.(a, b) === 0n);
  environment.registerOperator("Semver == Semver", (a, b) => compareSemver?.(a, b) === 0n);
  declare(environment);
  return environment;
}

/**
 * Takes the length of a call's texts off the budget, since a function looks at each character; one
 * that seeks a long text in another may look at each many times.
 */
function countText(call: Overload[1], budget: Budget): Overload[1] {
  return (...args: unknown[]) => {
    let steps = 0;
    for (const arg of args) {
      if (typeof arg !== "string" || arg.length <= SHORT) continue;
      steps = steps === 0 ? arg.length : steps + arg.length + (steps * arg.length) / SHORT;
    }
    if (steps > 0) budget.spend(steps);
    return call(...args);
  };
}

function functionName(signature: string): string {
  return /(\w+)\(/.exec(signature)?.[1] ?? signature;
}

// The library lets nobody replace a function of its own, so ours go by names with a `_` in front
// and calls are renamed. No expression can say such a name itself: it is not a known function.
function ownSignature(signature: string): string {
  return signature.replace(/(\w+)\(/, "_$1(");
}

function useOwnFunction(node: SyntaxNode, own: ReadonlySet<string>): void {
  if (node.op !== "call" && node.op !== "rcall") return;
  const args = node.args as [string, ...unknown[]];
  if (own.has(args[0])) args[0] = `_${args[0]}`;
}

function problemOf(error: unknown): Problem | { readonly message: string } {
  if (error instanceof ParseError || error instanceof CelTypeError) {
    const message = error.summary.replace(/\b_(\w+)\(/g, "$1(");
    return error.range === undefined ? { message } : { message, position: error.range.start };
  }
  if (error instanceof RangeError) return { message: "the expression is nested too deeply" };
  return { message: error instanceof Error ? error.message : String(error) };
}
