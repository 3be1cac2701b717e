import { describe, expect, test } from "vitest";
import { modelDeploymentHandler } from "../functions/model-deployment/handler.ts";
import { createRefusals } from "../functions/model-replica/refusals.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import {
  condition,
  deployment,
  engine,
  gpus,
  inferenceCluster,
  keys,
  memoryAtLeast,
  pool,
} from "./support/deployment.ts";
import { DeploymentRun } from "./support/deployment-run.ts";

const handler = modelDeploymentHandler(shippedDefinitions(), createRefusals());
const run = (
  spec: Record<string, unknown> = {},
  template: Record<string, unknown> = {},
  change: Record<string, unknown> = {},
) => new DeploymentRun(handler, deployment(spec, template, change));

const one = (name: string, nodes = 1, more: Parameters<typeof inferenceCluster>[2] = {}) =>
  inferenceCluster(name, [pool("gpu", nodes)], more);

describe("a new deployment", () => {
  test("asks for the clusters that its selector matches and for all replicas", () => {
    const { requirements } = run({}, { clusterSelector: { matchLabels: { region: "eu" } } }).pass(
      {},
    );
    expect(requirements).toEqual({
      clusters: {
        apiVersion: "modelplane.ai/v1alpha1",
        kind: "InferenceCluster",
        match: { labels: { region: "eu" } },
      },
      "all-replicas": {
        apiVersion: "modelplane.ai/v1alpha1",
        kind: "ModelReplica",
        match: { labels: {} },
      },
    });
  });

  test("places its replicas and says so until they are there", () => {
    const chat = run({ replicas: 2 });
    const composition = chat.pass({ clusters: [one("a"), one("b")] });
    expect(keys(composition)).toEqual(["replica-a-0", "replica-b-0"]);
    expect(condition(composition, "ReplicasScheduled")).toMatchObject({
      status: "False",
      reason: "Scheduling",
    });
    expect(composition.status).toMatchObject({
      replicas: { desired: 2, total: 2, ready: 0, updated: 2 },
      reason: "Scheduling",
    });
    expect(composition.results).toEqual([
      {
        severity: "Normal",
        reason: "ReplicasScheduled",
        message: "Scheduled 2 replicas on 2 clusters: a, b",
      },
    ]);
    expect(composition.ready).toBeUndefined();
  });

  test("stamps name, labels, pin, claims and the served model name", () => {
    const chat = run(
      {
        template: {
          metadata: { labels: { tier: "gold", "modelplane.ai/x": "y" } },
          spec: { engines: [engine({}, [memoryAtLeast(80)])] },
        },
      },
      {},
      { metadata: { name: "my-model", namespace: "ml-team" } },
    );
    chat.edit((spec) => ({
      ...spec,
      template: {
        ...(spec.template as object),
        metadata: { labels: { tier: "gold" } },
      },
    }));
    const cluster = one("cluster-a", 1, {
      spec: { placement: { metadata: { labels: { zone: "z1", tier: "silver" } } } },
    });
    const [replica] = chat.pass({ clusters: [cluster] }).resources;
    expect(replica?.object).toMatchObject({
      apiVersion: "modelplane.ai/v1alpha1",
      kind: "ModelReplica",
      metadata: {
        name: "my-model-5ab63",
        labels: {
          tier: "silver",
          zone: "z1",
          "modelplane.ai/deployment": "my-model",
          "modelplane.ai/cluster": "cluster-a",
          "modelplane.ai/replica-index": "0",
        },
      },
      spec: {
        clusterName: "cluster-a",
        engines: [
          {
            name: "main",
            copies: 1,
            members: [
              {
                role: "Standalone",
                nodePoolName: "gpu",
                deviceRequests: [
                  {
                    name: "gpu",
                    deviceClassName: "gpu.nvidia.com",
                    count: 1,
                    selectors: [{ cel: memoryAtLeast(80) }],
                  },
                ],
                template: {
                  spec: {
                    containers: [
                      {
                        name: "engine",
                        env: [{ name: "MODELPLANE_SERVED_MODEL_NAME", value: "ml-team/my-model" }],
                      },
                    ],
                  },
                },
              },
            ],
          },
        ],
      },
    });
    expect(replica?.object.metadata?.labels?.["modelplane.ai/template-hash"]).toMatch(
      /^[0-9a-f]{10}$/,
    );
  });

  test("is ready with an endpoint for each replica once all serve", () => {
    const chat = run({ replicas: 2 });
    const composition = chat.settle({ clusters: [one("a"), one("b")] });
    expect(keys(composition)).toEqual([
      "endpoint-a-0",
      "endpoint-b-0",
      "replica-a-0",
      "replica-b-0",
    ]);
    expect(composition.conditions).toMatchObject([
      { type: "ReplicasScheduled", status: "True", reason: "ReplicasCreated" },
      {
        type: "ReplicasReady",
        status: "True",
        reason: "AllReplicasReady",
        message: "2 of 2 ready",
      },
      { type: "ReplicasUpdated", status: "True", reason: "AllReplicasUpdated" },
    ]);
    expect(composition.results).toEqual([]);
    expect(composition.ready).toBeUndefined();
    expect(composition.resources.every(({ ready }) => ready)).toBe(true);
    const endpoint = chat.replica("endpoint-a-0");
    expect(endpoint).toMatchObject({
      kind: "ModelEndpoint",
      metadata: { name: chat.replica("replica-a-0").metadata?.name },
      spec: { origin: "http://203.0.113.7", model: "ml-team/chat" },
    });
  });

  test("says why too few fit, and is not ready", () => {
    const composition = run({ replicas: 3 }).settle({ clusters: [one("a"), one("b")] });
    expect(condition(composition, "ReplicasScheduled")).toMatchObject({
      status: "False",
      reason: "PartiallyScheduled",
      message:
        "2 of 3 replicas scheduled: 0/2 clusters fit: 2 short of 1 node (held by this deployment)",
    });
    expect(composition.ready).toBe(false);
  });

  test("with no cluster that fits is not ready", () => {
    const composition = run().pass({
      clusters: [inferenceCluster("a", [pool("gpu", 1, [gpus(0, 141)])])],
    });
    expect(keys(composition)).toEqual([]);
    expect(condition(composition, "ReplicasScheduled")).toMatchObject({
      status: "False",
      reason: "InsufficientCapacity",
    });
    expect(composition.ready).toBe(false);
  });
});

describe("nothing is deleted because an input is missing or wrong", () => {
  const clusters = [one("a"), one("b")];
  const standing = () => {
    const chat = run({ replicas: 2 });
    chat.settle({ clusters });
    return chat;
  };
  const all = ["endpoint-a-0", "endpoint-b-0", "replica-a-0", "replica-b-0"];

  test("not before Crossplane has looked up the fleet", () => {
    const composition = standing().pass({});
    expect(keys(composition)).toEqual(all);
    expect(composition.conditions).toEqual([]);
  });

  test("not while the list of clusters is empty", () => {
    const chat = standing();
    const composition = chat.pass({ clusters: [] });
    expect(keys(composition)).toEqual(all);
    expect(condition(composition, "Holding")).toMatchObject({
      status: "True",
      reason: "NoClusters",
    });
    expect(composition.results).toMatchObject([{ severity: "Warning", reason: "NoClusters" }]);
    const again = chat.pass({ clusters: [] });
    expect(again.results).toEqual([]);
    const back = chat.pass({ clusters });
    expect(keys(back)).toEqual(all);
    expect(condition(back, "Holding")).toMatchObject({ status: "False", reason: "Released" });
  });

  test("not for a selector that does not compile", () => {
    const chat = standing();
    chat.edit((spec) => ({
      ...spec,
      template: { spec: { engines: [engine({}, ["device.driver =="])] } },
    }));
    const before = new Map(chat.objects);
    const composition = chat.pass({ clusters });
    expect(keys(composition)).toEqual(all);
    expect(condition(composition, "Holding")).toMatchObject({
      status: "True",
      reason: "InvalidNodeSelector",
    });
    expect(condition(composition, "Holding")?.message).toContain(
      "spec.template.spec.engines[0].members[0].nodeSelector.devices[0].selectors[0].cel",
    );
    expect(composition.ready).toBe(false);
    expect(new Map(chat.objects)).toEqual(before);
  });

  test("not for a spec that the XRD or a cluster would refuse", () => {
    const chat = standing();
    const bad = engine();
    const [member] = bad.members as readonly Record<string, unknown>[];
    chat.edit((spec) => ({
      ...spec,
      template: {
        spec: {
          engines: [
            {
              ...bad,
              members: [
                {
                  ...member,
                  template: { spec: { containers: [{ name: "engine", image: " x" }] } },
                },
              ],
            },
          ],
        },
      },
    }));
    const composition = chat.pass({ clusters });
    expect(keys(composition)).toEqual(all);
    expect(condition(composition, "Holding")).toMatchObject({ reason: "InvalidSpec" });
    expect(condition(composition, "Holding")?.message).toContain(
      "spec.template.spec.engines[0].members[0].template.spec.containers[0].image",
    );
  });

  test("not while a ModelCache is absent", () => {
    const chat = run({ replicas: 2 }, { modelCacheRef: { name: "weights" } });
    const stored = { status: { cache: { storageClassName: "fast" } } };
    const cached = [one("a", 1, stored), one("b", 1, stored)];
    const cache = { apiVersion: "modelplane.ai/v1alpha1", kind: "ModelCache" };
    chat.settle({ clusters: cached, caches: [cache] });
    const composition = chat.pass({ clusters: cached, caches: [] });
    expect(keys(composition)).toEqual(all);
    expect(condition(composition, "ModelCacheResolved")).toMatchObject({
      status: "False",
      reason: "ModelCacheNotFound",
    });
  });

  test("yet a scale-down is carried out in every hold", () => {
    const chat = standing();
    chat.fail("replica-a-0");
    chat.edit((spec) => ({ ...spec, replicas: 1 }));
    expect(keys(chat.compose({ clusters: [] }))).toEqual(["endpoint-b-0", "replica-b-0"]);
    chat.edit((spec) => ({ ...spec, replicas: 0 }));
    expect(keys(chat.compose({ clusters: [] }))).toEqual([]);
  });
});

describe("scaled to zero", () => {
  test("lets all go and says so, and comes back", () => {
    const chat = run({ replicas: 2 });
    const clusters = [one("a"), one("b")];
    chat.settle({ clusters });
    chat.edit((spec) => ({ ...spec, replicas: 0 }));
    const none = chat.settle({ clusters });
    expect(keys(none)).toEqual([]);
    for (const type of ["ReplicasScheduled", "ReplicasReady", "ReplicasUpdated"]) {
      expect(condition(none, type)).toMatchObject({ status: "True", reason: "ScaledToZero" });
    }
    expect(none.ready).toBe(false);
    chat.edit((spec) => ({ ...spec, replicas: 2 }));
    chat.settle({ clusters });
    expect(chat.replicas()).toEqual(["replica-a-0", "replica-b-0"]);
  });
});

describe("edge cases of the fleet layer, by their numbers", () => {
  const clusters = [one("a")];
  const endpoints = (run_: DeploymentRun) => run_.endpoints();

  test("89: a fresh replica has no endpoint, and the deployment is scheduling", () => {
    const chat = run();
    const composition = chat.pass({ clusters });
    expect([endpoints(chat), condition(composition, "ReplicasScheduled")?.reason]).toEqual([
      [],
      "Scheduling",
    ]);
  });

  test("90: a ready one has one, and all replicas are ready", () => {
    const chat = run();
    const composition = chat.settle({ clusters });
    expect([endpoints(chat), condition(composition, "ReplicasReady")?.reason]).toEqual([
      ["endpoint-a-0"],
      "AllReplicasReady",
    ]);
  });

  test("91: when it goes unready its endpoint is withdrawn", () => {
    const chat = run();
    chat.settle({ clusters });
    chat.fail("replica-a-0");
    chat.pass({ clusters });
    expect([chat.replicas(), endpoints(chat)]).toEqual([["replica-a-0"], []]);
  });

  test("91, while its conditions are Unknown after a failed step its endpoint is kept", () => {
    const chat = run();
    chat.settle({ clusters });
    const replica = chat.replica("replica-a-0");
    const status = {
      ...(replica.status as object),
      conditions: [{ type: "ModelServing", status: "Unknown" }],
    };
    chat.objects.set("replica-a-0", { ...replica, status });
    chat.pass({ clusters });
    expect(endpoints(chat)).toEqual(["endpoint-a-0"]);
  });

  const cacheFor = (region: string) => ({
    apiVersion: "modelplane.ai/v1alpha1",
    kind: "ModelCache",
    spec: { clusterSelector: { matchLabels: { region } } },
  });
  const template = {
    modelCacheRef: { name: "weights" },
    clusterSelector: { matchLabels: { tier: "gold" } },
  };
  const labelled = (name: string, labels: Record<string, string>) =>
    one(name, 1, { labels, status: { cache: { storageClassName: "fast" } } });

  test("92: a cluster must match the deployment's selector and the cache's", () => {
    const chat = run({}, template);
    const composition = chat.pass({
      clusters: [
        labelled("a", { tier: "gold" }),
        labelled("b", { region: "eu" }),
        labelled("c", { tier: "gold", region: "eu" }),
      ],
      caches: [cacheFor("eu")],
    });
    expect(chat.replicas()).toEqual(["replica-c-0"]);
    expect(composition.requirements.clusters?.match).toEqual({
      labels: { tier: "gold", region: "eu" },
    });
  });

  test("92: selectors that contradict each other match nothing, and say so", () => {
    const chat = run({}, { ...template, clusterSelector: { matchLabels: { region: "us" } } });
    const composition = chat.pass({
      clusters: [labelled("a", { region: "us" }), labelled("b", { region: "eu" })],
      caches: [cacheFor("eu")],
    });
    expect(chat.replicas()).toEqual([]);
    expect(condition(composition, "ReplicasScheduled")).toMatchObject({
      status: "False",
      reason: "SelectorsContradict",
      message: expect.stringContaining('label "region"'),
    });
  });

  test("93: a deleted cache keeps the replicas, with one warning", () => {
    const chat = run({}, { modelCacheRef: { name: "weights" } });
    const fleet = { clusters: [labelled("a", { region: "eu" })], caches: [cacheFor("eu")] };
    chat.settle(fleet);
    const composition = chat.pass({ ...fleet, caches: [] });
    expect(chat.replicas()).toEqual(["replica-a-0"]);
    expect(composition.results).toMatchObject([
      { severity: "Warning", reason: "ModelCacheNotFound" },
    ]);
    expect(chat.pass({ ...fleet, caches: [] }).results).toEqual([]);
  });

  test("94: a managed label wins over one of the cluster's", () => {
    const cluster = one("a", 1, {
      spec: { placement: { metadata: { labels: { "modelplane.ai/deployment": "other" } } } },
    });
    const chat = run();
    chat.pass({ clusters: [cluster] });
    expect(chat.replica("replica-a-0").metadata?.labels).toMatchObject({
      "modelplane.ai/deployment": "chat",
    });
  });
});

describe("why nothing is ready is told apart", () => {
  test.each([
    ["no clusters", run(), [], "NoClusters", "There are no InferenceClusters"],
    [
      "none that matches",
      run({}, { clusterSelector: { matchLabels: { region: "eu" } } }),
      [one("a")],
      "NoClusters",
      "No InferenceCluster has the labels region=eu that spec.template.spec.clusterSelector asks for: label one, or correct the selector",
    ],
    [
      "none that is ready",
      run(),
      [one("a", 1, { ready: "False" })],
      "InsufficientCapacity",
      "0 of 1 replicas scheduled: 0/1 clusters fit: 1 not ready",
    ],
  ] as const)("%s", (_, chat, clusters, reason, message) => {
    const composition = chat.pass({ clusters });
    expect(condition(composition, "ReplicasScheduled")).toMatchObject({
      status: "False",
      reason,
      message,
    });
    expect(composition.ready).toBe(false);
  });
});
