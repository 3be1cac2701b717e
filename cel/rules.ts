import { CelEnvironment } from "./environment.ts";
import type { Evaluation, Program } from "./program.ts";

// Far beyond any rule that the API server's own cost limits let pass.
const MAX_RULE_LENGTH = 16_384;

/** One entry of `x-kubernetes-validations`, compiled. */
export interface Rule {
  readonly rule: string;
  /** The rule's message, trimmed as the API server does; empty when it has none. */
  readonly message: string;
  readonly program: Program;
}

/** A compiled rule, or what is wrong with it and where in the rule's text. */
export type CompiledRule =
  | { readonly ok: true; readonly rule: Rule }
  | { readonly ok: false; readonly message: string; readonly position?: number };

/** How an object fares under one rule; `detail` is what the API server writes after the value. */
export type Verdict =
  | { readonly state: "holds" }
  | { readonly state: "violated"; readonly detail: string }
  | { readonly state: "failed"; readonly detail: string; readonly stopped: boolean };

/** Compiles and judges the rules of one schema, over the variable `self`. */
export class RuleCompiler {
  readonly #environment = new CelEnvironment({
    maxLength: MAX_RULE_LENGTH,
    bind: false,
    declare: (environment) => environment.registerVariable("self", "dyn"),
  });

  /** Compiles a rule. */
  compile(rule: string, message: string | undefined): CompiledRule {
    const compiled = this.#environment.compile(rule);
    if (!compiled.ok) return compiled;
    return {
      ok: true,
      rule: { rule, message: message?.trim() ?? "", program: compiled.program },
    };
  }
}

/** Judges a value by a rule; `self` is the value as CEL sees it. */
export function judge(rule: Rule, self: unknown): Verdict {
  const result: Evaluation = rule.program.evaluate(new Map([["self", self]]));
  if (!result.ok) {
    return { state: "failed", detail: failure(rule, result.message), stopped: result.stopped };
  }
  if (result.value === true) return { state: "holds" };
  // The API server counts any result but true as a violation.
  return { state: "violated", detail: rule.message || `failed rule: ${rule.rule.trim()}` };
}

function failure(rule: Rule, why: string): string {
  const name = rule.message || rule.rule.trim();
  if (why.startsWith("no such overload")) {
    return `'${why}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`;
  }
  if (why.startsWith("operation cancelled")) {
    return `'${why}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`;
  }
  return `${why} evaluating rule: ${name}`;
}
