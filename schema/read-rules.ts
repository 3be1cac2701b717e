import { type Rule, type RuleCompiler, ruleOf } from "../cel/rules.ts";
import { isRecord } from "../kube/object.ts";
import { celTypeOf } from "./cel-types.ts";
import { listOf, rulesOf } from "./check-schema.ts";
import type { RawSchema } from "./crossplane.ts";
import type { Structural } from "./structural.ts";

/** The rules of a schema node, and what is wrong with those that can't be used. */
export interface ReadRules {
  readonly rules: readonly Rule[];
  readonly problems: readonly { readonly index: number; readonly message: string }[];
}

/** Compiles the rules of a schema node, given what else of it is read. */
export function readRules(raw: RawSchema, node: Structural, compiler: RuleCompiler): ReadRules {
  const texts = rulesOf(raw);
  const rules: Rule[] = [];
  const problems: { index: number; message: string }[] = [];
  if (texts.length === 0) return { rules, problems };
  const self = celTypeOf(node);
  const entries = listOf(raw["x-kubernetes-validations"]);
  for (const [index, text] of texts.entries()) {
    const odd = oddKeyword(entries[index]);
    if (odd !== undefined) problems.push({ index, message: odd });
    if (self === undefined) {
      problems.push({ index, message: "no rule can see values of this type" });
      continue;
    }
    const compiled = compiler.compileText(text, self);
    const rule = ruleOf(text, compiled);
    if (rule !== undefined) rules.push(rule);
    for (const part of [compiled.rule, compiled.message]) {
      if (part?.ok === false) problems.push({ index, message: part.message });
    }
  }
  return { rules, problems };
}

const KEYWORDS: Readonly<Record<string, string>> = {
  rule: "string",
  message: "string",
  messageExpression: "string",
  fieldPath: "string",
  reason: "string",
  optionalOldSelf: "boolean",
};

/** What can't be read of a rule's entry. */
function oddKeyword(entry: unknown): string | undefined {
  if (!isRecord(entry)) return "must be an object";
  if (typeof entry.rule !== "string" || entry.rule.trim() === "") return "rule is not specified";
  for (const keyword of Object.keys(entry)) {
    const type = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (type === undefined) return `${JSON.stringify(keyword)} is not known here`;
    if (typeof entry[keyword] !== type) return `${keyword} must be a ${type}`;
  }
  return undefined;
}
