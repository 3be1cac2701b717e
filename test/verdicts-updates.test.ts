import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../kube/object.ts";
import type { Definition } from "../schema/definitions.ts";
import { loadDefinition } from "../schema/load.ts";
import { questions } from "./rule-updates/generate.ts";
import { definitionOf, kindOf, SPECS } from "./rule-updates/schemas.ts";
import { shippedDefinition } from "./verdicts/definition.ts";

/** An object, or an update from `old` to it, and what became of it (see `rule-updates/record.ts`). */
interface Recorded {
  readonly kind: string;
  readonly spec: unknown;
  readonly old?: unknown;
  readonly causes: readonly (readonly [type: string, field: string, message: string])[];
  readonly stored: unknown;
}

const file = new URL("rule-updates/verdicts.jsonl.gz", import.meta.url);
const recorded = gunzipSync(readFileSync(file))
  .toString()
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

const definitions = new Map<string, Definition>([
  ["ModelReplica", shippedDefinition("modelreplicas")],
]);
for (const name of Object.keys(SPECS)) {
  const loaded = loadDefinition(definitionOf(name, SPECS[name]));
  if (!loaded.ok) throw new Error(loaded.error);
  definitions.set(name, loaded.definitions[0] as Definition);
}

const sorted = <T>(values: readonly T[]) => values.map((value) => JSON.stringify(value)).sort();

function whole(kind: string, spec: unknown): KubeObject {
  const isOwn = kind === "ModelReplica";
  return {
    apiVersion: isOwn ? "modelplane.ai/v1alpha1" : "example.org/v1",
    kind: isOwn ? kind : kindOf(kind),
    metadata: { name: "a", namespace: "default" },
    spec,
  };
}

function check({ kind, spec, old }: Recorded) {
  const definition = definitions.get(kind) as Definition;
  const before = old === undefined ? undefined : whole(kind, old);
  return definition.check(whole(kind, spec), "object", before);
}

/** Which entry of a map spends the last of the budget depends on their order, which the API server shuffles. */
const shown = ([type, field, message]: readonly [string, string, string]) =>
  message.includes("running out of cost budget")
    ? [type, field.replace(/\[.*/, ""), message]
    : [type, field, message];

describe("the API server's verdicts on creates and updates", () => {
  it.each(recorded.map((one, index) => [index, one.kind, one] as const))("%i: %s", (_, __, one) => {
    const { findings, object } = check(one);
    const causes = findings.map(({ type, field, message }) => shown([type, field, message]));
    expect(sorted(causes)).toEqual(sorted(one.causes.map(shown)));
    expect(object.spec).toEqual(one.stored);
  });

  it("are more than a thousand, of every kind and either sort", () => {
    expect(recorded.length).toBeGreaterThan(1500);
    for (const kind of definitions.keys()) {
      const own = recorded.filter((one) => one.kind === kind);
      const updates = own.filter(({ old }) => old !== undefined);
      const refused = updates.filter(({ causes }) => causes.length > 0);
      expect([kind, updates.length > 50, refused.length > 3]).toEqual([kind, true, true]);
      expect([kind, refused.length < updates.length]).toEqual([kind, true]);
    }
  });

  it("cover every cause that a rule can name", () => {
    const types = new Set(recorded.flatMap(({ causes }) => causes.map(([type]) => type)));
    expect([...types].sort()).toEqual([
      "FieldValueDuplicate",
      "FieldValueForbidden",
      "FieldValueInvalid",
      "FieldValueNotSupported",
      "FieldValueRequired",
      "FieldValueTooLong",
      "FieldValueTooMany",
      "FieldValueTypeInvalid",
    ]);
    const messages = recorded.flatMap(({ causes }) => causes.map(([, , message]) => message));
    for (const words of [
      "is immutable",
      "call cost exceeds limit",
      "running out of cost budget",
      "is too much",
      "no such key",
    ]) {
      expect([words, messages.some((message) => message.includes(words))]).toEqual([words, true]);
    }
  });

  it("are about what the generator in the repository makes", () => {
    const made = questions(7, 1440).map((question) => JSON.stringify(question));
    const asked = recorded
      .slice(0, 1440)
      .map(({ causes, stored, ...question }) => JSON.stringify(question));
    expect(asked).toEqual(made);
  });
});
