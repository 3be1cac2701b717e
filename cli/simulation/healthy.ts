import { field, isRecord, type KubeObject, listField, numberField } from "../../kube/object.ts";

/** The status that a kind's own controller writes once everything works, from the manifest. */
type HealthyStatus = (
  manifest: KubeObject,
  generation: number,
) => Readonly<Record<string, unknown>>;

const replicas = (manifest: KubeObject) => numberField(manifest, "spec", "replicas") ?? 1;

const accepted = (generation: number) =>
  ["Accepted", "ResolvedRefs"].map((type) => ({
    lastTransitionTime: "2024-01-01T00:00:00Z",
    message: "",
    observedGeneration: generation,
    reason: type,
    status: "True",
    type,
  }));

/** The healthy status of each remote kind whose status anybody reads, by `apiVersion/kind`. */
const healthyStatuses: Readonly<Record<string, HealthyStatus>> = {
  "apps/v1/Deployment": (manifest, generation) => ({
    availableReplicas: replicas(manifest),
    observedGeneration: generation,
    readyReplicas: replicas(manifest),
    replicas: replicas(manifest),
    updatedReplicas: replicas(manifest),
  }),
  "leaderworkerset.x-k8s.io/v1/LeaderWorkerSet": (manifest, generation) => ({
    observedGeneration: generation,
    readyReplicas: replicas(manifest),
    replicas: replicas(manifest),
    updatedReplicas: replicas(manifest),
  }),
  "grove.io/v1alpha1/PodCliqueSet": (manifest, generation) => ({
    availableReplicas: replicas(manifest),
    observedGeneration: generation,
    replicas: replicas(manifest),
    updatedReplicas: replicas(manifest),
  }),
  // An address for documentation (RFC 5737), since a gateway that works has some.
  "gateway.networking.k8s.io/v1/Gateway": () => ({
    addresses: [{ type: "IPAddress", value: "192.0.2.1" }],
  }),
  "gateway.networking.k8s.io/v1/HTTPRoute": (manifest, generation) => ({
    parents: listField(manifest, "spec", "parentRefs").map((parentRef) => ({
      conditions: accepted(generation),
      controllerName: "gateway.envoyproxy.io/gatewayclass-controller",
      parentRef,
    })),
  }),
  "inference.networking.k8s.io/v1/InferencePool": (_, generation) => ({
    parents: [
      {
        conditions: accepted(generation),
        parentRef: {
          group: "gateway.networking.k8s.io",
          kind: "Gateway",
          name: "cluster-gateway",
          namespace: "modelplane-system",
        },
      },
    ],
  }),
};

/** Whether an object is provider-kubernetes' wrapper of a remote object. */
export function isProviderObject({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === "kubernetes.m.crossplane.io/v1alpha1" && kind === "Object";
}

/**
 * A provider-kubernetes Object as it is once its manifest is applied and healthy on the remote
 * cluster, the assumption of `--assume ready`; any other object is returned as it is.
 */
export function assumeReady(object: KubeObject): KubeObject {
  const manifest = field(object, "spec", "forProvider", "manifest");
  if (!isProviderObject(object) || !isRecord(manifest)) return object;
  const remote = manifest as KubeObject;
  const kind = `${remote.apiVersion}/${remote.kind}`;
  const generation = 1;
  const status = Object.hasOwn(healthyStatuses, kind)
    ? healthyStatuses[kind]?.(remote, generation)
    : undefined;
  const condition = (type: string, reason: string) => ({
    lastTransitionTime: "2024-01-01T00:00:00Z",
    reason,
    status: "True",
    type,
  });
  return {
    ...object,
    status: {
      atProvider: {
        manifest: {
          ...remote,
          metadata: { ...remote.metadata, generation },
          ...(status === undefined ? {} : { status }),
        },
      },
      conditions: [condition("Ready", "Available"), condition("Synced", "ReconcileSuccess")],
    },
  };
}
