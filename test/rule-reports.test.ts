import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../kube/object.ts";
import type { Definition } from "../schema/definitions.ts";
import { loadDefinition } from "../schema/load.ts";
import { definitionOf } from "./definition-checks/cases.ts";
import { questions } from "./rule-updates/generate.ts";
import { definitionOf as kindDefinition, kindOf, SPECS } from "./rule-updates/schemas.ts";

function load(document: unknown): Definition {
  const loaded = loadDefinition(document);
  if (!loaded.ok || loaded.definitions[0] === undefined) throw new Error(JSON.stringify(loaded));
  return loaded.definitions[0];
}

function thing(kind: string, spec: unknown): KubeObject {
  return { apiVersion: "example.org/v1", kind, metadata: { name: "a", namespace: "b" }, spec };
}

const text = { type: "string", maxLength: 60 };
const rules = (...all: readonly string[]) => ({
  "x-kubernetes-validations": all.map((rule) => ({ rule })),
});

describe("H01: matches() is RE2", () => {
  const spec = (rule: string) => ({
    type: "object",
    properties: { spec: { type: "object", properties: { s: text }, ...rules(rule) } },
  });
  const messages = (rule: string, s: string) =>
    load(definitionOf(spec(rule)))
      .check(thing("Thing", { s }))
      .findings.map(({ message }) => message);

  it.each([
    ["self.s.matches('(?i)h[12]00')", "NVIDIA H100 80GB HBM3", true],
    ["self.s.matches('H100')", "NVIDIA H100 80GB HBM3", true],
    ["self.s.matches('^(a+)+$')", `${"a".repeat(40)}!`, false],
    ["self.s.matches('[[:alpha:]]\\\\z')", "x", true],
  ])("%s on %j: %s", (rule, s, matches) => {
    expect(messages(rule, s)).toEqual(matches ? [] : [`Invalid value: failed rule: ${rule}`]);
  });

  it("refuses what RE2 has not, and says where", () => {
    const loaded = loadDefinition(definitionOf(spec("self.s.matches('^(?=NVIDIA).*')")));
    expect(loaded).toEqual({
      ok: false,
      error: expect.stringContaining("<input>:1:16: invalid matches argument"),
    });
  });
});

describe("H03: rules run after defaulting", () => {
  const definition = load(
    definitionOf({
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            tolerations: {
              type: "array",
              maxItems: 8,
              items: {
                type: "object",
                properties: {
                  key: text,
                  operator: { type: "string", enum: ["Equal", "Exists"], default: "Equal" },
                  value: text,
                },
                ...rules(
                  "self.operator != 'Equal' || has(self.key)",
                  "self.operator != 'Exists' || !has(self.value)",
                ),
              },
            },
            members: {
              type: "array",
              maxItems: 4,
              items: {
                type: "object",
                properties: { name: text, role: { type: "string", default: "Standalone" } },
              },
              ...rules("self.size() != 1 || self[0].role == 'Standalone'"),
            },
          },
        },
      },
    }),
  );
  const fields = (spec: unknown) =>
    definition.check(thing("Thing", spec)).findings.map(({ field }) => field);

  it.each([
    [{ key: "maintenance" }, true],
    [{}, false],
    [{ operator: "Exists" }, true],
    [{ operator: "Exists", value: "x" }, false],
  ])("toleration %j: %s", (toleration, valid) => {
    const wrong = valid ? [] : ["spec.tolerations[0]"];
    expect(fields({ tolerations: [toleration] })).toEqual(wrong);
  });

  it("a member without a role stands alone", () => {
    expect(fields({ members: [{ name: "gpu" }] })).toEqual([]);
    expect(fields({ members: [{ name: "gpu", role: "Worker" }] })).toEqual(["spec.members"]);
  });
});

describe("an update", () => {
  const definitions = new Map(
    Object.keys(SPECS).map((name) => [name, load(kindDefinition(name, SPECS[name]))]),
  );
  const asked = questions(11, 600).filter(({ kind }) => kind !== "dear");

  it("that repeats the old object is refused for nothing that a create is not, but for changes", () => {
    const changes = /oldSelf|is immutable|begins with|from \d+ to|was \d+/;
    const unchecked = /some validation rules were not checked/;
    let dropped = 0;
    fc.assert(
      fc.property(fc.constantFrom(...asked), ({ kind, spec }) => {
        const object = thing(kindOf(kind), spec);
        const definition = definitions.get(kind) as Definition;
        const shown = (old?: KubeObject) =>
          definition
            .check(object, "object", old)
            .findings.map(({ field, message }) => `${field}: ${message}`);
        const [created, again] = [shown(), shown(object)];
        // Rules that a create did not get to may speak up.
        fc.pre(!created.some((line) => unchecked.test(line)));
        const added = again.filter((line) => !created.includes(line) && !changes.test(line));
        expect(added).toEqual([]);
        dropped += created.filter((line) => !again.includes(line)).length;
      }),
      { numRuns: 400 },
    );
    expect(dropped).toBeGreaterThan(50);
  });

  it("keeps the status that is stored", () => {
    const definition = definitions.get("levels");
    const old = { ...thing("Levels", {}), status: { n: 1 } };
    const checked = definition?.check({ ...thing("Levels", {}), status: { n: 9 } }, "object", old);
    expect(checked?.object.status).toEqual({ n: 1 });
    expect(checked?.findings).toEqual([]);
    const gone = definition?.check(
      { ...thing("Levels", {}), status: { n: 9 } },
      "object",
      thing("Levels", {}),
    );
    expect(gone?.object.status).toBeUndefined();
  });
});
