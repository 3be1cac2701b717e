import { judge, type Rule } from "../cel/rules.ts";
import { isRecord } from "../kube/object.ts";
import { toCel } from "./cel-values.ts";
import { fieldText } from "./field-path.ts";
import type { Finding } from "./finding.ts";
import type { Structural } from "./structural.ts";
import { quote, valueText } from "./wording.ts";

/** Judges a stored object by the rules of its schema, at every node that has some. */
export function judgeRules(object: unknown, schema: Structural): readonly Finding[] {
  const judgement = new Judgement(schema);
  judgement.visit(object, undefined, schema);
  return judgement.findings;
}

class Judgement {
  readonly findings: Finding[] = [];
  readonly #root: Structural;
  readonly #path: (string | number)[] = [];
  #stopped = false;

  constructor(root: Structural) {
    this.#root = root;
  }

  /** `seen` is the value as CEL sees it, once a node further up had to be converted. */
  visit(value: unknown, seen: unknown, schema: Structural): void {
    // A null is judged by the rules of what it stands in, never by its own.
    if (value === null || !schema.hasRules || this.#stopped) return;
    let self = seen;
    if (schema.rules.length > 0) {
      self ??= toCel(value, schema);
      for (const rule of schema.rules) this.#judge(rule, self, value, schema);
    }
    if (Array.isArray(value)) {
      if (schema.items?.hasRules !== true) return;
      for (const [index, item] of value.entries()) {
        this.#descend(index, item, (self as unknown[] | undefined)?.[index], schema.items);
      }
    } else if (isRecord(value)) {
      for (const key of Object.keys(value)) {
        const child = schema.properties.get(key) ?? schema.additional;
        if (child?.hasRules !== true) continue;
        this.#descend(key, value[key], (self as Map<string, unknown> | undefined)?.get(key), child);
      }
    }
  }

  #descend(step: string | number, value: unknown, seen: unknown, schema: Structural): void {
    this.#path.push(step);
    this.visit(value, seen, schema);
    this.#path.pop();
  }

  #judge(rule: Rule, self: unknown, value: unknown, schema: Structural): void {
    if (this.#stopped) return;
    const verdict = judge(rule, self);
    if (verdict.state === "holds") return;
    const type = schema.type ?? "";
    if (verdict.state === "failed") {
      this.#stopped = verdict.stopped;
      this.#report(`Invalid value: ${quote(type)}: ${verdict.detail}`);
    } else if (type === "object" || type === "array") {
      this.#report(`Invalid value: ${verdict.detail}`);
    } else {
      this.#report(`Invalid value: ${valueText(value)}: ${verdict.detail}`, value);
    }
  }

  #report(message: string, value?: unknown): void {
    const field = fieldText(this.#path, "bracketed", this.#root);
    const finding = { type: "FieldValueInvalid", field, path: [...this.#path], message } as const;
    this.findings.push(value === undefined ? finding : { ...finding, value });
  }
}
