import { EvaluationError, type ParseResult } from "@marcbachmann/cel-js";
import { type Budget, BudgetExceeded } from "./budget.ts";
import { CelFailure } from "./libraries/overload.ts";
import type { Evaluate, SyntaxNode } from "./syntax.ts";
import { UnreadableValue } from "./values.ts";

/** What an expression came to: a value of CEL, or why it could not be evaluated. */
export type Evaluation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string; readonly stopped: boolean };

const MAX_INT = 2n ** 63n - 1n;

/** A compiled expression. It keeps no state between evaluations and never throws. */
export class Program {
  readonly #parsed: ParseResult;
  readonly #budget: Budget;

  constructor(parsed: ParseResult, nodes: readonly SyntaxNode[], budget: Budget) {
    this.#parsed = parsed;
    this.#budget = budget;
    for (const node of nodes) instrument(node, budget);
  }

  /** Evaluates with the given variables; the budget stops whatever runs for too long. */
  evaluate(variables: ReadonlyMap<string, unknown>): Evaluation {
    this.#budget.reset();
    try {
      const value: unknown = this.#parsed(variables);
      if (!this.#budget.exceeded) return { ok: true, value };
    } catch (error) {
      if (!this.#budget.exceeded) return { ok: false, message: reason(error), stopped: false };
    }
    const message = "operation cancelled: actual cost limit exceeded";
    return { ok: false, message, stopped: true };
  }
}

// Their results are booleans, so that there is nothing to look at.
const LOGICAL: ReadonlySet<string> = new Set("|| && !_ == != < <= > >= in".split(" "));

/** Wraps a checked node so that every evaluation of it is counted and its result is looked at. */
function instrument(node: SyntaxNode, budget: Budget): void {
  const { alternate, macro, evaluate: own } = node.meta;
  // Literals cost nothing, and what stands in for a node is counted itself.
  if (node.op === "value" || alternate !== undefined) return;
  const evaluate: Evaluate =
    macro === undefined
      ? own
      : (evaluator, _node, context) => macro.evaluate(evaluator, macro, context);
  const count = () => {
    budget.left -= 1;
    if (budget.left < 0) throw new BudgetExceeded();
  };
  if (LOGICAL.has(node.op)) {
    node.evaluate = (evaluator, subject, context) => {
      count();
      return evaluate(evaluator, subject, context);
    };
    return;
  }
  const mayOverflow = node.op === "-_" || node.op === "/";
  node.evaluate = (evaluator, subject, context) => {
    count();
    const result = evaluate(evaluator, subject, context);
    if (typeof result === "string") {
      if (result.length > 64) budget.spend(result.length >> 3);
    } else if (typeof result === "object" && result !== null) {
      if (Array.isArray(result)) {
        if (result.length > 64) budget.spend(result.length >> 3);
      } else if (result instanceof UnreadableValue) {
        throw new CelFailure(result.why);
      }
    } else if (mayOverflow && typeof result === "bigint" && result > MAX_INT) {
      // The library checks the range of every other operation itself.
      throw new CelFailure("integer overflow");
    }
    return result;
  };
}

/** The API server's words for a failed evaluation; the library's own for what it has no words for. */
function reason(error: unknown): string {
  if (error instanceof EvaluationError) {
    const [, key = ""] = /^No such key: (.*)$/s.exec(error.summary) ?? [];
    switch (error.code) {
      case "no_such_key":
        return `no such key: ${key}`;
      case "index_out_of_bounds":
        return `index out of bounds: ${/index (-?\d+)/.exec(key)?.[1] ?? key}`;
      case "division_by_zero":
        return "division by zero";
      case "modulo_by_zero":
        return "modulus by zero";
      case "numeric_overflow":
        return "integer overflow";
      case "no_such_overload":
      case "no_matching_overload":
      case "invalid_logical_operand":
      case "invalid_condition_type":
        return "no such overload";
      case "optional_value_missing":
        return "optional.none() dereference";
      default:
        return error.summary;
    }
  }
  return error instanceof Error ? error.message : String(error);
}
