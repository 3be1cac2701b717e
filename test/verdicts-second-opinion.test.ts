import { readFileSync } from "node:fs";
import { isCelError, run } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { judge, type Rule, RuleBudget } from "../cel/rules.ts";
import type { KubeObject } from "../kube/object.ts";
import { toCel } from "../schema/cel-values.ts";
import { compositeSchema, type RawSchema } from "../schema/crossplane.ts";
import { readSchema } from "../schema/read-schema.ts";
import { store } from "../schema/store.ts";
import type { Structural } from "../schema/structural.ts";
import { validate } from "../schema/validate.ts";
import { ruleCases } from "./verdicts/rule-cases.ts";

// Two engines that share no code with ours judge the same objects: another CEL, another validator.
const text = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const xrd = parse(text("../package/apis/modelreplicas/definition.yaml"));
const raw = compositeSchema(xrd.spec.versions[0].schema.openAPIV3Schema, xrd.spec);
const read = readSchema(raw);
if (!read.ok) throw new Error(read.problems[0]?.message);
const { schema } = read;

const cases = ruleCases.flatMap(({ accepts, rejects }) => [...accepts, ...rejects]);
const recorded = text("verdicts/apiserver.jsonl")
  .trim()
  .split("\n")
  .map((line) => (JSON.parse(line) as { spec?: unknown }).spec);
const replica = (spec: unknown): KubeObject => {
  const object = {
    apiVersion: "modelplane.ai/v1alpha1",
    kind: "ModelReplica",
    metadata: { name: "r" },
  };
  return spec === undefined ? object : { ...object, spec };
};

/** Every rule with every value that it is asked about in an object. */
function* judged(value: unknown, node: Structural): Generator<readonly [Rule, unknown]> {
  if (value === null || !node.hasRules) return;
  for (const rule of node.rules) yield [rule, toCel(value, node)];
  if (Array.isArray(value)) {
    for (const item of value) if (node.items !== undefined) yield* judged(item, node.items);
  } else if (typeof value === "object") {
    for (const [key, child] of Object.entries(value as object)) {
      const property = node.properties.get(key) ?? node.additional;
      if (property !== undefined) yield* judged(child, property);
    }
  }
}

describe("@bufbuild/cel", () => {
  const seen = new Map<string, { same: number; unparsed: number }>();

  it("gives the verdicts that we give", () => {
    for (const { title, spec } of cases) {
      for (const [rule, self] of judged(store(replica(spec), schema).object, schema)) {
        const count = seen.get(rule.rule) ?? { same: 0, unparsed: 0 };
        seen.set(rule.rule, count);
        const theirs = run(rule.rule, { self: self as Map<string, never> }, { funcs: strings });
        if (isCelError(theirs) && rule.rule.includes(".?")) {
          count.unparsed += 1;
          continue;
        }
        const judged = { self, oldSelf: undefined, hasOldSelf: false };
        const ours = judge(rule, judged, new RuleBudget(10_000_000));
        const state = isCelError(theirs) ? "failed" : theirs === true ? "holds" : "violated";
        expect([title, rule.rule, ours.state]).toEqual([title, rule.rule, state]);
        count.same += 1;
      }
    }
  });

  it("is asked about 25 of the 29 rules; four use optionals, which it can't parse", () => {
    // Two pairs of rules share their text: 27 texts stand at 29 nodes, and the pairs are
    // resources (13 and 25) and ports of probes (27 and 28).
    const counts = [...seen.values()];
    expect(counts.filter(({ unparsed }) => unparsed > 0)).toHaveLength(4);
    expect(counts.filter(({ same }) => same > 0)).toHaveLength(seen.size - 4);
    expect(seen.size).toBe(27);
  });
});

/** The part of a structural schema that JSON Schema has as well. */
function jsonSchema(node: RawSchema): RawSchema {
  const { description, default: _default, format, anyOf, nullable, ...rest } = node;
  const kept = Object.entries(rest).filter(([key]) => !key.startsWith("x-kubernetes-"));
  const plain: Record<string, unknown> = Object.fromEntries(kept);
  if (node["x-kubernetes-int-or-string"] === true) plain.type = ["integer", "string"];
  const { properties, items, additionalProperties } = node;
  if (properties !== undefined) {
    const entries = Object.entries(properties as Record<string, RawSchema>);
    plain.properties = Object.fromEntries(entries.map(([key, child]) => [key, jsonSchema(child)]));
  }
  if (items !== undefined) plain.items = jsonSchema(items as RawSchema);
  if (additionalProperties !== undefined) {
    plain.additionalProperties = jsonSchema(additionalProperties as RawSchema);
  }
  return plain;
}

describe("ajv", () => {
  const ajv = new Ajv({ strict: false, allErrors: true, ownProperties: true });
  const accepts = ajv.compile(jsonSchema(raw));

  it("accepts and refuses what we do, by types and bounds", () => {
    const specs = [...cases.map(({ spec }) => spec), ...recorded];
    let refused = 0;
    for (const spec of specs) {
      const { object } = store(replica(spec), schema);
      const ours = validate(object, schema);
      if (ours.length > 0) refused += 1;
      expect([JSON.stringify(spec), ours.length === 0]).toEqual([
        JSON.stringify(spec),
        accepts(object),
      ]);
    }
    expect(refused).toBeGreaterThan(100);
  });
});
