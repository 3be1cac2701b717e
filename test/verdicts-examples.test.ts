import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readSource } from "../cli/source.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import { isRecord, type KubeObject } from "../kube/object.ts";

const definitions = shippedDefinitions();
const root = new URL("../examples/", import.meta.url);

const definitionOf = ({ apiVersion, kind }: KubeObject) => definitions.get(`${apiVersion}/${kind}`);

/** The objects in a file whose kinds we ship. */
function ours(file: string): readonly KubeObject[] {
  const source = readSource(readFileSync(new URL(file, root)));
  if (!source.ok) throw new Error(`${file}: ${source.message}`);
  return source.documents
    .map(({ value }) => value)
    .filter((value): value is KubeObject => isRecord(value))
    .filter((object) => definitionOf(object) !== undefined);
}

const examples = readdirSync(root)
  .filter((name) => existsSync(new URL(`${name}/xr.yaml`, root)))
  .sort();

describe.each(examples)("the example %s", (name) => {
  it("is valid, unless it is there to show what is not", () => {
    const objects = ours(`${name}/xr.yaml`);
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) {
      const checked = definitionOf(object)?.check(object);
      expect(checked?.unknownFields).toEqual([]);
      expect(checked?.findings.length !== 0).toBe(name === "invalid");
    }
  });

  it("reads objects that are valid, their status too", () => {
    const read = existsSync(new URL(`${name}/required.yaml`, root))
      ? ours(`${name}/required.yaml`)
      : [];
    for (const object of read) {
      const checked = definitionOf(object)?.check(object);
      expect([checked?.unknownFields, checked?.findings]).toEqual([[], []]);
    }
  });
});

// What is refused before anything is composed has no expected state.
const composing = examples.filter((name) => existsSync(new URL(`${name}/expected.yaml`, root)));

describe.each(composing)("the expected state of %s", (name) => {
  it("has a status that the API server would keep whole", () => {
    const objects = ours(`${name}/expected.yaml`);
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) {
      const checked = definitionOf(object)?.check(object, "status");
      const unknown = checked?.unknownFields.filter((field) => field.startsWith("status."));
      expect(unknown).toEqual([]);
      expect(checked?.findings.filter(({ field }) => field.startsWith("status"))).toEqual([]);
    }
  });
});
