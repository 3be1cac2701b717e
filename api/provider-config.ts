/** The API version and kind of provider-kubernetes' way to a remote cluster, for every namespace. */
export const CLUSTER_PROVIDER_CONFIG = {
  apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
  kind: "ClusterProviderConfig",
} as const;

/** The fields of its spec that a handler owns. */
export const PROVIDER_CONFIG_FIELDS = ["credentials", "identity"] as const;
