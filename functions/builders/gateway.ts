import { CLUSTER_GATEWAY } from "../../api/labels.ts";
import { type KubeObject, listField, stringField } from "../../kube/object.ts";

/** Names the gateway of an inference cluster, for an Object that only observes it. */
export function buildGatewayReference(): KubeObject {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: CLUSTER_GATEWAY,
  };
}

/**
 * The CEL query that is true of a gateway with an address. Until it is, the provider looks again
 * every half minute instead of every ten.
 */
export function gatewayReadyQuery(): string {
  return "has(object.status) && has(object.status.addresses) && object.status.addresses.size() > 0";
}

/** Where a gateway is reached; `hostname` is the same once more when it is a name. */
export interface GatewayAddress {
  readonly address: string;
  readonly hostname?: string;
}

/** Reads the first address of a live gateway, `undefined` while it has none. */
export function gatewayAddress(live: unknown): GatewayAddress | undefined {
  const [first] = listField(live, "status", "addresses");
  const address = stringField(first, "value") ?? "";
  if (address === "") return undefined;
  return stringField(first, "type") === "Hostname" ? { address, hostname: address } : { address };
}
