/** The API version and kind of Crossplane's guard of a cluster-scoped object. */
export const CLUSTER_USAGE = {
  apiVersion: "protection.crossplane.io/v1beta1",
  kind: "ClusterUsage",
} as const;

/** The fields of its spec that a handler owns, those of the namespaced Usage too. */
export const USAGE_FIELDS = ["of", "by", "reason", "replayDeletion"] as const;
