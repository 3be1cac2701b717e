import { describe, expect, test } from "vitest";
import { currentSpecHash } from "../../api/model-replica.ts";
import type { KubeObject } from "../../kube/object.ts";
import { createDeviceCatalogue } from "./devices.ts";
import { decodeCluster, decodeFleetReplica, decodeOwnReplica } from "./snapshot.ts";

const apiVersion = "modelplane.ai/v1alpha1";
const catalogue = createDeviceCatalogue();

function cluster(status: Record<string, unknown>, spec: Record<string, unknown> = {}) {
  const object = {
    apiVersion,
    kind: "InferenceCluster",
    metadata: { name: "paris" },
    spec,
    status,
  };
  return decodeCluster(object, catalogue);
}

const pools = (...gpuPools: readonly unknown[]) => cluster({ gpuPools }).pools;

describe("a cluster", () => {
  test("is what its spec and status say", () => {
    const taint = { key: "a", value: "b", effect: "NoSchedule" };
    const found = cluster(
      {
        conditions: [{ type: "Ready", status: "True" }],
        gateway: { address: "203.0.113.7", hostname: "paris.example" },
        cache: { storageClassName: "shared" },
        gpuPools: [{ name: "gpu", nodes: 4, costPerNodeHour: "2.5" }],
      },
      { taints: [taint] },
    );
    expect(found).toStrictEqual({
      name: "paris",
      ready: true,
      gatewayAddress: "203.0.113.7",
      cacheStorage: true,
      taints: [taint],
      pools: [
        { name: "gpu", nodes: 4, profile: catalogue.profile(undefined), costPerNodeHour: 25_000 },
      ],
    });
  });

  test("that says nothing takes nobody in, and its pools are unknown rather than gone", () => {
    expect(decodeCluster({ apiVersion, kind: "InferenceCluster" }, catalogue)).toStrictEqual({
      name: "",
      ready: false,
      notReady: "it has no condition Ready",
      gatewayAddress: undefined,
      cacheStorage: false,
      taints: [],
      pools: undefined,
    });
  });

  test.each([
    ["an empty address", { address: "" }, undefined],
    ["a host name alone", { hostname: "paris.example" }, "paris.example"],
    [
      "an empty address and a host name",
      { address: "", hostname: "paris.example" },
      "paris.example",
    ],
    ["an address that is no text", { address: 7 }, undefined],
  ])("with %s", (_, gateway, expected) => {
    expect(cluster({ gateway }).gatewayAddress).toBe(expected);
  });

  test("passes over malformed taints and keeps the others", () => {
    const taints = [
      "taint",
      { key: 5, effect: "NoExecute" },
      { key: "a", effect: "PreferNoSchedule" },
      { key: "b", effect: "NoExecute" },
    ];
    const expected = [{ key: "b", value: "", effect: "NoExecute" }];
    expect(cluster({}, { taints }).taints).toStrictEqual(expected);
    expect(cluster({}, { taints: "none" }).taints).toStrictEqual([]);
  });

  test.each([
    ["absent", {}, 0],
    ["zero", { nodes: 0 }, 0],
    ["negative", { nodes: -1 }, 0],
    ["null", { nodes: null }, 0],
    ["text", { nodes: "4" }, 0],
  ])("has no nodes in a pool whose number is %s", (_, entry, nodes) => {
    expect(pools({ name: "gpu", ...entry })?.map((pool) => pool.nodes)).toEqual([nodes]);
  });

  test.each([
    ["12.3456", 123_456],
    ["0", 0],
    ["0.05", 500],
    ["999999.9999", 9_999_999_999],
    ["1.00000", undefined],
    ["-1", undefined],
    ["1e3", undefined],
    [1, undefined],
    [undefined, undefined],
  ])("prices a node at %j in ten-thousandths", (costPerNodeHour, expected) => {
    expect(pools({ name: "gpu", costPerNodeHour })?.[0]?.costPerNodeHour).toBe(expected);
  });

  test("keeps its pools in order, each name once, and those alone that have one", () => {
    const list = [{ name: "b", nodes: 1 }, { name: "a" }, {}, "c", { name: "b", nodes: 9 }];
    expect(pools(...list)?.map(({ name, nodes }) => [name, nodes])).toEqual([
      ["b", 1],
      ["a", 0],
    ]);
  });
});

const claims = { nodePoolName: "gpu", deviceRequests: [{ name: "gpu" }] };

function replica(engines: unknown, change: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion,
    kind: "ModelReplica",
    metadata: {
      name: "chat-1a2b3",
      namespace: "ml-team",
      creationTimestamp: "2026-11-02T09:30:00Z",
      labels: { "modelplane.ai/deployment": "chat" },
    },
    spec: { clusterName: "paris", engines },
    ...change,
  };
}

describe("a replica of the fleet", () => {
  test("is what its object says", () => {
    const object = replica([{ name: "main", members: [{ role: "Standalone", ...claims }] }], {
      status: { served: true },
    });
    expect(decodeFleetReplica(object)).toStrictEqual({
      namespace: "ml-team",
      name: "chat-1a2b3",
      deployment: "chat",
      cluster: "paris",
      charges: [{ pool: "gpu", nodes: 1 }],
      created: "2026-11-02T09:30:00Z",
      served: true,
      deleting: false,
    });
  });

  test("that says nothing takes nothing", () => {
    expect(decodeFleetReplica({ apiVersion, kind: "ModelReplica" })).toStrictEqual({
      namespace: "",
      name: "",
      deployment: "",
      cluster: "",
      charges: [],
      created: "",
      served: false,
      deleting: false,
    });
  });

  test.each([
    ["a node for each copy", [{ copies: 3, members: [claims] }], { gpu: 3 }],
    [
      "a node for each pod of a gang",
      [
        {
          copies: 2,
          members: [
            { role: "Leader", ...claims },
            { role: "Worker", worker: { nodes: 3 }, ...claims },
          ],
        },
      ],
      { gpu: 8 },
    ],
    [
      "one for a Worker that does not say",
      [{ members: [{ role: "Worker", ...claims }] }],
      { gpu: 1 },
    ],
    [
      "one for whoever is no Worker",
      [{ members: [{ role: "Leader", worker: { nodes: 9 }, ...claims }] }],
      { gpu: 1 },
    ],
    [
      "nothing for a member that claims nothing",
      [{ members: [{ nodePoolName: "cpu", deviceRequests: [] }, { nodePoolName: "cpu" }, claims] }],
      { gpu: 1 },
    ],
    ["nothing for a negative number", [{ copies: -2, members: [claims] }], {}],
    ["nothing without a pool", [{ members: [{ deviceRequests: [{}] }] }], {}],
    [
      "nothing of what is malformed",
      ["engine", { members: ["member", { deviceRequests: {} }] }],
      {},
    ],
    [
      "each pool once, in order of first use",
      [
        { members: [{ ...claims, nodePoolName: "z" }] },
        { members: [claims] },
        { copies: 2, members: [{ ...claims, nodePoolName: "z" }] },
      ],
      { z: 3, gpu: 1 },
    ],
  ])("takes %s", (_, engines, expected) => {
    const { charges } = decodeFleetReplica(replica(engines));
    expect(charges.map(({ pool, nodes }) => [pool, nodes])).toEqual(Object.entries(expected));
  });

  test("is going once it is being deleted", () => {
    const metadata = { name: "r", deletionTimestamp: "2026-11-02T09:31:00Z" };
    expect(decodeFleetReplica(replica([], { metadata })).deleting).toBe(true);
  });
});

describe("a replica of the deployment", () => {
  test.each([
    ["replica-paris-0", "paris", 0],
    ["replica-eu-west-3-12", "eu-west-3", 12],
    ["replica-a--1", "a-", 1],
  ])("is told apart by its key %s", (key, name, index) => {
    expect(decodeOwnReplica(key, replica([]))).toMatchObject({ cluster: name, index });
  });

  test.each([
    "replica-paris",
    "replica-paris-01",
    "replica-paris--",
    "replica--0",
    "endpoint-paris-0",
    "replica-paris-9999999999",
  ])("has no key %s", (key) => {
    expect(decodeOwnReplica(key, replica([]))).toBeUndefined();
  });

  const spec = {
    clusterName: "paris",
    engines: [{ name: "main", members: [{ role: "Standalone", ...claims }] }],
  };
  const status = (hash: string, ready: string, serving = "False") => ({
    observedSpecHash: hash,
    conditions: [
      { type: "ModelReady", status: ready },
      { type: "ModelServing", status: serving },
    ],
  });
  const hash = currentSpecHash({ apiVersion, kind: "ModelReplica", spec });

  test.each([
    ["its status speaks of its spec", status(hash, "True"), true],
    ["not while that is not ready", status(hash, "False"), false],
    ["not while its status speaks of another", status("0123456789abcdef", "True"), false],
    ["not while its status speaks of none", { conditions: status("", "True").conditions }, false],
    ["not without a status", undefined, false],
  ])("is ready when %s", (_, state, expected) => {
    const crossplane = { resourceRefs: [{ name: "a" }] };
    const object = replica([], { spec: { ...spec, crossplane }, status: state });
    expect(decodeOwnReplica("replica-paris-0", object)?.ready).toBe(expected);
  });

  test("serves while requests reach it, whichever spec it runs", () => {
    const object = replica([], { status: status("", "False", "True") });
    expect(decodeOwnReplica("replica-paris-0", object)).toMatchObject({
      ready: false,
      serving: true,
    });
  });

  test("has the shape that it was stamped with", () => {
    expect(decodeOwnReplica("replica-paris-0", replica(spec.engines))?.engines).toStrictEqual([
      { name: "main", members: [{ role: "Standalone", pool: "gpu" }] },
    ]);
  });
});
