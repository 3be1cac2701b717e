import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { inferenceCluster, keys, observed, required } from "../../test/support/deployment.ts";
import { shippedDefinitions } from "../shipped.ts";
import { modelCacheHandler } from "./handler.ts";

const handler = modelCacheHandler(shippedDefinitions());
const spec = {
  source: "HuggingFace",
  huggingFace: { repo: "example/chat-8b", sizeGiB: 40 },
  clusterSelector: { matchLabels: { region: "eu" } },
};

function compose(
  answers: Parameters<typeof required>[0],
  composite: { readonly spec?: unknown; readonly status?: unknown } = {},
  resources: Readonly<Record<string, KubeObject>> = {},
) {
  return handler.compose({
    composite: {
      apiVersion: "modelplane.ai/v1alpha1",
      kind: "ModelCache",
      metadata: { name: "weights", namespace: "ml-team" },
      spec,
      ...composite,
    },
    observed: observed(resources),
    required: required(answers),
    input: undefined,
  });
}

const storing = (name: string) =>
  inferenceCluster(name, [], { status: { cache: { storageClassName: "fast" } } });

describe("a model cache composes nothing, is never ready, and", () => {
  test("asks for the clusters that it selects", () => {
    const { requirements, conditions, ready } = compose({});
    expect(requirements.clusters?.match).toEqual({ labels: { region: "eu" } });
    expect([conditions, ready]).toEqual([[], false]);
  });

  test("keeps its status until they are looked up", () => {
    const status = { summary: { ready: "0/1" }, conditions: [] };
    expect(compose({}, { status }).status).toEqual({ summary: { ready: "0/1" } });
  });

  test("lists those that can store it, and says that weights are fetched by hand", () => {
    const composition = compose({ clusters: [storing("a"), inferenceCluster("b"), storing("c")] });
    expect(composition).toMatchObject({
      resources: [],
      ready: false,
      results: [],
      conditions: [
        {
          type: "ClustersMatched",
          status: "True",
          message: "2 of 3 selected clusters have storage for caches",
        },
        { type: "ArtifactReady", status: "False", reason: "HydrationNotSupported" },
      ],
      status: {
        summary: { ready: "0/2" },
        clusters: [
          { name: "a", phase: "Pending" },
          { name: "c", phase: "Pending" },
        ],
      },
    });
    expect(composition.conditions[1]?.message).toMatch(
      /put example\/chat-8b into .* "modelcache-ml-team-weights-\w{5}"/,
    );
  });

  test.each([
    ["no cluster", [], "NoClusters"],
    ["none that can store it", [inferenceCluster("a")], "WaitingForClusters"],
  ])("tells %s", (_, clusters, reason) => {
    expect(compose({ clusters }).conditions[0]).toMatchObject({ status: "False", reason });
  });

  test("names what is wrong with its spec", () => {
    const composition = compose({ clusters: [] }, { spec: { source: "HuggingFace" } });
    expect(composition.conditions).toMatchObject([
      { reason: "InvalidSpec" },
      { reason: "InvalidSpec", message: expect.stringContaining("huggingFace") },
    ]);
    expect(composition.results).toMatchObject([{ severity: "Warning", reason: "InvalidSpec" }]);
  });
});

test.each([
  ["before the clusters are looked up", {}, {}],
  ["when there are none", { clusters: [] }, {}],
  ["for a spec that is refused", { clusters: [] }, { spec: {} }],
])("volumes that another program composed are kept %s", (_, answers, composite) => {
  const volume: KubeObject = {
    apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
    kind: "Object",
    metadata: { name: "weights-a", namespace: "ml-team" },
    spec: { forProvider: { manifest: { kind: "PersistentVolumeClaim" } } },
  };
  expect(keys(compose(answers, composite, { "pvc-a": volume }))).toEqual(["pvc-a"]);
});
