import { expect, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { gpus, inferenceCluster, keys, observed, required } from "../../test/support/deployment.ts";
import { shippedDefinitions } from "../shipped.ts";
import { inferenceClassHandler } from "./handler.ts";

const handler = inferenceClassHandler(shippedDefinitions());

function compose(
  answers: Parameters<typeof required>[0],
  devices: readonly Record<string, unknown>[] = [{ name: "gpu", ...gpus(8, 141) }],
  resources: Readonly<Record<string, KubeObject>> = {},
) {
  return handler.compose({
    composite: {
      apiVersion: "modelplane.ai/v1alpha1",
      kind: "InferenceClass",
      metadata: { name: "h200" },
      spec: { devices },
    },
    observed: observed(resources),
    required: required(answers),
    input: undefined,
  });
}

const user = inferenceCluster("east", [], {
  spec: { nodePools: [{ name: "gpu", className: "h200" }] },
});

test("a class in use is guarded, one that is not is not", () => {
  const composition = compose({ clusters: [inferenceCluster("west"), user] });
  expect(composition.resources).toMatchObject([
    {
      key: "usage-clusters",
      ready: true,
      object: {
        apiVersion: "protection.crossplane.io/v1beta1",
        kind: "ClusterUsage",
        spec: {
          of: {
            apiVersion: "modelplane.ai/v1alpha1",
            kind: "InferenceClass",
            resourceRef: { name: "h200" },
          },
          replayDeletion: true,
        },
      },
    },
  ]);
  expect(keys(compose({ clusters: [inferenceCluster("west")] }))).toEqual([]);
  expect(keys(compose({ clusters: [] }))).toEqual([]);
});

test("while clusters are not looked up the guard is as it was", () => {
  const guard = compose({ clusters: [user] }).resources[0]?.object as KubeObject;
  expect(keys(compose({}, undefined, { "usage-clusters": guard }))).toEqual(["usage-clusters"]);
  expect(keys(compose({}))).toEqual([]);
});

test("a class is accepted, or refused by field and value", () => {
  expect(compose({ clusters: [] })).toMatchObject({
    conditions: [{ type: "Accepted", status: "True", reason: "Available" }],
    results: [],
  });
  const bad = compose({ clusters: [user] }, [
    { name: "gpu", ...gpus(8, 141), capacity: { memory: { value: "10Mo" } } },
  ]);
  expect(bad).toMatchObject({
    ready: false,
    conditions: [
      {
        type: "Accepted",
        status: "False",
        reason: "InvalidSpec",
        message: expect.stringMatching(/spec\.devices\[0\]\.capacity\[memory\]\.value.*quantity/),
      },
    ],
  });
  expect(keys(bad)).toEqual(["usage-clusters"]);
});
