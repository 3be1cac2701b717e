import { describe, expect, it } from "vitest";
import type { KubeObject } from "../kube/object.ts";
import type { Definition } from "./definitions.ts";
import { definesKinds, definitionsOf, loadDefinition } from "./load.ts";

type Schema = Record<string, unknown>;

const names = { kind: "Thing", plural: "things" };
const xrd = (spec: Schema, more: Schema = {}) => ({
  apiVersion: "apiextensions.crossplane.io/v2",
  kind: "CompositeResourceDefinition",
  metadata: { name: "things.example.org" },
  spec: {
    group: "example.org",
    names,
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      },
    ],
    ...more,
  },
});
const crd = (openAPIV3Schema: Schema) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.org" },
  spec: {
    group: "example.org",
    names,
    versions: [{ name: "v1", served: true, schema: { openAPIV3Schema } }],
  },
});
const object = (spec: unknown, more: Schema = {}): KubeObject => ({
  apiVersion: "example.org/v1",
  kind: "Thing",
  metadata: { name: "a" },
  spec,
  ...more,
});

function load(document: unknown): Definition {
  const loaded = loadDefinition(document);
  if (!loaded.ok) throw new Error(loaded.error);
  const [definition] = loaded.definitions;
  if (definition === undefined) throw new Error("no version is served");
  return definition;
}
const told = (definition: Definition, checked: KubeObject) =>
  definition.check(checked).findings.map(({ field, message }) => `${field}: ${message}`);

describe("loadDefinition", () => {
  it("names what it defines", () => {
    expect(load(xrd({ type: "object" }))).toMatchObject({
      apiVersion: "example.org/v1",
      kind: "Thing",
    });
    expect(load(crd({ type: "object" }))).toMatchObject({
      apiVersion: "example.org/v1",
      kind: "Thing",
    });
  });

  it("leaves out versions that are not served", () => {
    const document = xrd({ type: "object" });
    const [version] = document.spec.versions;
    const versions = [
      { ...version, served: false },
      { ...version, name: "v2" },
    ];
    expect(loadDefinition(xrd({}, { versions }))).toMatchObject({
      ok: true,
      definitions: [{ apiVersion: "example.org/v2" }],
    });
  });

  it.each([
    [{ kind: "Pod" }, "neither a CompositeResourceDefinition nor"],
    [{ ...xrd({}), spec: {} }, "spec.group and spec.names.kind"],
    [xrd({}, { versions: [{ name: "v1" }] }), "a version needs a name and schema.openAPIV3Schema"],
    [xrd({ type: "object", properties: { a: { type: "text" } } }), "spec.a: type is not known"],
    [
      xrd({ type: "object", properties: { a: { type: "string", pattern: "(?=a)" } } }),
      "spec.a: error parsing regexp",
    ],
    [
      xrd({ type: "object", properties: { a: { type: "array", uniqueItems: true } } }),
      "spec.a: uniqueItems may not be true",
    ],
    [
      xrd({ type: "object", properties: { a: { patternProperties: {} } } }),
      'spec.a: the keyword "patternProperties" is not known here',
    ],
    [
      xrd({ type: "object", properties: { a: { anyOf: { type: "string" } } } }),
      "spec.a: anyOf must be a list",
    ],
    [
      xrd({ type: "object", properties: { a: { type: "string", maxLength: "1" } } }),
      "spec.a: maxLength must be a number",
    ],
    [xrd({ type: "object", properties: { a: 1 } }), "spec.a: must be a schema"],
    [
      xrd({
        type: "object",
        additionalProperties: true,
        properties: { m: { type: "object", additionalProperties: false } },
      }),
      "spec.m: additionalProperties must be a schema or true",
    ],
    [
      xrd({ type: "object", "x-kubernetes-validations": [{ rule: "self.a ==" }] }),
      "spec.x-kubernetes-validations[0]: compilation failed: ERROR: <input>:1:10: Syntax error",
    ],
    [
      xrd({
        type: "object",
        "x-kubernetes-validations": [{ rule: "true", messageExpression: "1" }],
      }),
      "messageExpression must evaluate to a string",
    ],
    [xrd({ type: "object", "x-kubernetes-validations": [{}] }), "rule is not specified"],
  ])("says where a definition is wrong: %#", (document, message) => {
    expect(loadDefinition(document)).toEqual({
      ok: false,
      error: expect.stringContaining(message),
    });
  });

  it("ignores a format that the API server ignores", () => {
    const definition = load(
      xrd({ type: "object", properties: { a: { type: "string", format: "made-up" } } }),
    );
    expect(told(definition, object({ a: "x" }))).toEqual([]);
  });
});

describe("definitionsOf", () => {
  it("gathers what is good and names what is not", () => {
    const set = definitionsOf([xrd({ type: "object" }), { kind: "Pod" }]);
    expect([...set.definitions.keys()]).toEqual(["example.org/v1/Thing"]);
    expect(set.errors).toHaveLength(1);
  });

  it("tells a definition from other documents", () => {
    expect(definesKinds(xrd({}))).toBe(true);
    expect(definesKinds(crd({}))).toBe(true);
    expect(definesKinds({ apiVersion: "v1", kind: "CustomResourceDefinition" })).toBe(false);
    expect(definesKinds("text")).toBe(false);
  });
});

describe("an XRD's schema", () => {
  const definition = load(
    xrd(
      { type: "object", required: ["a"], properties: { a: { type: "string" } } },
      { defaultCompositionUpdatePolicy: "Manual" },
    ),
  );

  it("has what Crossplane adds, with its bounds and defaults", () => {
    const name = "a".repeat(64);
    expect(told(definition, { ...object({ a: "x" }), metadata: { name } })).toEqual([
      "metadata.name: Too long: may not be more than 63 bytes",
    ]);
    const crossplane = { compositionUpdatePolicy: "Never", compositionRef: {} };
    expect(told(definition, object({ a: "x", crossplane }))).toEqual([
      'spec.crossplane.compositionUpdatePolicy: Unsupported value: "Never": supported values: "Automatic", "Manual"',
      "spec.crossplane.compositionRef.name: Required value",
    ]);
    const checked = definition.check(object({ a: "x", crossplane: {} }));
    expect(checked.object.spec).toEqual({
      a: "x",
      crossplane: { compositionUpdatePolicy: "Manual" },
    });
  });

  it("needs a spec, and drops other fields at the root", () => {
    const { spec: _spec, ...bare } = object({});
    expect(told(definition, bare as KubeObject)[0]).toBe("spec: Required value");
    expect(definition.check(object({ a: "x" }, { data: 1 })).unknownFields).toEqual(["data"]);
  });

  it("drops a namespace in references of namespaced composites only", () => {
    const crossplane = { resourceRefs: [{ apiVersion: "v1", kind: "Pod", namespace: "n" }] };
    expect(definition.check(object({ a: "x", crossplane })).unknownFields).toEqual([
      "spec.crossplane.resourceRefs[0].namespace",
    ]);
    const cluster = load(xrd({ type: "object" }, { scope: "Cluster" }));
    expect(cluster.check(object({ crossplane })).unknownFields).toEqual([]);
  });
});

describe("the bounds that no shipped kind has", () => {
  const definition = load(
    crd({
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
            map: {
              type: "array",
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["a", "b"],
              items: {
                type: "object",
                properties: { a: { type: "string" }, b: { type: "integer" } },
              },
            },
            mixed: {
              type: "array",
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["a"],
              items: {},
            },
            open: {
              type: "number",
              minimum: 1,
              exclusiveMinimum: true,
              maximum: 2,
              exclusiveMaximum: true,
              multipleOf: 0.5,
            },
            small: { type: "integer", format: "int32" },
            choice: { type: "integer", enum: [1, 2] },
            maybe: { type: "string", nullable: true },
            filled: {
              type: "object",
              default: {},
              properties: { inner: { type: "string", default: "x" } },
            },
            list: {
              type: "array",
              items: { type: "object", properties: { n: { type: "integer", default: 7 } } },
            },
            one: {
              type: "string",
              maxLength: 1,
              "x-kubernetes-validations": [{ rule: "self != 'x'" }],
            },
            words: {
              type: "object",
              additionalProperties: {
                type: "string",
                "x-kubernetes-validations": [{ rule: "self.size() > 1", message: "too short" }],
              },
            },
          },
        },
      },
    }),
  );
  const tell = (spec: Schema) => told(definition, object(spec));

  it.each([
    [{ set: ["a", "b", "a", "a"] }, ['spec.set[2]: Duplicate value: "a"']],
    [
      {
        map: [
          { a: "x", b: 1 },
          { a: "x", b: 2 },
          { a: "x", b: 1 },
        ],
      },
      ['spec.map[2]: Duplicate value: {"a":"x","b":1}'],
    ],
    [{ map: [{}, {}] }, ["spec.map[1]: Duplicate value: {}"]],
    [
      { mixed: [{ a: 1 }, "b"] },
      ['spec.mixed[1]: Invalid value: "b": must be an object for an array of list-type map'],
    ],
    [
      { open: 1 },
      [
        "spec.open: Invalid value: 0: factor MultipleOf declared for spec.open must be positive: 0",
        "spec.open: Invalid value: 1: spec.open in body should be greater than 1",
      ],
    ],
    [
      { open: 2 },
      [
        "spec.open: Invalid value: 0: factor MultipleOf declared for spec.open must be positive: 0",
        "spec.open: Invalid value: 2: spec.open in body should be less than 2",
      ],
    ],
    [
      { open: 1.25 },
      ["spec.open: Invalid value: 1.25: spec.open in body should be a multiple of 0.5"],
    ],
    [
      { small: 2 ** 31 },
      [
        '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.small',
      ],
    ],
    [{ choice: 2, maybe: null }, []],
    [{ one: "x" }, ["spec.one: Invalid value: \"x\": failed rule: self != 'x'"]],
    [
      { words: { "a.b": "x", constructor: "yy" } },
      ['spec.words[a.b]: Invalid value: "x": too short'],
    ],
  ])("%j", (spec, findings) => {
    expect(tell(spec)).toEqual(findings);
  });

  it("prints one byte in the singular, and one item", () => {
    expect(tell({ one: "ab" })[0]).toBe("spec.one: Too long: may not be more than 1 byte");
  });

  it("fills defaults into defaults and into items, and keeps a null where it may stand", () => {
    expect(definition.check(object({ list: [{}, { n: 1 }], maybe: null })).object.spec).toEqual({
      list: [{ n: 7 }, { n: 1 }],
      maybe: null,
      filled: { inner: "x" },
    });
  });
});
