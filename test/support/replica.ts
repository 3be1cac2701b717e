import { assumeReady } from "../../cli/simulation/healthy.ts";
import type {
  Composition,
  CompositionRequest,
  ObservedResources,
} from "../../functions/composition/composition.ts";
import type { Resolution } from "../../functions/composition/requirement.ts";
import type { KubeObject } from "../../kube/object.ts";

/** A container named `engine`, for members that need nothing special of it. */
export const ENGINE = { name: "engine", image: "registry.example/engine:1" };

/** One GPU, as the scheduler stamps it. */
export const GPU = { name: "gpu", deviceClassName: "gpu.nvidia.com", count: 1 };

/** A Standalone member on pool `h100` with one GPU. */
export function standalone(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    role: "Standalone",
    nodePoolName: "h100",
    deviceRequests: [GPU],
    template: { spec: { containers: [ENGINE] } },
    ...change,
  };
}

/** A Leader and a Worker on pool `h100` with a GPU each. */
export function gang(nodes = 1): readonly Record<string, unknown>[] {
  return [standalone({ role: "Leader" }), standalone({ role: "Worker", worker: { nodes } })];
}

/** A stored ModelReplica `r` in namespace `ml-team`, by default with one Standalone engine `main`. */
export function replica(
  spec: Record<string, unknown> = {},
  change: Record<string, unknown> = {},
): KubeObject {
  return {
    apiVersion: "modelplane.ai/v1alpha1",
    kind: "ModelReplica",
    metadata: { name: "r", namespace: "ml-team", uid: "u1", generation: 1 },
    spec: {
      clusterName: "east",
      engines: [{ name: "main", copies: 1, members: [standalone()] }],
      ...spec,
    },
    ...change,
  };
}

/** The InferenceCluster `east`, reachable. */
export function cluster(change: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: "modelplane.ai/v1alpha1",
    kind: "InferenceCluster",
    metadata: { name: "east" },
    spec: { stack: "Standard" },
    status: { providerConfigRef: { name: "east-kubeconfig-1a2b3" } },
    ...change,
  };
}

/** What Crossplane observes, by resource key. */
function observedResources(objects: ReadonlyMap<string, KubeObject>): ObservedResources {
  return { keys: [...objects.keys()].sort(), get: (key) => objects.get(key) };
}

/** A request about a replica; the cluster may be unresolved or absent. */
export function request(
  composite: KubeObject,
  found: KubeObject | "unresolved" | "absent" = cluster(),
  observed: ReadonlyMap<string, KubeObject> = new Map(),
  input?: KubeObject,
): CompositionRequest {
  const resolution: Resolution<readonly KubeObject[]> =
    typeof found === "string" ? { state: found } : { state: "present", value: [found] };
  return { composite, observed: observedResources(observed), required: () => resolution, input };
}

/** The composed resources as applied and healthy, for the next request. */
export function healthy(composition: Composition): Map<string, KubeObject> {
  return new Map(
    composition.resources.map(({ key, object }) => [key, assumeReady(object)] as const),
  );
}

/** The XR after Crossplane has written what a composition says of it. */
export function written(composite: KubeObject, composition: Composition): KubeObject {
  const before = (composite.status ?? {}) as { conditions?: readonly { type: string }[] };
  const types = new Set(composition.conditions.map(({ type }) => type));
  const kept = (before.conditions ?? []).filter(({ type }) => !types.has(type));
  return {
    ...composite,
    status: { ...composition.status, conditions: [...kept, ...composition.conditions] },
  };
}

/** The remote manifest of a composed resource. */
export function manifest(composition: Composition, key: string): Record<string, unknown> {
  const found = composition.resources.find((resource) => resource.key === key);
  if (found === undefined) {
    const keys = composition.resources.map((resource) => resource.key).join(", ");
    throw new Error(`no resource "${key}" among ${keys}`);
  }
  const spec = found.object.spec as { forProvider: { manifest: Record<string, unknown> } };
  return spec.forProvider.manifest;
}

/** A condition of a composition by type. */
export function condition(composition: Composition, type: string) {
  return composition.conditions.find((each) => each.type === type);
}
