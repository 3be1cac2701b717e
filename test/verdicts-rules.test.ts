import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../kube/object.ts";
import type { Finding } from "../schema/finding.ts";
import { shippedDefinition } from "./verdicts/definition.ts";
import { type RuleCase, ruleCases } from "./verdicts/rule-cases.ts";

const definition = shippedDefinition("modelreplicas");
const seed = new URL("seed/modelreplicas.json", import.meta.url);
const { rules } = JSON.parse(readFileSync(seed, "utf8")) as { rules: { message: string }[] };

function replica(spec: unknown): KubeObject {
  const metadata = { name: "r", namespace: "n" };
  return { apiVersion: "modelplane.ai/v1alpha1", kind: "ModelReplica", metadata, spec };
}

/** `spec #4` becomes the finding that says that rule 4 is violated at spec. */
function expected(text: string): string {
  const [, field, rule] = /^(\S+) #(\d+)$/.exec(text) ?? [];
  if (rule === undefined) return text;
  return `${field} FieldValueInvalid: Invalid value: ${rules[Number(rule) - 1]?.message}`;
}

const shown = (findings: readonly Finding[]) =>
  findings.map(({ field, type, message }) => `${field} ${type}: ${message}`).sort();

/** The same value with the members of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversed(child)]),
  );
}

describe.each(ruleCases)("rule $rule", ({ rule, accepts, rejects }) => {
  it.each(accepts.map((one) => [one.title, one] as const))("accepts: %s", (_, { spec }) => {
    expect(shown(definition.check(replica(spec)).findings)).toEqual([]);
  });

  it.each(rejects.map((one) => [one.title, one] as const))("rejects: %s", (_, one: RuleCase) => {
    const want = one.findings.map(expected).sort();
    expect(shown(definition.check(replica(one.spec)).findings)).toEqual(want);
    expect(one.findings.some((finding) => finding.endsWith(`#${rule}`))).toBe(true);
  });

  it("judges the same whatever the order of members", () => {
    for (const { spec } of [...accepts, ...rejects]) {
      const backwards = definition.check(replica(reversed(spec))).findings;
      expect(shown(backwards)).toEqual(shown(definition.check(replica(spec)).findings));
    }
  });

  it("has three cases of either kind", () => {
    expect(accepts.length).toBeGreaterThanOrEqual(3);
    expect(rejects.length).toBeGreaterThanOrEqual(3);
  });
});

it("has cases for all 29 rules of the seed", () => {
  expect(ruleCases.map(({ rule }) => rule)).toEqual(rules.map((_, index) => index + 1));
});
