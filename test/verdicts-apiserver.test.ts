import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../kube/object.ts";
import { shippedDefinition } from "./verdicts/definition.ts";

/** A spec and what became of it. */
interface Recorded {
  readonly spec: unknown;
  readonly causes: readonly { type: string; field: string; message: string }[];
  readonly unknown?: readonly string[];
  readonly stored: unknown;
}

// Mutated specs, one for each kind of cause that a mutation could bring about, with what the API
// server's own packages made of them (k8s.io/apiextensions-apiserver v0.37.2: pruning, defaulting,
// validation, listtype and cel, in the order of its create strategy, over this very schema).
const recorded = readFileSync(new URL("verdicts/apiserver.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);
const definition = shippedDefinition("modelreplicas");

const sorted = <T>(values: readonly T[]) => values.map((value) => JSON.stringify(value)).sort();

describe("the API server's verdicts on mutated specs", () => {
  it.each(recorded.map((one, index) => [index + 1, one] as const))("line %i", (_, one) => {
    const object = {
      apiVersion: "modelplane.ai/v1alpha1",
      kind: "ModelReplica",
      metadata: { name: "x" },
      ...(one.spec === undefined ? {} : { spec: one.spec }),
    } as KubeObject;
    const checked = definition.check(object);
    const causes = checked.findings.map(({ type, field, message }) => ({ type, field, message }));
    expect(sorted(causes)).toEqual(sorted(one.causes));
    expect(checked.object.spec).toEqual(one.stored);
    expect(checked.unknownFields).toEqual(one.unknown ?? []);
  });

  it("covers refusals of every type, and enough of them", () => {
    const types = new Set(recorded.flatMap(({ causes }) => causes.map(({ type }) => type)));
    expect([...types].sort()).toEqual([
      "FieldValueDuplicate",
      "FieldValueInvalid",
      "FieldValueNotSupported",
      "FieldValueRequired",
      "FieldValueTooLong",
      "FieldValueTooMany",
      "FieldValueTypeInvalid",
    ]);
    expect(recorded.length).toBeGreaterThan(150);
  });
});
