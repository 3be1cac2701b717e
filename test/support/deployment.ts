import type { Composition, ObservedResources } from "../../functions/composition/composition.ts";
import type { Resolution } from "../../functions/composition/requirement.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";

const API_VERSION = "modelplane.ai/v1alpha1";

/** A selector for devices with at least so many GiB of memory. */
export const memoryAtLeast = (gib: number) =>
  `device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("${gib}Gi")) >= 0`;

/** A stored ModelDeployment `chat` in namespace `ml-team`: one replica of one engine on one GPU. */
export function deployment(
  spec: Record<string, unknown> = {},
  template: Record<string, unknown> = {},
  change: Record<string, unknown> = {},
): KubeObject {
  return {
    apiVersion: API_VERSION,
    kind: "ModelDeployment",
    metadata: { name: "chat", namespace: "ml-team", uid: "u-chat", generation: 1 },
    spec: {
      replicas: 1,
      template: { spec: { engines: [engine()], ...template } },
      ...spec,
    },
    ...change,
  };
}

/** A Standalone engine `main` with one request for a GPU that meets the selectors. */
export function engine(
  change: Record<string, unknown> = {},
  selectors: readonly string[] = [],
): Record<string, unknown> {
  const gpu = {
    name: "gpu",
    count: 1,
    ...(selectors.length === 0 ? {} : { selectors: selectors.map((cel) => ({ cel })) }),
  };
  return {
    name: "main",
    copies: 1,
    members: [
      {
        role: "Standalone",
        nodeSelector: { devices: [gpu] },
        template: {
          spec: { containers: [{ name: "engine", image: "registry.example/engine:1" }] },
        },
      },
    ],
    ...change,
  };
}

/** One entry of a pool's devices: GPUs with so many GiB of memory. */
export function gpus(count: number, gib: number): Record<string, unknown> {
  return {
    claim: "DRA",
    driver: "gpu.nvidia.com",
    deviceClassName: "gpu.nvidia.com",
    count,
    attributes: { productName: { string: `GPU-${gib}` } },
    capacity: { memory: { value: `${gib}Gi` } },
  };
}

/** A Ready InferenceCluster with a gateway address and the given `status.gpuPools`, which may be unknown. */
export function inferenceCluster(
  name: string,
  pools: readonly Record<string, unknown>[] | "unknown" = [pool("gpu", 4)],
  {
    spec = {},
    status = {},
    ready = "True",
    labels = {},
  }: {
    readonly spec?: Record<string, unknown>;
    readonly status?: Record<string, unknown>;
    readonly ready?: "True" | "False";
    readonly labels?: Record<string, string>;
  } = {},
): KubeObject {
  return {
    apiVersion: API_VERSION,
    kind: "InferenceCluster",
    metadata: { name, ...(Object.keys(labels).length === 0 ? {} : { labels }) },
    spec: { stack: "Standard", ...spec },
    status: {
      conditions: [{ type: "Ready", status: ready, reason: "Available" }],
      providerConfigRef: { name: `${name}-kubeconfig-1a2b3` },
      gateway: { address: "203.0.113.7" },
      ...(pools === "unknown" ? {} : { gpuPools: pools }),
      ...status,
    },
  };
}

/** A published pool of nodes, each with 8 GPUs of 141 GiB unless said otherwise. */
export function pool(
  name: string,
  nodes: number,
  devices: readonly Record<string, unknown>[] = [gpus(8, 141)],
  change: Record<string, unknown> = {},
): Record<string, unknown> {
  return { name, nodes, devices, ...change };
}

/** Observed resources of a map by resource key. */
export function observed(resources: Readonly<Record<string, KubeObject>>): ObservedResources {
  return {
    keys: Object.keys(resources).sort(),
    get: (key) => (Object.hasOwn(resources, key) ? resources[key] : undefined),
  };
}

/** Answers requirements by name; one that is not named has not been looked up. */
export function required(
  answers: Readonly<Record<string, readonly KubeObject[]>>,
): (name: string) => Resolution<readonly KubeObject[]> {
  return (name) => {
    const found = Object.hasOwn(answers, name) ? answers[name] : undefined;
    if (found === undefined) return { state: "unresolved" };
    return found.length === 0 ? { state: "absent" } : { state: "present", value: found };
  };
}

/** A condition of a composition by its type. */
export function condition(composition: Composition, type: string) {
  return composition.conditions.find((one) => one.type === type);
}

/** The keys of all composed resources. */
export function keys(composition: Composition): readonly string[] {
  return composition.resources.map(({ key }) => key).sort();
}

/**
 * What a composed resource is once Crossplane stored it: in the deployment's namespace, with a time
 * of creation, and as its own controllers left its status.
 */
export function stored(
  object: KubeObject,
  created: string,
  status: Record<string, unknown> = {},
): KubeObject {
  return {
    ...object,
    metadata: { ...object.metadata, namespace: "ml-team", creationTimestamp: created },
    status: { ...(isRecord(object.status) ? object.status : {}), ...status },
  };
}
