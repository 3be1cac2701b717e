import { CLUSTER_USAGE } from "../../api/usage.ts";
import type { KubeObject } from "../../kube/object.ts";

/** What varies between the guards of objects in use. */
export interface ClusterUsageParameters {
  /** The cluster-scoped object that must not be deleted. */
  readonly of: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  /** What the API server answers to whoever tries. */
  readonly reason: string;
}

/**
 * Builds the guard of an object: while it exists the API server refuses the object's deletion, and
 * deletes it by itself once the guard is gone if somebody had tried. Crossplane names the guard.
 */
export function buildClusterUsage({ of, reason }: ClusterUsageParameters): KubeObject {
  const { apiVersion, kind, name } = of;
  return {
    ...CLUSTER_USAGE,
    spec: { of: { apiVersion, kind, resourceRef: { name } }, reason, replayDeletion: true },
  };
}
