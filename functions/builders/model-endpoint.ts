import type { KubeObject } from "../../kube/object.ts";
import { identityLabels, type ReplicaIdentity, replicaName } from "./model-replica.ts";

/** What varies between the endpoints of replicas. */
export interface ModelEndpointParameters {
  readonly identity: ReplicaIdentity;
  /** The replica's labels, by which services choose endpoints; the managed ones win. */
  readonly labels: Readonly<Record<string, string>>;
  /** Where the gateway of the replica's cluster is reached: a host name or an IP address. */
  readonly gateway: { readonly hostname: string } | { readonly address: string };
}

/**
 * Builds the endpoint of a replica: the gateway of its cluster, the path of the replica's route,
 * and the model name that its engines were told. A host name comes with a certificate, so it is
 * reached by https; a bare address can have none, so http.
 */
export function buildModelEndpoint(parameters: ModelEndpointParameters): KubeObject {
  const { identity, labels, gateway } = parameters;
  const { namespace, deployment } = identity;
  return {
    apiVersion: "modelplane.ai/v1alpha1",
    kind: "ModelEndpoint",
    metadata: {
      name: replicaName(identity),
      labels: { ...labels, ...identityLabels(identity) },
    },
    spec: {
      origin:
        "hostname" in gateway
          ? `https://${host(gateway.hostname)}`
          : `http://${host(gateway.address)}`,
      api: { schema: "OpenAI", prefix: `/${namespace}/${replicaName(identity)}/v1` },
      model: `${namespace}/${deployment}`,
    },
  };
}

/** A host as an origin names it: an IPv6 address in brackets, a name without the dot of the root. */
function host(text: string): string {
  if (text.includes(":")) return text.startsWith("[") ? text : `[${text}]`;
  return text.replace(/\.$/, "");
}
