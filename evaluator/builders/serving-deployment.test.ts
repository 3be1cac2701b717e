import { describe, expect, it, test } from "vitest";
import type { DecisionModelSpec, ResourceRequirements } from "../../api/gen/decisionmodels.ts";
import { field, type KubeObject, listField } from "../../kube/object.ts";
import { decisionModel, imageOf } from "../../test/support/decision-model.ts";
import {
  buildServingDeployment,
  type ServingParameters,
  servingRegistry,
} from "./serving-deployment.ts";

const REVISION = "0123456789abcdef";

function deployment(
  fields: Partial<Omit<ServingParameters, "model">> = {},
  spec: Partial<DecisionModelSpec> = {},
  metadata: object = {},
): KubeObject {
  return buildServingDeployment({
    model: decisionModel({ spec, metadata: { ...metadata } }),
    revision: REVISION,
    image: imageOf("0.12.0"),
    device: "cpu",
    resources: undefined,
    defaultRequests: {},
    scheduling: undefined,
    replicas: 1,
    shareable: false,
    registry: undefined,
    setsThreads: false,
    keyChecksum: undefined,
    ...fields,
  });
}

const podOf = (object: KubeObject) => field(object.spec, "template", "spec");
const containerOf = (object: KubeObject) => listField(podOf(object), "containers")[0];
const resourcesOf = (object: KubeObject) => field(containerOf(object), "resources");
const environment = (object: KubeObject) =>
  Object.fromEntries(
    listField(containerOf(object), "env").map((one) => [
      field(one, "name"),
      field(one, "value") ?? field(one, "valueFrom"),
    ]),
  );

describe("the pods", () => {
  it("are ready when the operator says so, and not by a probe", () => {
    const built = deployment();
    expect(podOf(built)).toMatchObject({
      readinessGates: [{ conditionType: "decisionmodel.io/model-ready" }],
    });
    expect(containerOf(built)).toMatchObject({
      startupProbe: {
        httpGet: { path: "/", port: "http" },
        periodSeconds: 2,
        failureThreshold: 30,
      },
      livenessProbe: { httpGet: { path: "/", port: "http" }, periodSeconds: 10 },
    });
    expect(containerOf(built)).not.toHaveProperty("readinessProbe");
  });

  it("read the store of their revision and can't write it", () => {
    expect(containerOf(deployment())).toMatchObject({
      volumeMounts: [
        { name: "store", mountPath: "/models", subPath: REVISION, readOnly: true },
        { name: "home", mountPath: "/home/ollaya/.ollaya" },
      ],
    });
    expect(podOf(deployment())).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 30,
      volumes: [
        { persistentVolumeClaim: { claimName: `support-router-store-${REVISION}` } },
        { name: "home", emptyDir: {} },
      ],
    });
  });

  it("go where the scheduling says", () => {
    const scheduling = {
      nodeSelector: { zone: "a" },
      tolerations: [{ key: "batch", operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      runtimeClassName: "gvisor",
    };
    expect(podOf(deployment({ scheduling }))).toMatchObject(scheduling);
  });

  it("on CUDA also go where GPUs are", () => {
    const scheduling = { runtimeClassName: "nvidia" };
    expect(podOf(deployment({ device: "cuda", scheduling }))).toMatchObject({
      runtimeClassName: "nvidia",
      tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
      nodeSelector: { "kubernetes.io/arch": "amd64" },
    });
  });
});

describe("they are replaced", () => {
  test.each([
    ["one by one by the next, where one node mounts the store", false, "cpu", { type: "Recreate" }],
    ["so on a GPU too", false, "cuda", { type: "Recreate" }],
    [
      "a quarter at a time, where many nodes do",
      true,
      "cpu",
      { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
    ],
    [
      "one by one without a surplus, where a surplus needs another GPU",
      true,
      "cuda",
      { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    ],
  ] as const)("%s", (_, shareable, device, strategy) => {
    expect(deployment({ shareable, device }).spec).toMatchObject({ strategy });
  });
});

describe("the environment", () => {
  it("says what the server is", () => {
    expect(environment(deployment({ device: "cuda" }))).toEqual({
      OLLAYA_HOST: "0.0.0.0:11435",
      OLLAYA_MODELS: "/models",
      OLLAYA_DEVICE: "cuda",
      OLLAYA_KEEP_ALIVE: "-1",
    });
  });

  it("takes the key from its Secret, and has no value of it", () => {
    const apiKeySecretRef = { name: "engine", key: "token" };
    const built = deployment({ keyChecksum: "c0ffee" }, { auth: { apiKeySecretRef } });
    expect(environment(built).OLLAYA_API_KEY).toEqual({ secretKeyRef: apiKeySecretRef });
    const annotations = { "decisionmodel.io/apikey-checksum": "c0ffee" };
    expect(built.metadata?.annotations).toMatchObject(annotations);
    expect(field(built.spec, "template", "metadata", "annotations")).toEqual(annotations);
  });

  it("names the registry that stores are laid out by, and it can be read back", () => {
    const built = deployment({ registry: "https://models.example" });
    expect(environment(built).OLLAYA_REGISTRY).toBe("https://models.example");
    expect(servingRegistry(built)).toBe("https://models.example");
    expect(servingRegistry(deployment())).toBeUndefined();
  });

  test.each<readonly [number | string | undefined, boolean, string | undefined]>([
    ["4", true, "4"],
    [4, true, "4"],
    ["2500m", true, "2"],
    ["1999m", true, "1"],
    ["500m", true, undefined],
    ["0", true, undefined],
    [undefined, true, undefined],
    ["4", false, undefined],
  ])(
    "with a limit of %s processors (known to the runtime: %s) has %s threads",
    (cpu, setsThreads, threads) => {
      const resources = cpu === undefined ? undefined : { limits: { cpu } };
      expect(environment(deployment({ resources, setsThreads })).OLLAYA_THREADS).toBe(threads);
    },
  );
});

describe("resources", () => {
  const defaults = { cpu: "1", memory: "3584Mi" };
  test.each<readonly [string, ResourceRequirements | undefined, "cpu" | "cuda", object]>([
    ["are the model's defaults", undefined, "cpu", { requests: defaults }],
    [
      "are the user's where there are any",
      { requests: { memory: "8Gi" } },
      "cpu",
      { requests: { cpu: "1", memory: "8Gi" } },
    ],
    [
      "that are only limited are requested as Kubernetes does, lest they exceed it",
      { limits: { cpu: "500m", memory: "2Gi" } },
      "cpu",
      { limits: { cpu: "500m", memory: "2Gi" } },
    ],
    [
      "are one GPU more on CUDA",
      { limits: { memory: "8Gi" } },
      "cuda",
      { limits: { memory: "8Gi", "nvidia.com/gpu": 1 }, requests: { cpu: "1" } },
    ],
    [
      "are as many GPUs as the user limits",
      { limits: { "nvidia.com/gpu": 2 } },
      "cuda",
      { limits: { "nvidia.com/gpu": 2 }, requests: defaults },
    ],
    [
      "are as many GPUs as the user requests",
      { requests: { "nvidia.com/gpu": "2" } },
      "cuda",
      { limits: { "nvidia.com/gpu": "2" }, requests: { ...defaults, "nvidia.com/gpu": "2" } },
    ],
    [
      "keep the user's claims",
      { claims: [{ name: "nic" }] },
      "cpu",
      { claims: [{ name: "nic" }], requests: defaults },
    ],
  ])("%s", (_, resources, device, expected) => {
    expect(resourcesOf(deployment({ resources, device, defaultRequests: defaults }))).toEqual(
      expected,
    );
  });

  it("are none where nothing is known", () => {
    expect(resourcesOf(deployment())).toEqual({});
  });
});

describe("the spec hash names what a Deployment is built from", () => {
  const hashOf = (object: KubeObject) =>
    object.metadata?.annotations?.["decisionmodel.io/spec-hash"];
  const auth = (key: string) => ({ auth: { apiKeySecretRef: { name: "engine", key } } });
  const plain = hashOf(deployment());

  it("in sixteen digits", () => {
    expect(plain).toMatch(/^[0-9a-f]{16}$/);
  });

  test.each<readonly [string, KubeObject]>([
    ["its size", deployment({ replicas: 3 })],
    ["how its pods are replaced", deployment({ shareable: true })],
    ["another image of the same revision", deployment({ image: "ghcr.io/example/other:1" })],
    ["other defaults of the operator", deployment({ defaultRequests: { cpu: "1" } })],
    [
      "a change of the object besides",
      deployment({}, { cache: { size: "20Gi" } }, { generation: 9 }),
    ],
  ])("so %s is no other", (_, other) => {
    expect(hashOf(other)).toBe(plain);
  });

  test.each<readonly [string, KubeObject]>([
    ["another revision", deployment({ revision: "fedcba9876543210" })],
    ["a key", deployment({ keyChecksum: "c0ffee" }, auth("token"))],
    ["a key of another name", deployment({ keyChecksum: "c0ffee" }, auth("other"))],
    ["another value of the key", deployment({ keyChecksum: "decaf" }, auth("token"))],
    ["another DecisionModel of the same name", deployment({}, {}, { uid: "another" })],
  ])("and %s is another", (_, other) => {
    expect(hashOf(other)).not.toBe(plain);
  });
});
