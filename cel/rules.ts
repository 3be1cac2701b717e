import { BOOL, type CelType, optionalOf, STRING } from "./checking/type.ts";
import { CelEnvironment, type CompileFailure } from "./environment.ts";
import type { Evaluation, Program } from "./program.ts";
import { walk } from "./syntax/expression.ts";
import { formatIssues } from "./syntax/place.ts";
import { Optional } from "./values.ts";

/** The most that one evaluation may cost (k8s.io/apiserver `PerCallLimit`). */
const CALL_COST_LIMIT = 1_000_000;
// Far beyond any rule that the API server's own cost limits let pass.
const MAX_RULE_LENGTH = 100_000;
/** The longest message that a `messageExpression` may give, in bytes. */
const MAX_MESSAGE_LENGTH = 5 * 1024;

/** One entry of `x-kubernetes-validations`; texts that are not given are empty. */
export interface RuleText {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly fieldPath: string;
  readonly reason: string | undefined;
  readonly optionalOldSelf: boolean | undefined;
}

/** An expression of a rule, compiled, or what the API server has against it. */
export type CompiledExpression =
  | { readonly ok: true; readonly program: Program }
  | {
      readonly ok: false;
      readonly message: string;
      readonly position?: number;
      /** The API server may accept it all the same. */
      readonly unjudged?: true;
    };

/** The expressions of a rule, compiled; what is empty, or stands behind a broken rule, is undefined. */
export interface CompiledText {
  readonly rule: CompiledExpression | undefined;
  readonly message: CompiledExpression | undefined;
  readonly usesOldSelf: boolean;
}

/** A rule that compiles. */
export interface Rule extends RuleText {
  readonly program: Program;
  /** Undefined where there is none, or where it does not compile. */
  readonly messageProgram: Program | undefined;
  readonly usesOldSelf: boolean;
}

/** How an object fares under one rule; `detail` is what the API server writes after the value. */
export type Verdict =
  | { readonly state: "holds" }
  | { readonly state: "violated"; readonly detail: string }
  /** The rule, or its message, could not be evaluated; with `stopped` no further rule is judged. */
  | {
      readonly state: "failed";
      readonly detail: string;
      readonly stopped: boolean;
      readonly isMessage: boolean;
    };

/** What rules are asked about: the value, and the value that it replaces where one is known. */
export interface Judged {
  readonly self: unknown;
  /** Undefined where there is none. */
  readonly oldSelf: unknown;
  /** Whether `oldSelf` exists for rules that do not take it as an optional. */
  readonly hasOldSelf: boolean;
}

/** Compiles the rules of schemas over the variables `self` and `oldSelf`. */
export class RuleCompiler {
  readonly #environment = new CelEnvironment({
    maxLength: MAX_RULE_LENGTH,
    bind: false,
    includes: false,
    costLimit: CALL_COST_LIMIT,
  });

  /** Compiles the expressions of a rule about values of a type. */
  compileText(text: RuleText, self: CelType): CompiledText {
    const oldSelf = text.optionalOldSelf === true ? optionalOf(self) : self;
    const variables = new Map([
      ["self", self],
      ["oldSelf", oldSelf],
    ]);
    const compile = (expression: string, result: CelType, texts: Wording): CompiledExpression => {
      const compiled = this.#environment.compile(expression, { variables, result });
      if (!compiled.ok) return refusal(expression, compiled, texts);
      // What may be anything is no bool to the API server.
      if (compiled.program.type.kind !== result.kind) return { ok: false, message: texts.result };
      return compiled;
    };
    if (text.rule.trim() === "") return { rule: undefined, message: undefined, usesOldSelf: false };
    const rule = compile(text.rule, BOOL, RULE_WORDING);
    const usesOldSelf = rule.ok && namesOldSelf(rule.program);
    const message =
      rule.ok && text.messageExpression !== ""
        ? compile(text.messageExpression, STRING, MESSAGE_WORDING)
        : undefined;
    return { rule, message, usesOldSelf };
  }
}

/** The rule that a text compiled to, or undefined when it does not compile. */
export function ruleOf(text: RuleText, compiled: CompiledText): Rule | undefined {
  if (compiled.rule?.ok !== true) return undefined;
  return {
    ...text,
    program: compiled.rule.program,
    messageProgram: compiled.message?.ok === true ? compiled.message.program : undefined,
    usesOldSelf: compiled.usesOldSelf,
  };
}

/** What all rules about one object may cost together. */
export class RuleBudget {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  /** Whether nothing is left, so that no further rule is judged. */
  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** Takes a cost, or tells that there is not enough left. */
  take(cost: number): boolean {
    if (cost > this.#left) return false;
    this.#left -= cost;
    return true;
  }
}

/** Judges a value by a rule, and takes what that costs off the budget. */
export function judge(rule: Rule, judged: Judged, budget: RuleBudget): Verdict {
  const result = rule.program.evaluate(variablesOf(rule, judged));
  if (!budget.take(result.cost)) {
    return failed(
      "validation failed due to running out of cost budget, no further validation rules will be run",
      true,
    );
  }
  if (!result.ok) {
    const { message, stopped, unjudged } = result;
    return failed(unjudged ? unfinished(rule, message) : failure(rule, message, stopped), stopped);
  }
  // The API server counts any result but true as a violation.
  if (result.value === true) return { state: "holds" };
  const written = writtenMessage(rule, judged, budget);
  if (typeof written === "object") return written;
  return { state: "violated", detail: written ?? ownMessage(rule) };
}

/** The rule's message, or else the rule itself. */
function ownMessage(rule: Rule): string {
  if (rule.message !== "") return rule.message.trim();
  return `failed rule: ${rule.rule.trim()}`;
}

function variablesOf(rule: Rule, { self, oldSelf, hasOldSelf }: Judged) {
  if (rule.optionalOldSelf === true) {
    return new Map([
      ["self", self],
      ["oldSelf", new Optional(oldSelf)],
    ]);
  }
  return plainVariables({ self, oldSelf, hasOldSelf });
}

function plainVariables({ self, oldSelf, hasOldSelf }: Judged): Map<string, unknown> {
  const variables = new Map([["self", self]]);
  if (hasOldSelf && oldSelf !== undefined) variables.set("oldSelf", oldSelf);
  return variables;
}

/**
 * What a rule's `messageExpression` gives; undefined where it fails or gives nothing fit, so that
 * the message stands in; a verdict where a limit was met.
 */
function writtenMessage(rule: Rule, judged: Judged, budget: RuleBudget) {
  if (rule.messageProgram === undefined) return undefined;
  // Even where the rule takes oldSelf as an optional the API server hands the message the value.
  const result: Evaluation = rule.messageProgram.evaluate(plainVariables(judged));
  if (!budget.take(result.cost)) {
    const why =
      "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
    return failed(why, true, true);
  }
  if (!result.ok) {
    if (!result.stopped) return undefined;
    const name = JSON.stringify(rule.messageExpression);
    const why = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${name}`;
    return failed(why, true, true);
  }
  const text = typeof result.value === "string" ? result.value.trim() : "";
  const isFit =
    text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= MAX_MESSAGE_LENGTH;
  return isFit ? text : undefined;
}

function failed(detail: string, stopped: boolean, isMessage = false): Verdict {
  return { state: "failed", detail, stopped, isMessage };
}

function failure(rule: Rule, why: string, stopped: boolean): string {
  const name = (rule.message || rule.rule).trim();
  if (why.startsWith("no such overload")) {
    return `'${why}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`;
  }
  if (stopped) {
    return `'${why}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`;
  }
  return `${why} evaluating rule: ${name}`;
}

/** Our own bound was met, so that nobody can say here what the API server would. */
function unfinished(rule: Rule, why: string): string {
  const name = (rule.message || rule.rule).trim();
  return `${why}; the API server may come to an end, and judge the rules that are left out here: ${name}`;
}

function namesOldSelf(program: Program): boolean {
  let found = false;
  walk(program.checked.expression, (node) => {
    found ||= node.kind === "identifier" && node.name === "oldSelf";
  });
  return found;
}

/** How the API server words what is wrong with an expression. */
interface Wording {
  readonly compilation: string;
  readonly instantiation: string;
  readonly result: string;
}

const RULE_WORDING: Wording = {
  compilation: "compilation failed",
  instantiation: "program instantiation failed",
  result: "cel expression must evaluate to a bool",
};
const MESSAGE_WORDING: Wording = {
  compilation: "messageExpression compilation failed",
  instantiation: "messageExpression instantiation failed",
  result: "messageExpression must evaluate to a string",
};

function refusal(text: string, failure: CompileFailure, words: Wording): CompiledExpression {
  const { position, unjudged, stage, issues } = failure;
  const place = {
    ...(position === undefined ? {} : { position }),
    ...(unjudged === undefined ? {} : { unjudged }),
  };
  if (failure.message.startsWith("must evaluate to ")) {
    return { ok: false, message: words.result, ...place };
  }
  if (stage === "prepare") {
    return { ok: false, message: `${words.instantiation}: ${failure.message}`, ...place };
  }
  const why = issues.length === 0 ? failure.message : formatIssues(text, issues);
  return { ok: false, message: `${words.compilation}: ${why}`, ...place };
}
