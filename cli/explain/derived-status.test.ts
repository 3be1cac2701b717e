import { describe, expect, test } from "vitest";
import type { Handler } from "../../functions/composition/composition.ts";
import { shippedDefinitions } from "../../functions/shipped.ts";
import { findCondition } from "../../kube/conditions.ts";
import { field, type KubeObject, listField, stringField } from "../../kube/object.ts";
import { inferenceCluster } from "../../test/support/deployment.ts";
import { deriveStatuses } from "./derived-status.ts";

const apiVersion = "modelplane.ai/v1alpha1";

/** Publishes each pool with as many nodes as there are classes. */
const handler: Handler = {
  apiVersion,
  kind: "InferenceCluster",
  compose({ composite, required }) {
    const classes = required("classes");
    const nodes = classes.state === "present" ? classes.value.length : 0;
    const pools = listField(composite, "spec", "nodePools");
    return {
      resources: [],
      requirements: { classes: { apiVersion, kind: "InferenceClass", match: { labels: {} } } },
      conditions: [],
      results: [],
      status: { gpuPools: pools.map((pool) => ({ name: stringField(pool, "name"), nodes })) },
      ready: false,
    };
  },
};

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
  spec: { devices: [] },
};

const derive = (objects: readonly KubeObject[]) =>
  deriveStatuses(objects, shippedDefinitions(), [handler]);

describe("a cluster without a status", () => {
  test("has what its handler makes of its spec and the classes, and is taken as if ready", async () => {
    const { objects, assumed, problems } = await derive([bare, inferenceClass]);
    expect(problems).toEqual([]);
    expect(assumed).toEqual(["rome"]);
    const rome = objects.find(({ metadata }) => metadata?.name === "rome");
    expect(field(rome, "status", "gpuPools")).toEqual([{ name: "gpu", nodes: 1 }]);
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
