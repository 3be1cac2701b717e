import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findCondition } from "../../kube/conditions.ts";
import { field, isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import { ended, freePorts } from "./control-plane.ts";
import { exampleFiles, readObjects, root, serves } from "./crossplane.ts";
import { definitionOf, shippedKinds } from "./kinds.ts";
import { render } from "./render.ts";

const KEY = "crossplane.io/composition-resource-name";

let address: string;
let server: ChildProcess;
beforeAll(async () => {
  const [port] = await freePorts(1);
  address = `127.0.0.1:${port}`;
  const flags = ["--insecure", "--address", address, "--metrics-address", "127.0.0.1:0"];
  server = spawn(process.execPath, ["functions/main.ts", ...flags], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
  });
  await serves(server);
});
afterAll(async () => {
  server.kill("SIGTERM");
  await ended(server);
});

/** Examples whose XRs are composed; what is refused has no expected state. */
const examples = exampleFiles
  .filter((file) => file.endsWith("/xr.yaml"))
  .map((file) => file.split("/")[0] ?? "")
  .filter((name) => existsSync(join(root, "examples", name, "expected.yaml")));

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

const keyOf = ({ metadata }: KubeObject) => metadata?.annotations?.[KEY] ?? "";

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

/** The replicas of other deployments: XRs are rendered one at a time, and each reads those of all. */
function othersReplicas(composite: KubeObject, all: readonly KubeObject[]): readonly KubeObject[] {
  return all.filter(
    ({ kind, metadata }) =>
      composite.kind === "ModelDeployment" &&
      kind === "ModelReplica" &&
      metadata?.namespace !== composite.metadata?.namespace,
  );
}

test.each(examples)("%s: Crossplane's engine composes what the preview shows", async (example) => {
  const read = (file: string) =>
    existsSync(join(root, "examples", example, file))
      ? readObjects(`examples/${example}/${file}`)
      : [];
  const expected = read("expected.yaml");
  const [composition] = read("composition.yaml") as [KubeObject];
  for (const given of read("xr.yaml")) {
    if (!shippedKinds.has(given.kind)) continue;
    const { namespaced } = definitionOf(given.kind);
    const namespace = given.metadata?.namespace ?? "default";
    const composite = {
      ...definitionOf(given.kind).check(given).object,
      metadata: { ...given.metadata, ...(namespaced ? { namespace } : {}) },
    };
    const wanted = expectedOf(composite, expected);
    const rendered = await render({
      composite,
      composition,
      functions: { "function-sluice": address },
      observed: read("observed.yaml"),
      required: [...read("required.yaml"), ...othersReplicas(composite, expected)],
    });
    const sorted = (objects: readonly KubeObject[]) =>
      objects
        .map((object) => [keyOf(object), comparable(object)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1));
    expect(sorted(rendered.composed)).toEqual(sorted(wanted));
    const synced = findCondition(rendered.composite, "Synced")?.status;
    expect([isRecord(field(rendered.composite, "status")), synced]).toEqual([true, "True"]);
  }
});
