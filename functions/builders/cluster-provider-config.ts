import { CONTROL_NAMESPACE } from "../../api/labels.ts";
import { CLUSTER_PROVIDER_CONFIG } from "../../api/provider-config.ts";
import { childName } from "../../kube/names.ts";
import type { KubeObject } from "../../kube/object.ts";

/** One key of a Secret in the control namespace. */
export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** What varies between the ways to inference clusters. */
export interface ClusterProviderConfigParameters {
  readonly name: string;
  /** Where the kubeconfig is. */
  readonly secret: SecretKey;
  /** Where the cloud identity to log in with is, and of which kind; without one the kubeconfig is enough. */
  readonly identity: (SecretKey & { readonly type: string }) | undefined;
}

/** Names the provider config of an inference cluster. */
export function clusterProviderConfigName(cluster: string): string {
  return childName([cluster, "cluster-kubeconfig"]);
}

/** Builds the way to a remote cluster. */
export function buildClusterProviderConfig(
  parameters: ClusterProviderConfigParameters,
): KubeObject {
  const { name, secret, identity } = parameters;
  return {
    ...CLUSTER_PROVIDER_CONFIG,
    metadata: { name },
    spec: {
      credentials: { source: "Secret", secretRef: secretRef(secret) },
      ...(identity === undefined
        ? {}
        : { identity: { type: identity.type, source: "Secret", secretRef: secretRef(identity) } }),
    },
  };
}

function secretRef({ name, key }: SecretKey) {
  return { namespace: CONTROL_NAMESPACE, name, key };
}
