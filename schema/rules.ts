import { type Judged, judge, type Rule, RuleBudget, type Verdict } from "../cel/rules.ts";
import { isRecord } from "../kube/object.ts";
import { quote } from "../kube/quote.ts";
import { toCel } from "./cel-values.ts";
import { type Correlation, KeyedItems } from "./correlation.ts";
import { fieldText } from "./field-path.ts";
import type { Finding, FindingType } from "./finding.ts";
import { readRuleFieldPath } from "./rule-field-path.ts";
import type { Structural } from "./structural.ts";
import { valueText } from "./wording.ts";

/** The most that all rules about one object may cost (k8s.io/apiserver `RuntimeCELCostBudget`). */
const OBJECT_COST_LIMIT = 10_000_000;

/**
 * Judges a stored object by the rules of its schema, at every node that has some. With `old`, the
 * object that it replaces, rules about `oldSelf` are judged wherever the old value is known. With
 * `update`, the correlation of the two, violations in what has not changed are dropped.
 */
export function judgeRules(
  object: unknown,
  schema: Structural,
  old?: unknown,
  update?: Correlation,
): readonly Finding[] {
  if (!schema.hasRules) return [];
  const judgement = new Judgement(schema);
  const ratchet: Ratchet = { current: update, parent: undefined };
  judgement.visit({ value: object, self: undefined, old, ratchet }, schema);
  return judgement.findings;
}

/** The nearest correlations, by which the API server decides whether a value has changed. */
interface Ratchet {
  readonly current: Correlation | undefined;
  readonly parent: Correlation | undefined;
}

/** A value on the way down. */
interface Visited {
  readonly value: unknown;
  /** The value as CEL sees it, once a node further up had to be converted. */
  readonly self: unknown;
  /** The value that this one replaces, if one is known; null counts as none. */
  readonly old: unknown;
  readonly ratchet: Ratchet;
}

class Judgement {
  readonly findings: Finding[] = [];
  readonly #root: Structural;
  readonly #path: (string | number)[] = [];
  readonly #budget = new RuleBudget(OBJECT_COST_LIMIT);
  #stopped = false;

  constructor(root: Structural) {
    this.#root = root;
  }

  visit(visited: Visited, schema: Structural): void {
    const { value, ratchet } = visited;
    // A null is judged by the rules of what it stands in, never by its own.
    if (value === null || !schema.hasRules || this.#stopped) return;
    const old = visited.old ?? undefined;
    let { self } = visited;
    if (schema.rules.length > 0) {
      self ??= toCel(value, schema);
      this.#judgeAll(schema, { value, self, old, ratchet });
    }
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items?.hasRules !== true) return;
      const replaced = Array.isArray(old) ? new KeyedItems(schema, old) : undefined;
      for (const [index, item] of value.entries()) {
        const below = (self as readonly unknown[] | undefined)?.[index];
        const child = { value: item, self: below, old: replaced?.get(item) };
        this.#descend(index, { ...child, ratchet: childRatchet(ratchet, index) }, items);
      }
    } else if (isRecord(value)) {
      for (const key of Object.keys(value)) {
        const child = schema.properties.get(key) ?? schema.additional;
        if (child?.hasRules !== true) continue;
        // What CEL sees of an object goes by other names, so that values are only passed on for maps.
        const below = schema.additional && (self as Map<string, unknown> | undefined)?.get(key);
        const replaced = isRecord(old) && Object.hasOwn(old, key) ? old[key] : undefined;
        const next = { value: value[key], self: below, old: replaced };
        this.#descend(key, { ...next, ratchet: childRatchet(ratchet, key) }, child);
      }
    }
  }

  #descend(step: string | number, visited: Visited, schema: Structural): void {
    if (this.#stopped) return;
    this.#path.push(step);
    this.visit(visited, schema);
    this.#path.pop();
  }

  #judgeAll(schema: Structural, { value, self, old, ratchet }: Visited): void {
    const type = schema.type ?? "";
    if (this.#budget.isSpent) {
      const why =
        "validation failed due to running out of cost budget, no further validation rules will be run";
      this.#stopped = true;
      this.#report("FieldValueInvalid", `Invalid value: ${quote(type)}: ${why}`);
      return;
    }
    const readsOld = schema.rules.some((rule) => rule.usesOldSelf);
    const oldSelf = readsOld && old !== undefined ? toCel(old, schema) : undefined;
    const judged: Judged = { self, oldSelf, hasOldSelf: readsOld };
    for (const rule of schema.rules) {
      if (rule.usesOldSelf && oldSelf === undefined && rule.optionalOldSelf !== true) continue;
      const verdict = judge(rule, judged, this.#budget);
      if (verdict.state === "holds") continue;
      this.#conclude(rule, verdict, value, schema, ratchet);
      if (this.#stopped) return;
    }
  }

  #conclude(
    rule: Rule,
    verdict: Exclude<Verdict, { state: "holds" }>,
    value: unknown,
    schema: Structural,
    ratchet: Ratchet,
  ): void {
    const type = schema.type ?? "";
    const isTolerated = !rule.usesOldSelf && isUnchanged(ratchet);
    if (verdict.state === "failed") {
      this.#stopped = verdict.stopped;
      if (verdict.isMessage && isTolerated) return;
      const message = `Invalid value: ${quote(type)}: ${verdict.detail}`;
      const at = verdict.isMessage ? rule : undefined;
      this.#report("FieldValueInvalid", message, undefined, at, schema);
      return;
    }
    if (isTolerated) return;
    const shown = type === "object" || type === "array" ? undefined : value;
    const { type: cause, message } = causeOf(rule.reason, shown, verdict.detail);
    this.#report(cause, message, shown, rule, schema);
  }

  #report(
    type: FindingType,
    message: string,
    value?: unknown,
    rule?: Rule,
    schema?: Structural,
  ): void {
    const below = rule?.fieldPath && schema ? readRuleFieldPath(rule.fieldPath, schema) : undefined;
    const here = fieldText(this.#path, "bracketed", this.#root);
    const dot = here === "<nil>" ? "" : `${here}.`;
    const field = below === undefined || below.text === "" ? here : `${dot}${below.text}`;
    const path = [...this.#path, ...(below?.steps ?? [])];
    const finding = { type, field, path, message };
    this.findings.push(value === undefined ? finding : { ...finding, value });
  }
}

/** The cause and the words that a rule's reason asks for. */
function causeOf(
  reason: string | undefined,
  value: unknown,
  detail: string,
): { readonly type: FindingType; readonly message: string } {
  const shown = value === undefined ? "" : `: ${valueText(value)}`;
  switch (reason) {
    case "FieldValueForbidden":
      return { type: reason, message: `Forbidden: ${detail}` };
    case "FieldValueRequired":
      return { type: reason, message: `Required value: ${detail}` };
    case "FieldValueDuplicate":
      // The API server leaves the rule's message out.
      return { type: reason, message: `Duplicate value${shown}` };
    default:
      return { type: "FieldValueInvalid", message: `Invalid value${shown}: ${detail}` };
  }
}

function childRatchet({ current, parent }: Ratchet, step: string | number): Ratchet {
  if (current === undefined) return { current, parent };
  // A new version of the API may have changed these two unseen.
  if (parent === undefined && (step === "apiVersion" || step === "kind")) {
    return { current: undefined, parent: undefined };
  }
  return { current: current.child(step), parent: current };
}

function isUnchanged({ current, parent }: Ratchet): boolean {
  return (current ?? parent)?.isUnchanged === true;
}
