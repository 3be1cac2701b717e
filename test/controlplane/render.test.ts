import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCommand, runSluice } from "../../cli/dispatch.ts";
import { field, isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import { recorded } from "../support/terminal.ts";
import { binaryPath } from "./binaries.ts";
import { exampleFiles, readObjects, root } from "./crossplane.ts";
import { definitionOf, shippedKinds } from "./kinds.ts";

/** Examples whose XRs are composed; what is refused has no expected state. */
const examples = exampleFiles
  .filter((file) => file.endsWith("/xr.yaml"))
  .map((file) => file.split("/")[0] ?? "")
  .filter((name) => existsSync(join(root, "examples", name, "expected.yaml")))
  // XRs are rendered one at a time, so the second deployment would not see the first one's replicas.
  .filter((name) => name !== "deployment-contention");

/** What `sluice preview` prints as JSON with the reconciler of the real Crossplane. */
async function rendered(example: string): Promise<readonly unknown[]> {
  const { out, err } = await recorded(
    (terminal) => {
      const flags = ["--engine", "core", "--crossplane", binaryPath("crossplane"), "-o", "json"];
      return runSluice(
        ["preview", `examples/${example}`, ...flags],
        ["preview"],
        loadCommand,
        () => "0",
        terminal,
      );
    },
    { cwd: root },
  );
  if (out === "") throw new Error(err);
  return listField(JSON.parse(out), "composites");
}

/**
 * What both engines are compared by: the object as the API server would complete it, without what
 * only one of them knows. Core's engine neither defaults nor reconciles twice, so status is left out.
 */
function comparable(object: KubeObject): unknown {
  const checked = shippedKinds.has(object.kind)
    ? definitionOf(object.kind).check(object).object
    : object;
  const { status: _status, metadata = {}, ...rest } = checked;
  const { name, labels, annotations } = metadata;
  return JSON.parse(JSON.stringify({ ...rest, metadata: { name, labels, annotations } }));
}

const KEY = "crossplane.io/composition-resource-name";
const byKey = (objects: readonly KubeObject[]) =>
  objects
    .map((object) => [object.metadata?.annotations?.[KEY] ?? "", comparable(object)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** The composed resources of a composite in what a preview prints. */
function expectedOf(composite: KubeObject, all: readonly KubeObject[]): readonly KubeObject[] {
  return all.filter((object) =>
    listField(object, "metadata", "ownerReferences").some(
      (owner) =>
        stringField(owner, "kind") === composite.kind &&
        stringField(owner, "name") === composite.metadata?.name &&
        // A cluster-scoped composite composes into namespaces too, a namespaced one into its own.
        [undefined, object.metadata?.namespace].includes(composite.metadata?.namespace),
    ),
  );
}

test.each(examples)("%s: Crossplane's engine composes what the preview shows", async (example) => {
  const expected = readObjects(`examples/${example}/expected.yaml`);
  const composites = await rendered(example);
  expect(composites.length).toBeGreaterThan(0);
  for (const one of composites) {
    const composite = field(one, "composite") as KubeObject;
    const composed = listField(one, "composed").flatMap((entry) => {
      const object = field(entry, "object");
      return isRecord(object) ? [object as unknown as KubeObject] : [];
    });
    expect(byKey(composed)).toEqual(byKey(expectedOf(composite, expected)));
  }
});

test("most examples compose something", async () => {
  const counts = await Promise.all(
    examples.map(async (example) => {
      const composites = await rendered(example);
      return composites.reduce<number>((sum, one) => sum + listField(one, "composed").length, 0);
    }),
  );
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(20);
});
