import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type FieldRow, tableOf } from "../build/seed-table.ts";
import { checkDefinition } from "../schema/check-definition.ts";

const at = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const json = (path: string) => JSON.parse(at(path));

type Keywords = Readonly<Record<string, unknown>>;

/** One field of a type as upstream's reference page describes it. */
interface SeedField {
  readonly field: string;
  readonly type: string;
  readonly optional?: boolean;
  readonly required?: boolean;
  readonly default?: string;
  readonly schemaType?: string;
  readonly [keyword: string]: unknown;
}

// What upstream's reference page demanded when this project began, and what controller-gen makes of
// the types that the page takes from Kubernetes (k8s.io/api v0.35.3). Neither changes with ours.
const seed: {
  readonly types: Readonly<Record<string, readonly SeedField[]>>;
  readonly phases: readonly string[];
} = json("test/seed/decisionmodels.json");
const kubernetes: Readonly<Record<string, readonly FieldRow[]>> = json(
  "test/seed/kubernetes-types.json",
);

const document = parse(at("package/evaluator/crd.yaml"));
const table = tableOf(document);
const ours = new Map(table.fields.map(({ path, keywords }) => [path, normal(keywords)]));

/** Formats of numbers are the page's `integer` in Go; lists of names have no order. */
function normal({ format, ...keywords }: Keywords): Keywords {
  const lists = ["required", "enum"].flatMap((key) =>
    Array.isArray(keywords[key]) ? [[key, [...(keywords[key] as string[])].sort()]] : [],
  );
  const kept = keywords.type === "integer" ? {} : { format };
  return JSON.parse(JSON.stringify({ ...keywords, ...Object.fromEntries(lists), ...kept }));
}

const REVISION = { type: "object", required: ["device", "digest", "hash", "model"] };

// Where ours demands something else, and why.
const DIFFERENCES: Readonly<Record<string, Keywords>> = {
  // The page says that "0" disables it, and its pattern refuses that.
  "spec.rollout.stabilization": {
    type: "string",
    maxLength: 32,
    pattern: "^(0|([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h))+)$",
  },
  // The page marks a precision as if it were always known; it is known once a pod has answered.
  "status.stableRevision": REVISION,
  "status.candidateRevision": REVISION,
  "status.failedRevision": REVISION,
  "status.previousRevision.revision": REVISION,
  // The page marks figures as if there always were some, a baseline's too.
  "status.evaluation": { type: "object" },
};

const ADDED = {
  // Of a later upstream.
  "spec.rollout": ["strategy"],
  "spec.rollout.evaluation": [
    ...["minMacroF1", "maxMacroF1Drop"],
    // Our own.
    ...["minCoverage", "confidence", "parallelism"],
  ],
  "spec.rollout.timeouts": ["total"],
};

function expectedFields(): readonly (readonly [string, Keywords])[] {
  const found: [string, Keywords][] = [];
  const visit = (type: string, path: string, own: Keywords) => {
    const fields = seed.types[type];
    const known = kubernetes[type];
    if (known !== undefined) {
      found.push(
        ...known.map(({ path: below, keywords }): [string, Keywords] => [
          path + below,
          below === "" ? normal({ ...keywords, ...own }) : normal(keywords),
        ]),
      );
    } else if (fields !== undefined) {
      const required = fields.filter(({ optional }) => optional !== true).map(({ field }) => field);
      found.push([path, normal({ type: "object", ...(required.length > 0 ? { required } : {}) })]);
      for (const field of fields) visit(field.type, `${path}.${field.field}`, keywordsOf(field));
    } else if (type.startsWith("object")) {
      found.push([path, { type: "object" }], [`${path}{}`, { type: "string" }]);
    } else found.push([path, normal({ type: scalar(type), ...own })]);
  };
  visit("DecisionModelSpec", "spec", {});
  visit("DecisionModelStatus", "status", {});
  return found;
}

/** Names of strings in Go are strings. */
function scalar(type: string): string {
  const strings = ["Duration", "DecisionModelPhase", "PromotionPolicy", "EvaluationResult"];
  return strings.includes(type) ? "string" : type;
}

function keywordsOf({ field, type, optional, required, schemaType, ...rest }: SeedField): Keywords {
  const { default: text, ...bounds } = rest;
  if (text === undefined) return bounds;
  return { ...bounds, default: /^([0-9]+|false)$/.test(text) ? JSON.parse(text) : text };
}

describe("the definition of decisionmodels", () => {
  const fields = expectedFields();

  it.each(fields)("demands of field %s what the reference demands", (path, keywords) => {
    expect(ours.get(path)).toEqual(DIFFERENCES[path] ?? keywords);
  });

  it("differs from the reference nowhere else, and really there", () => {
    const different = fields.filter(
      ([path, keywords]) =>
        JSON.stringify(sorted(ours.get(path))) !== JSON.stringify(sorted(keywords)),
    );
    expect(different.map(([path]) => path).sort()).toEqual(Object.keys(DIFFERENCES).sort());
  });

  it("adds to the spec only what is listed, and nothing that is required", () => {
    const known = new Set(fields.map(([path]) => path));
    const added = [...ours.keys()].filter((path) => /^spec/.test(path) && !known.has(path));
    const listed = Object.entries(ADDED).flatMap(([path, names]) =>
      names.map((name) => `${path}.${name}`),
    );
    expect(added.sort()).toEqual(listed.sort());
  });

  it("has the names, the scope and the printer columns of the reference", () => {
    expect(table.name).toBe("decisionmodels.decisionmodel.io");
    const { group, names, scope, versions } = document.spec;
    expect({ group, scope }).toEqual({ group: "decisionmodel.io", scope: "Namespaced" });
    expect(names).toEqual({
      kind: "DecisionModel",
      listKind: "DecisionModelList",
      plural: "decisionmodels",
      singular: "decisionmodel",
      shortNames: ["dm"],
    });
    expect(versions).toHaveLength(1);
    const [{ name, served, storage, subresources, additionalPrinterColumns: columns }] = versions;
    expect({ name, served, storage, subresources }).toEqual({
      name: "v1alpha1",
      served: true,
      storage: true,
      subresources: { status: {} },
    });
    const column = ({ name, type, jsonPath, priority = 0 }: Record<string, unknown>) =>
      `${name} ${type} ${jsonPath} ${priority}`;
    expect(columns.map(column)).toEqual([
      "Active string .status.stableRevision.model 0",
      "Candidate string .status.candidateRevision.model 0",
      "Accuracy string .status.evaluation.accuracy 0",
      "Phase string .status.phase 0",
      'Reason string .status.conditions[?(@.type=="Ready")].reason 0',
      "Age date .metadata.creationTimestamp 0",
      "Digest string .status.stableRevision.digest 1",
      "Device string .spec.device 1",
      "Ready integer .status.replicas.modelReady 1",
      "Promoted date .status.lastPromotionTime 1",
    ]);
  });

  it("has nothing that the API server would refuse, costs of rules included", () => {
    expect(checkDefinition(document)).toEqual([]);
  });

  it("names every phase that is set in its description", () => {
    const { status } = document.spec.versions[0].schema.openAPIV3Schema.properties;
    const words: string[] = status.properties.phase.description.match(/\b[A-Z][A-Za-z]+\b/g);
    const unset = ["Promoting"];
    expect(seed.phases.filter((phase) => !words.includes(phase))).toEqual(unset);
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
    // Kubernetes describes it, and refuses that anybody else does.
    expect(silent).toEqual([".metadata"]);
  });
});

function sorted(keywords: Keywords | undefined): unknown {
  return (
    keywords && Object.fromEntries(Object.entries(keywords).sort(([a], [b]) => (a < b ? -1 : 1)))
  );
}
