import { describe, expect, test } from "vitest";
import { createHandlers } from "../../functions/handlers.ts";
import { shippedDefinitions } from "../../functions/shipped.ts";
import { findCondition } from "../../kube/conditions.ts";
import { field, type KubeObject, stringField } from "../../kube/object.ts";
import { gpus, inferenceCluster } from "../../test/support/deployment.ts";
import { deriveStatuses } from "./derived-status.ts";

const apiVersion = "modelplane.ai/v1alpha1";

const bare: KubeObject = {
  apiVersion,
  kind: "InferenceCluster",
  metadata: { name: "rome", labels: { tier: "gold" } },
  spec: {
    cluster: { source: "Existing", existing: { secretRef: { name: "rome" } } },
    nodePools: [{ name: "gpu", className: "h200" }],
  },
};
const inferenceClass: KubeObject = {
  apiVersion,
  kind: "InferenceClass",
  metadata: { name: "h200" },
  spec: { costPerNodeHour: "98.32", devices: [{ name: "gpu", ...gpus(8, 141) }] },
};

const definitions = shippedDefinitions();
const derive = (objects: readonly KubeObject[]) =>
  deriveStatuses(objects, definitions, createHandlers(definitions));

describe("a cluster without a status", () => {
  test("has what its handler makes of its spec and the classes, and is taken as if ready", async () => {
    const { objects, assumed, problems } = await derive([bare, inferenceClass]);
    expect(problems).toEqual([]);
    expect(assumed).toEqual(["rome"]);
    const rome = objects.find(({ metadata }) => metadata?.name === "rome");
    expect(field(rome, "status", "gpuPools")).toEqual([
      {
        name: "gpu",
        nodes: 1,
        costPerNodeHour: "98.32",
        devices: [{ name: "gpu", claim: "DRA", ...gpus(8, 141) }],
      },
    ]);
    expect(findCondition(rome, "Ready")?.status).toBe("True");
    expect(stringField(rome, "status", "gateway", "address")).toBe("192.0.2.1");
    expect(rome?.metadata?.labels).toMatchObject({ tier: "gold" });
    expect(objects).toContain(inferenceClass);
  });

  test("leaves one that has a status as it is", async () => {
    const paris = inferenceCluster("paris", [], { ready: "False" });
    expect(await derive([paris, inferenceClass])).toEqual({
      objects: [paris, inferenceClass],
      assumed: [],
      notes: [],
      problems: [],
    });
  });

  test("is told about where its spec is refused", async () => {
    const { problems } = await derive([{ ...bare, spec: {} }]);
    expect(problems).toEqual(["InferenceCluster rome: spec.cluster: Required value"]);
  });

  test("is told about where nobody composes it", async () => {
    const { problems } = await deriveStatuses([bare], shippedDefinitions(), []);
    expect(problems).toEqual([expect.stringContaining("sluice does not compose InferenceCluster")]);
  });
});
