import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type DefinitionTable, tableOf } from "../build/seed-table.ts";

const at = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

// The table holds what upstream's definition demanded when this project began, taken from it by
// build/seed-table.ts; it never changes with ours.
describe.each(["modelreplicas"])("the definition of %s", (plural) => {
  const seed = JSON.parse(at(`test/seed/${plural}.json`)) as DefinitionTable;
  const document = parse(at(`package/apis/${plural}/definition.yaml`));
  const ours = tableOf(document);
  const fieldsOf = (table: DefinitionTable) =>
    new Map(table.fields.map((row) => [row.path, row.keywords]));
  const isStatus = (path: string) => path.startsWith("status.");

  it("has the seed's name, names, scope, version and printer columns", () => {
    expect(ours.name).toBe(seed.name);
    expect(ours.envelope).toEqual(seed.envelope);
  });

  it.each(seed.fields.map((row) => [row.path, row.keywords] as const))(
    "demands of field %j exactly what the seed demands",
    (path, keywords) => {
      expect(fieldsOf(ours).get(path)).toEqual(keywords);
    },
  );

  it("adds fields to status alone", () => {
    const known = fieldsOf(seed);
    const added = ours.fields.map((row) => row.path).filter((path) => !known.has(path));
    expect(added.filter((path) => !isStatus(path))).toEqual([]);
    expect(added.length).toBeGreaterThan(0);
  });

  it("has the seed's rules, and no other", () => {
    const plain = (table: DefinitionTable) =>
      table.rules.map(({ path, rule, message }) => ({ path, rule, message }));
    expect(plain(ours)).toHaveLength(29);
    expect(sortRules(plain(ours))).toEqual(sortRules(plain(seed)));
    expect(ours.rules.map((row) => row.more)).toEqual(seed.rules.map((row) => row.more));
  });

  it("notices a field, a bound and a rule that change", () => {
    const changed = structuredClone(document);
    const spec = changed.spec.versions[0].schema.openAPIV3Schema.properties.spec;
    spec.properties.engines.maxItems += 1;
    delete spec.properties.clusterName;
    spec["x-kubernetes-validations"].pop();
    const fields = fieldsOf(tableOf(changed));
    expect(fields.get("spec.engines")).not.toEqual(fieldsOf(seed).get("spec.engines"));
    expect(fields.has("spec.clusterName")).toBe(false);
    expect(tableOf(changed).rules).toHaveLength(28);
  });
});

const shipped = readdirSync(new URL("../package/apis", import.meta.url)).sort();

describe.each(shipped)("what ships of %s", (plural) => {
  const document = parse(at(`package/apis/${plural}/definition.yaml`));

  it("has a Composition of one step, which names our function", () => {
    const composition = parse(at(`package/apis/${plural}/composition.yaml`));
    const { group, names, versions } = document.spec;
    expect(composition).toMatchObject({
      apiVersion: "apiextensions.crossplane.io/v1",
      kind: "Composition",
      spec: {
        compositeTypeRef: { apiVersion: `${group}/${versions[0].name}`, kind: names.kind },
        mode: "Pipeline",
      },
    });
    expect(composition.spec.pipeline).toEqual([
      { step: expect.stringMatching(/^compose-/), functionRef: { name: "function-sluice" } },
    ]);
  });

  it("describes every field in words", () => {
    const silent: string[] = [];
    const look = (node: Record<string, unknown>, path: string): void => {
      const properties = (node.properties ?? {}) as Record<string, Record<string, unknown>>;
      for (const [name, child] of Object.entries(properties)) {
        if (typeof child.description !== "string") silent.push(`${path}.${name}`);
        look(child, `${path}.${name}`);
      }
      if (typeof node.items === "object") look(node.items as Record<string, unknown>, `${path}[]`);
    };
    look(document.spec.versions[0].schema.openAPIV3Schema, "");
    expect(silent.filter((path) => !/Ref\./.test(path))).toEqual([]);
  });
});

describe("the definition of modeldeployments", () => {
  const [deployment, replica] = ["modeldeployments", "modelreplicas"].map((plural) =>
    tableOf(parse(at(`package/apis/${plural}/definition.yaml`))),
  ) as [DefinitionTable, DefinitionTable];
  const template = (path: string) => path.replace(/^spec(?=\.|$)/, "spec.template.spec");
  const placed = /^spec$|\.clusterName|\.members\[\]$|\.nodePoolName|\.deviceRequests/;

  it("demands what a replica's demands, but for its place and devices", () => {
    const own = new Map(deployment.fields.map((row) => [row.path, row.keywords]));
    const shared = replica.fields.filter(({ path }) => /^spec/.test(path) && !placed.test(path));
    expect(shared.length).toBeGreaterThan(100);
    for (const { path, keywords } of shared) {
      expect([path, own.get(template(path))]).toEqual([path, keywords]);
    }
  });

  it("has a replica's rules, but for the one about devices, and six of its own", () => {
    const rules = ({ rules }: DefinitionTable, place: (path: string) => string) =>
      rules.map(({ path, rule }) => `${place(path)}: ${rule}`);
    const known = new Set(rules(replica, template));
    const own = rules(deployment, (path) => path);
    expect([...known].filter((rule) => !own.includes(rule))).toEqual([
      expect.stringContaining("has(m.deviceRequests)"),
    ]);
    expect(own.filter((rule) => !known.has(rule)).map((rule) => rule.split(": ")[0])).toEqual([
      ...Array.from({ length: 4 }, () => "spec.template.metadata"),
      ...Array.from({ length: 2 }, () => "spec.template.spec.tolerations[]"),
      "spec.template.spec.engines[]",
    ]);
  });

  it("scales without a label selector, since its pods are on other clusters", () => {
    expect(deployment.envelope).toMatchObject({
      versions: [
        {
          subresources: {
            scale: {
              specReplicasPath: ".spec.replicas",
              statusReplicasPath: ".status.replicas.total",
            },
          },
        },
      ],
    });
  });
});

function sortRules<Row extends { path: string; rule: string }>(rows: readonly Row[]): Row[] {
  const key = (row: Row) => `${row.path} ${row.rule}`;
  return [...rows].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}
