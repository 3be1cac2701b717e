import type { ResourceKind } from "../kubernetes/client.ts";

/** A kind as the simulated API server serves it. */
export interface ServedKind extends ResourceKind {
  /** Whether `/status` is apart: writes of the one leave the other alone, and a change of the spec is a generation. */
  readonly hasStatus: boolean;
  /** A finalizer that every object of it is made with. */
  readonly finalizer?: string;
  /** Whether deletion only marks an object, for a kubelet to end it. */
  readonly endsGracefully?: boolean;
}

/** The kinds of Kubernetes that an evaluator, and what stands in for a cluster's controllers, need. */
export const BUILT_IN: readonly ServedKind[] = [
  { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", hasStatus: false },
  { apiVersion: "v1", kind: "Secret", plural: "secrets", hasStatus: false },
  { apiVersion: "v1", kind: "Service", plural: "services", hasStatus: true },
  { apiVersion: "v1", kind: "Pod", plural: "pods", hasStatus: true, endsGracefully: true },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    plural: "persistentvolumeclaims",
    hasStatus: true,
    finalizer: "kubernetes.io/pvc-protection",
  },
  { apiVersion: "batch/v1", kind: "Job", plural: "jobs", hasStatus: true },
  { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", hasStatus: true },
  { apiVersion: "apps/v1", kind: "ReplicaSet", plural: "replicasets", hasStatus: true },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    plural: "poddisruptionbudgets",
    hasStatus: true,
  },
  { apiVersion: "events.k8s.io/v1", kind: "Event", plural: "events", hasStatus: false },
  { apiVersion: "coordination.k8s.io/v1", kind: "Lease", plural: "leases", hasStatus: false },
];

/** How DecisionModels are served. */
export const DECISION_MODEL: ServedKind = {
  apiVersion: "decisionmodel.io/v1alpha1",
  kind: "DecisionModel",
  plural: "decisionmodels",
  hasStatus: true,
};

/** A kind of Kubernetes by its name; no two that are served here share one. */
export function kindOf(name: string): ServedKind | undefined {
  return BUILT_IN.find(({ kind }) => kind === name);
}
