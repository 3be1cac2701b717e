import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { condition, gpus, keys, observed, required } from "../../test/support/deployment.ts";
import type { Composition } from "../composition/composition.ts";
import { shippedDefinitions } from "../shipped.ts";
import { inferenceClusterHandler } from "./handler.ts";

const handler = inferenceClusterHandler(shippedDefinitions());

function cluster(
  spec: Record<string, unknown> = {},
  status: Record<string, unknown> = {},
): KubeObject {
  return {
    apiVersion: "modelplane.ai/v1alpha1",
    kind: "InferenceCluster",
    metadata: { name: "test-cluster", uid: "u" },
    spec: {
      cluster: {
        source: "Existing",
        existing: {
          secretRef: { name: "east-kubeconfig" },
          components: "Provided",
          cache: { storageClassName: "fast" },
        },
      },
      nodePools: [{ name: "gpu", className: "h200", nodeCount: 2, maxNodeCount: 8 }],
      ...spec,
    },
    status,
  };
}

const h200: KubeObject = {
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "InferenceClass",
  metadata: { name: "h200" },
  spec: { costPerNodeHour: "98.32", devices: [{ name: "gpu", ...gpus(8, 141) }] },
};

const replica: KubeObject = {
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "ModelReplica",
  metadata: { name: "chat", namespace: "ml" },
};

/** The Object that looks at the gateway, as the provider left it. */
function seen(
  addresses: readonly Record<string, string>[] | undefined,
  synced = "True",
): KubeObject {
  return {
    apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
    kind: "Object",
    metadata: { name: "gateway", namespace: "modelplane-system" },
    spec: { forProvider: { manifest: { kind: "Gateway" } } },
    status: {
      conditions: [
        {
          type: "Synced",
          status: synced,
          reason: "x",
          message: synced === "True" ? "" : "forbidden",
        },
      ],
      ...(addresses === undefined
        ? {}
        : { atProvider: { manifest: { kind: "Gateway", status: { addresses } } } }),
    },
  };
}

const config: KubeObject = {
  apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
  kind: "ClusterProviderConfig",
  metadata: { name: "test-cluster-cluster-kubeconfig-d0f89" },
  spec: { credentials: { source: "Secret" } },
};

function compose(
  composite: KubeObject,
  answers: Parameters<typeof required>[0],
  resources: Readonly<Record<string, KubeObject>> = {},
): Composition {
  return handler.compose({
    composite,
    observed: observed(resources),
    required: required(answers),
    input: undefined,
  });
}

const all = { "class-h200": [h200], replicas: [replica] };
const reached = {
  "provider-config": config,
  gateway: seen([{ type: "IPAddress", value: "203.0.113.7" }]),
};

describe("an existing cluster", () => {
  test("is reached by its kubeconfig, its gateway observed, and guarded while replicas are on it", () => {
    const composition = compose(cluster(), all);
    expect(composition.resources).toMatchObject([
      {
        key: "provider-config",
        ready: false,
        object: {
          kind: "ClusterProviderConfig",
          metadata: { name: "test-cluster-cluster-kubeconfig-d0f89" },
          spec: {
            credentials: {
              source: "Secret",
              secretRef: {
                namespace: "modelplane-system",
                name: "east-kubeconfig",
                key: "kubeconfig",
              },
            },
          },
        },
      },
      {
        key: "gateway",
        ready: false,
        object: {
          kind: "Object",
          metadata: { namespace: "modelplane-system" },
          spec: { managementPolicies: ["Observe"] },
        },
      },
      {
        key: "usage-replicas",
        ready: true,
        object: { kind: "ClusterUsage", spec: { of: { resourceRef: { name: "test-cluster" } } } },
      },
    ]);
    expect(composition.requirements).toMatchObject({
      replicas: {
        kind: "ModelReplica",
        match: { labels: { "modelplane.ai/cluster": "test-cluster" } },
      },
      "class-h200": { kind: "InferenceClass", match: { name: "h200" } },
    });
  });

  test("publishes its pools by their classes, with the nodes that they may grow to", () => {
    const { status, ready, conditions } = compose(cluster(), all, reached);
    expect(status).toEqual({
      providerConfigRef: { name: "test-cluster-cluster-kubeconfig-d0f89" },
      namespace: "modelplane-system",
      gateway: { address: "203.0.113.7" },
      cache: { storageClassName: "fast" },
      gpuPools: [
        {
          name: "gpu",
          nodes: 8,
          costPerNodeHour: "98.32",
          devices: [{ name: "gpu", ...gpus(8, 141) }],
        },
      ],
    });
    expect(ready).toBeUndefined();
    expect(
      conditions.map(({ type, status: state, reason }) => `${type} ${state} ${reason}`),
    ).toEqual([
      "ClusterReady True ClusterReachable",
      "GatewayReady True AddressAssigned",
      "ClassesResolved True ClassesResolved",
      "RequirementsMet True Provided",
    ]);
  });

  test("has no guard once no replica is on it, and keeps it while that is not known", () => {
    const guard = compose(cluster(), all).resources.at(-1)?.object as KubeObject;
    const observedGuard = { ...reached, "usage-replicas": guard };
    expect(
      keys(compose(cluster(), { "class-h200": [h200], replicas: [] }, observedGuard)),
    ).not.toContain("usage-replicas");
    expect(keys(compose(cluster(), {}, observedGuard))).toContain("usage-replicas");
  });
});

describe("the gateway's address", () => {
  const last = cluster({}, { gateway: { address: "198.51.100.1", caCertificate: "PEM" } });
  const addressOf = (gateway: KubeObject | undefined) =>
    compose(last, all, gateway === undefined ? {} : { gateway }).status.gateway;

  test.each([
    [
      "stays while the gateway was never seen",
      undefined,
      { address: "198.51.100.1", caCertificate: "PEM" },
    ],
    [
      "stays while the cluster can't be read",
      seen(undefined, "False"),
      { address: "198.51.100.1", caCertificate: "PEM" },
    ],
    [
      "follows what is seen",
      seen([{ type: "IPAddress", value: "203.0.113.9" }]),
      { address: "203.0.113.9", caCertificate: "PEM" },
    ],
    [
      "may be a host name",
      seen([{ type: "Hostname", value: "gw.example" }]),
      { address: "gw.example", hostname: "gw.example", caCertificate: "PEM" },
    ],
    ["goes once the gateway is seen without one", seen([]), undefined],
  ])("%s", (_, gateway, address) => {
    expect(addressOf(gateway)).toEqual(address);
  });

  test("that is kept while the cluster can't be read makes nobody believe that it can be", () => {
    for (const gateway of [
      seen(undefined, "False"),
      seen([{ type: "IPAddress", value: "198.51.100.1" }], "False"),
    ]) {
      const composition = compose(last, all, { gateway });
      expect(condition(composition, "GatewayReady")).toMatchObject({
        status: "False",
        reason: "NotSeen",
        message: expect.stringContaining("198.51.100.1"),
      });
      expect(composition.resources.find(({ key }) => key === "gateway")?.ready).toBe(false);
    }
  });

  test("that is missing is said, with what the provider says", () => {
    const forbidden = compose(cluster(), all, { gateway: seen(undefined, "False") });
    expect(condition(forbidden, "ClusterReady")?.message).toMatch(
      /Secret modelplane-system\/east-kubeconfig.*forbidden/,
    );
    expect(condition(compose(cluster(), all, { gateway: seen([]) }), "GatewayReady")).toMatchObject(
      {
        status: "False",
        reason: "NoAddress",
      },
    );
  });
});

describe("a class", () => {
  const published = [{ name: "gpu", nodes: 8, devices: [{ name: "gpu", driver: "d", count: 8 }] }];
  const last = cluster({}, { gpuPools: published });

  test("that disappears withdraws nothing, the guard least of all (104), and is named", () => {
    const composition = compose(last, { "class-h200": [], replicas: [replica] }, reached);
    expect(composition.status.gpuPools).toEqual(published);
    expect(keys(composition)).toEqual(["gateway", "provider-config", "usage-replicas"]);
    expect(condition(composition, "ClassesResolved")).toMatchObject({
      status: "False",
      reason: "WaitingForClasses",
      message: expect.stringContaining('InferenceClass "h200"'),
    });
    expect(composition.results).toMatchObject([
      { severity: "Warning", reason: "WaitingForClasses" },
    ]);
    expect(composition.ready).toBeUndefined();
  });

  test("that is not looked up yet neither", () => {
    const composition = compose(last, {}, reached);
    expect([composition.status.gpuPools, composition.results]).toEqual([published, []]);
  });

  test.each([
    [
      "a version of two numbers",
      { attributes: { v: { version: "9.0" } } },
      /attributes\[v\]\.version/,
    ],
    [
      "a capacity that is no quantity",
      { capacity: { memory: { value: "10Mo" } } },
      /capacity\[memory\]\.value/,
    ],
  ])("with %s withdraws nothing and is named", (_, device, field) => {
    const spec = { devices: [{ name: "gpu", ...gpus(8, 141), ...device }] };
    const answers = { "class-h200": [{ ...h200, spec }], replicas: [replica] };
    const composition = compose(last, answers, reached);
    expect(composition.status.gpuPools).toEqual(published);
    expect(composition.ready).toBeUndefined();
    const resolved = condition(composition, "ClassesResolved");
    expect(resolved).toMatchObject({ status: "False", reason: "InvalidClass" });
    expect(resolved?.message).toMatch(/InferenceClass "h200": spec\.devices\[0\]/);
    expect(resolved?.message).toMatch(field);
    expect(composition.results).toMatchObject([{ severity: "Warning", reason: "InvalidClass" }]);
  });

  test("whose name no object can have is missing, and not asked for", () => {
    const spec = { nodePools: [{ name: "gpu", className: "a/b" }] };
    const composition = compose(cluster(spec, last.status as Record<string, unknown>), {
      replicas: [],
    });
    expect(Object.keys(composition.requirements)).toEqual(["replicas"]);
    expect(composition.status.gpuPools).toEqual([{ ...published[0], nodes: 1 }]);
    expect(condition(composition, "ClassesResolved")?.message).toMatch(/no InferenceClass "a\/b"/);
  });

  test("that never was there leaves the cluster unready", () => {
    const composition = compose(cluster(), { "class-h200": [], replicas: [] }, reached);
    expect([composition.status.gpuPools, composition.ready]).toEqual([undefined, false]);
  });

  describe("of one pool of two", () => {
    const nodePools = ["p1", "p2"].map((name) => ({ name, className: `class-${name}` }));
    const answers = { "class-class-p1": [h200], replicas: [] };
    const gpuPools = nodePools.map(({ name }) => ({ name, nodes: 1, devices: [] }));

    test.each([
      ["missing", { "class-class-p2": [] }],
      ["not looked up yet", {}],
      ["refused", { "class-class-p2": [{ ...h200, spec: { devices: [{}] } }] }],
    ])("that is %s publishes none where none is on record", (_, more) => {
      const composition = compose(cluster({ nodePools }), { ...answers, ...more }, reached);
      expect([composition.status.gpuPools, composition.ready]).toEqual([undefined, false]);
    });

    test("that is missing leaves those that are on record", () => {
      const composition = compose(cluster({ nodePools }, { gpuPools }), answers, reached);
      const names = (composition.status.gpuPools as typeof gpuPools).map(({ name }) => name);
      expect(names).toEqual(["p1", "p2"]);
    });
  });
});

describe("nothing is withdrawn", () => {
  const stack: KubeObject = {
    apiVersion: "infrastructure.modelplane.ai/v1alpha1",
    kind: "ServingStack",
    metadata: { name: "stack", namespace: "modelplane-system" },
    spec: { stack: "Standard" },
  };
  const status = { gateway: { address: "203.0.113.7" }, gpuPools: [{ name: "gpu", nodes: 1 }] };

  test.each([
    ["for a spec that is refused", { taints: [{ key: "a", effect: "Never" }] }, "InvalidSpec"],
    [
      "for a cloud's cluster",
      { cluster: { source: "EKS", eks: { region: "x" } } },
      "SourceNotSupported",
    ],
  ])("%s", (_, spec, reason) => {
    const before = cluster(spec, status);
    const composition = compose(
      before,
      { replicas: [replica] },
      { ...reached, "serving-stack": stack },
    );
    expect(keys(composition)).toEqual([
      "gateway",
      "provider-config",
      "serving-stack",
      "usage-replicas",
    ]);
    expect(composition.status).toEqual(status);
    expect(condition(composition, "Holding")).toMatchObject({
      status: "True",
      reason,
      message: expect.stringContaining("once it is corrected"),
    });
    expect(composition.results).toMatchObject([{ severity: "Warning", reason }]);
    expect(composition.ready).toBe(false);
  });

  test("of what another program composed before, nor is its provider config doubled", () => {
    const before = { "cluster-provider-config": config, stack };
    const composition = compose(cluster(), all, before);
    expect(keys(composition)).toEqual([
      "cluster-provider-config",
      "gateway",
      "stack",
      "usage-replicas",
    ]);
  });
});

test("components that are Managed are reported and hold nothing up", () => {
  const spec = {
    cluster: { source: "Existing", existing: { secretRef: { name: "k" }, components: "Managed" } },
  };
  const composition = compose(cluster(spec), all, reached);
  expect(condition(composition, "RequirementsMet")).toMatchObject({
    status: "False",
    reason: "ManagedNotSupported",
    message: expect.stringContaining("LeaderWorkerSet"),
  });
  expect(composition.ready).toBeUndefined();
});
