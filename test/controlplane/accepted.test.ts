import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCommand, runSluice } from "../../cli/dispatch.ts";
import { field, isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import { recorded } from "../support/terminal.ts";
import { pathOf } from "./client.ts";
import { ControlPlane } from "./control-plane.ts";
import { exampleFiles, root } from "./crossplane.ts";

/** The plural of every remote kind; Grove's own definition can't be had as a module. */
const PLURALS: Readonly<Record<string, string>> = {
  ConfigMap: "configmaps",
  Deployment: "deployments",
  Gateway: "gateways",
  HTTPRoute: "httproutes",
  InferencePool: "inferencepools",
  LeaderWorkerSet: "leaderworkersets",
  Namespace: "namespaces",
  ResourceClaimTemplate: "resourceclaimtemplates",
  Role: "roles",
  RoleBinding: "rolebindings",
  Service: "services",
  ServiceAccount: "serviceaccounts",
};
const NOT_TO_BE_HAD = new Set(["PodCliqueSet"]);

let plane: ControlPlane;
beforeAll(async () => {
  plane = await ControlPlane.start();
  await plane.applyDefinitions("gateway-api");
  await plane.applyDefinitions("inference-extension");
  await plane.applyDefinitions("lws");
});
afterAll(() => plane?.stop());

const examples = exampleFiles
  .filter((file) => file.endsWith("/xr.yaml"))
  .map((file) => file.split("/")[0] ?? "");

/** Every manifest that an example composes for a remote cluster, by what it is. */
async function manifests(example: string): Promise<ReadonlyMap<string, KubeObject>> {
  const { out } = await recorded(
    (terminal) => {
      const argv = ["preview", `examples/${example}`, "--assume", "ready", "-o", "json"];
      return runSluice(argv, ["preview"], loadCommand, () => "0", terminal);
    },
    { cwd: root },
  );
  const composed = listField(JSON.parse(out === "" ? "{}" : out), "composites").flatMap((one) =>
    listField(one, "composed"),
  );
  const found = new Map<string, KubeObject>();
  for (const one of composed) {
    const manifest = field(one, "object", "spec", "forProvider", "manifest");
    // What is only observed is never applied.
    const policies = listField(one, "object", "spec", "managementPolicies");
    if (!isRecord(manifest) || policies.join() === "Observe") continue;
    const { kind, metadata } = manifest as unknown as KubeObject;
    found.set(
      `${kind} ${metadata?.namespace ?? ""}/${metadata?.name}`,
      manifest as unknown as KubeObject,
    );
  }
  return found;
}

test.each(examples)(
  "what %s composes for a remote cluster is taken as it is, every field known",
  async (example) => {
    const found = await manifests(example);
    for (const [name, manifest] of found) {
      if (NOT_TO_BE_HAD.has(manifest.kind)) continue;
      const plural = PLURALS[manifest.kind];
      if (plural === undefined)
        throw new Error(`${name} is of a kind that this suite does not know`);
      const namespace = manifest.metadata?.namespace;
      if (namespace !== undefined) await plane.client.createNamespace(namespace);
      const path = `${pathOf(manifest, plural)}?dryRun=All&fieldManager=test&force=true&fieldValidation=Strict`;
      const { status, body, warnings } = await plane.client.applyAsIs(path, manifest);
      expect([name, status < 300, stringField(body, "message") ?? "", warnings]).toEqual([
        name,
        true,
        "",
        [],
      ]);
    }
  },
);

test("most examples compose something for a remote cluster", async () => {
  const counts = await Promise.all(
    examples.map(async (example) => (await manifests(example)).size),
  );
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(20);
});
