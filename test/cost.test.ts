import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { estimateCost } from "../cel/cost/estimate.ts";
import { RuleCompiler } from "../cel/rules.ts";
import { celTypeOf } from "../schema/cel-types.ts";
import { rulesOf } from "../schema/check-schema.ts";
import { compositeSchema, type RawSchema } from "../schema/crossplane.ts";
import { readStructure } from "../schema/read-schema.ts";
import { sizedType, unboundedCount } from "../schema/sizes.ts";
import { RULES, ruleNodes, SCHEMAS } from "./cost/corpus.ts";

/**
 * For each schema what the API server's own packages estimate (k8s.io/apiextensions-apiserver and
 * k8s.io/apiserver v0.37.2, `cel.Compile` with the limits of a new expression): how often a value may
 * occur in a request, and the cost of every rule, or why it does not compile.
 */
interface Recorded {
  readonly id: string;
  readonly cardinality: string;
  readonly costs: readonly string[];
}

const text = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const recorded = text("cost/recorded.jsonl")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);
const xrd = parse(text("../package/apis/modelreplicas/definition.yaml"));
const own = compositeSchema(xrd.spec.versions[0].schema.openAPIV3Schema, xrd.spec);
const schemas = new Map<string, RawSchema>([
  ...[...SCHEMAS].map(([name, schema]): [string, RawSchema] => [
    name,
    { ...schema, "x-kubernetes-validations": RULES.map((rule) => ({ rule })) },
  ]),
  ...ruleNodes(own).map(({ path, schema }): [string, RawSchema] => [
    `modelreplicas ${path}`,
    schema,
  ]),
]);

const compiler = new RuleCompiler();

/** Every rule with its cost, or with why it does not compile. */
function costsOf(raw: RawSchema): readonly (readonly [rule: string, cost: string])[] {
  const node = readStructure(raw);
  const [self, sized] = [celTypeOf(node), sizedType(node)];
  if (self === undefined || sized === undefined) throw new Error("no rule can see such values");
  return rulesOf(raw).map((rule) => {
    const { rule: compiled } = compiler.compileText(rule, self);
    if (compiled === undefined) throw new Error("an empty rule");
    const cost = compiled.ok
      ? String(estimateCost(compiled.program.checked, sized).max)
      : compiled.message;
    return [rule.rule, cost];
  });
}

describe.each(recorded)("the estimates for $id", ({ id, cardinality, costs }) => {
  const raw = schemas.get(id) ?? {};

  it("are those of the API server, to the unit", () => {
    const rules = rulesOf(raw).map(({ rule }) => rule);
    expect(costsOf(raw)).toEqual(rules.map((rule, index) => [rule, costs[index]]));
  });

  it("count values as it does where nothing bounds them", () => {
    const sized = sizedType(readStructure(raw));
    expect(String(sized && unboundedCount(sized.minBytes))).toBe(cardinality);
  });
});

it("covers every schema, a thousand rules and all that we ship", () => {
  expect(recorded.map(({ id }) => id).sort()).toEqual([...schemas.keys()].sort());
  const ours = recorded.filter(({ id }) => id.startsWith("modelreplicas"));
  expect(ours.flatMap(({ costs }) => costs)).toHaveLength(29);
  const all = recorded.flatMap(({ costs }) => costs);
  expect(all.filter((cost) => /^\d+$/.test(cost)).length).toBeGreaterThan(990);
  expect(all.filter((cost) => cost.startsWith("compilation failed")).length).toBeGreaterThan(20);
});
