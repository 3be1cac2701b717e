import { describe, expect, it } from "vitest";
import type { KubeObject } from "../kube/object.ts";
import { shippedDefinition } from "./verdicts/definition.ts";

/** What the API server says of an object with this spec, `field: message` each. */
function verdict(plural: string, kind: string, spec: unknown, old?: unknown): readonly string[] {
  const object = (value: unknown): KubeObject => ({
    apiVersion: "modelplane.ai/v1alpha1",
    kind,
    metadata: { name: "x" },
    spec: value,
  });
  const before = old === undefined ? undefined : object(old);
  return shippedDefinition(plural)
    .check(object(spec), "object", before)
    .findings.map(({ field, message }) => `${field}: ${message}`);
}

const gpu = { name: "gpu", driver: "gpu.nvidia.com", deviceClassName: "gpu.nvidia.com" };
const inClass = (device: unknown, more: object = {}) => ({ devices: [device], ...more });

describe("the rules of an InferenceClass", () => {
  const check = (spec: unknown) => verdict("inferenceclasses", "InferenceClass", spec);

  it.each([
    ["a claimed device", inClass(gpu)],
    [
      "a device without a class that nobody claims",
      inClass({ name: "nic", driver: "d", claim: "Synthetic" }),
    ],
    ["a quantity", inClass({ ...gpu, capacity: { memory: { value: "141Gi" } } })],
    ["a version", inClass({ ...gpu, attributes: { v: { version: "9.0.0-rc.1+b" } } })],
    ["a cost", inClass(gpu, { costPerNodeHour: "12.29" })],
    ["a cost of nothing", inClass(gpu, { costPerNodeHour: "0" })],
    [
      "a provider with its block",
      inClass(gpu, { provisioning: { provider: "GKE", gke: { machineType: "a3" } } }),
    ],
  ])("accept %s", (_, spec) => {
    expect(check(spec)).toEqual([]);
  });

  it.each([
    [inClass({ name: "gpu", driver: "d" }), /deviceClassName is required when claim is DRA/],
    [inClass({ ...gpu, capacity: { memory: { value: "10Mo" } } }), /Kubernetes quantity/],
    [inClass({ ...gpu, attributes: { v: { version: "9.0" } } }), /semantic version/],
    [inClass({ ...gpu, attributes: { v: { version: "v9.0.0" } } }), /semantic version/],
    [inClass({ ...gpu, attributes: { v: { version: "09.0.0" } } }), /semantic version/],
    [inClass({ ...gpu, attributes: { v: {} } }), /exactly one of/],
    [inClass({ ...gpu, attributes: { v: { int: 1, bool: true } } }), /exactly one of/],
    [inClass(gpu, { costPerNodeHour: "12.29001" }), /costPerNodeHour/],
    [inClass(gpu, { costPerNodeHour: "012" }), /costPerNodeHour/],
    [inClass(gpu, { costPerNodeHour: "-1" }), /costPerNodeHour/],
    [{ devices: [] }, /devices/],
    ...["GKE", "EKS", "AKS", "Nebius", "Vultr"].map(
      (provider) =>
        [
          inClass(gpu, { provisioning: { provider } }),
          /is required when spec.provisioning/,
        ] as const,
    ),
  ] as readonly (readonly [unknown, RegExp])[])("refuse %j", (spec, message) => {
    expect(check(spec).join("\n")).toMatch(message);
  });
});

describe("the rules of an InferenceCluster", () => {
  const check = (spec: unknown, old?: unknown) =>
    verdict("inferenceclusters", "InferenceCluster", spec, old);
  const existing = { secretRef: { name: "east-kubeconfig" } };
  const cluster = { source: "Existing", existing };
  const pool = { name: "gpu", className: "h100" };
  const labelled = (labels: Record<string, string>) => ({
    cluster,
    placement: { metadata: { labels } },
  });
  const fabric = (source: string, value: unknown) => ({
    cluster: { source, [source.toLowerCase()]: {} },
    nodePools: [{ ...pool, fabric: value }],
  });

  it.each([
    ["the least", { cluster }],
    ["a pool", { cluster, nodePools: [pool] }],
    ["a label of one's own", labelled({ "example.org/region": "eu" })],
    ["a cloud's own settings", { cluster: { source: "GKE", gke: { region: "europe-west4" } } }],
    ["InfiniBand on AKS", fabric("AKS", { type: "InfiniBand" })],
    ["a fabric on Nebius", fabric("Nebius", { type: "InfiniBand", infiniband: { fabric: "f" } })],
  ])("accept %s", (_, spec) => {
    expect(check(spec)).toEqual([]);
  });

  it.each([
    ...["Existing", "GKE", "EKS", "AKS", "Nebius", "Vultr"].map(
      (source) => [{ cluster: { source } }, /is required when spec.cluster.source is/] as const,
    ),
    [labelled({ "modelplane.ai/x": "y" }), /reserved modelplane.ai\/ prefix/],
    [labelled({ "not a key": "y" }), /valid Kubernetes label keys/],
    [labelled({ key: "not a value" }), /valid Kubernetes label values/],
    [fabric("Nebius", { type: "InfiniBand" }), /fabric.infiniband is required/],
    [fabric("EKS", { type: "EFA", infiniband: { fabric: "f" } }), /is only valid when/],
    [{ cluster, nodePools: [pool, pool] }, /Duplicate value/],
    [{ cluster, nodePools: [{ ...pool, maxNodeCount: 0 }] }, /maxNodeCount/],
    [
      { cluster, taints: [{ key: "a", effect: "PreferNoSchedule" }] },
      /Unsupported value: "PreferNoSchedule"/,
    ],
  ] as readonly (readonly [unknown, RegExp])[])("refuse %j", (spec, message) => {
    expect(check(spec).join("\n")).toMatch(message);
  });

  it.each([
    ["stack", { cluster, stack: "Dynamo" }, { cluster }],
    [
      "components",
      { cluster: { source: "Existing", existing: { ...existing, components: "Provided" } } },
      { cluster },
    ],
  ])("keep %s as it was made", (name, before, after) => {
    expect(check(after, before).join("\n")).toContain(`${name} is immutable`);
    expect(check(before, before)).toEqual([]);
  });
});

describe("the rules of a ModelEndpoint", () => {
  const check = (spec: unknown) => verdict("modelendpoints", "ModelEndpoint", spec);

  it.each([
    [{ origin: "https://api.provider.example" }],
    [{ origin: "HTTP://10.0.0.9:8000", api: { schema: "Anthropic", prefix: "/" } }],
    [
      {
        origin: "http://x",
        model: "m",
        credential: { apiKey: { secretRef: { name: "key" } } },
      },
    ],
  ])("accept %j", (spec) => {
    expect(check(spec)).toEqual([]);
  });

  it.each([
    [{ origin: "h.example:8000" }, /origin must begin with http/],
    [{ origin: "" }, /spec.origin/],
    [{ origin: "http://x", api: { prefix: "v1" } }, /must begin with a slash/],
    [{ origin: "http://x", api: { prefix: "/v1/" } }, /must not end in a slash/],
    [{ origin: "http://x", api: { schema: "Other" } }, /Unsupported value/],
    [{ origin: "http://x", credential: { apiKey: {} } }, /secretRef: Required value/],
  ] as readonly (readonly [unknown, RegExp])[])("refuse %j", (spec, message) => {
    expect(check(spec).join("\n")).toMatch(message);
  });
});

describe("the rules of a ModelCache", () => {
  const check = (spec: unknown) => verdict("modelcaches", "ModelCache", spec);
  const huggingFace = { repo: "Qwen/Qwen3-8B", sizeGiB: 40 };

  it("accept a repository and its size", () => {
    expect(check({ source: "HuggingFace", huggingFace })).toEqual([]);
  });

  it.each([
    [{ source: "HuggingFace" }, /spec.huggingFace is required/],
    [{ source: "S3" }, /Unsupported value/],
    [{ source: "HuggingFace", huggingFace: { ...huggingFace, sizeGiB: 100_001 } }, /sizeGiB/],
    [{ source: "HuggingFace", huggingFace: { repo: "x" } }, /sizeGiB: Required value/],
  ] as readonly (readonly [unknown, RegExp])[])("refuse %j", (spec, message) => {
    expect(check(spec).join("\n")).toMatch(message);
  });
});
