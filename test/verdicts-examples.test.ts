import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readSource } from "../cli/source.ts";
import { isRecord, type KubeObject } from "../kube/object.ts";
import { shippedDefinition } from "./verdicts/definition.ts";

const definition = shippedDefinition("modelreplicas");
const root = new URL("../examples/", import.meta.url);

function replicas(file: string): readonly KubeObject[] {
  const source = readSource(readFileSync(new URL(file, root)));
  if (!source.ok) throw new Error(`${file}: ${source.message}`);
  return source.documents
    .map(({ value }) => value)
    .filter((value): value is KubeObject => isRecord(value) && value.kind === "ModelReplica");
}

const examples = readdirSync(root).sort();

describe.each(examples)("the example %s", (name) => {
  it("is valid, unless it is there to show what is not", () => {
    const objects = replicas(`${name}/xr.yaml`);
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) {
      const { findings, unknownFields } = definition.check(object);
      expect(unknownFields).toEqual([]);
      expect(findings.length > 0).toBe(name === "invalid");
    }
  });
});

// An invalid replica is refused before anything is composed, so it has no expected state.
describe.each(examples.filter((name) => name !== "invalid"))("the expected state of %s", (name) => {
  it("has a status that the API server would keep whole", () => {
    const objects = replicas(`${name}/expected.yaml`);
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) {
      const { findings, unknownFields } = definition.check(object, "status");
      expect(unknownFields.filter((field) => field.startsWith("status."))).toEqual([]);
      expect(findings.filter(({ field }) => field.startsWith("status"))).toEqual([]);
    }
  });
});
