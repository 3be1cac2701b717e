import { findCondition } from "../../kube/conditions.ts";
import { type KubeObject, stringField } from "../../kube/object.ts";
import { buildModelEndpoint } from "../builders/model-endpoint.ts";
import type { ReplicaIdentity } from "../builders/model-replica.ts";
import type { ComposedResource } from "../composition/composition.ts";
import { reemit } from "../composition/holding.ts";
import { endpointKey } from "./keys.ts";

/** What the endpoint of one replica depends on. */
export interface EndpointParameters {
  readonly identity: ReplicaIdentity;
  /** The labels that services choose endpoints by. */
  readonly labels: Readonly<Record<string, string>>;
  /** The replica as it is observed, `undefined` while it is not there yet. */
  readonly replica: KubeObject | undefined;
  /** Its InferenceCluster, `undefined` while that can't be read. */
  readonly cluster: KubeObject | undefined;
  /** Its endpoint as it is observed. */
  readonly endpoint: KubeObject | undefined;
}

/**
 * Composes the endpoint of a replica while requests reach it: its ModelServing is True and its
 * cluster's gateway has an address. It is withdrawn when either is seen to be gone, and kept as it
 * is while either can't be read. Whether the replica runs the newest spec is no matter here.
 */
export function composeEndpoint(parameters: EndpointParameters): ComposedResource | undefined {
  const { identity, labels, replica, cluster, endpoint } = parameters;
  const serving = replica === undefined ? undefined : findCondition(replica, "ModelServing");
  if (serving === undefined || serving.status === "False") return undefined;
  const key = endpointKey(identity);
  const ready = endpoint !== undefined && findCondition(endpoint, "Ready")?.status === "True";
  if (serving.status === "Unknown" || cluster === undefined) {
    const held = endpoint === undefined ? undefined : reemit(endpoint);
    return held === undefined ? undefined : { key, object: held, ready };
  }
  const gateway = gatewayOf(cluster);
  if (gateway === undefined) return undefined;
  return { key, object: buildModelEndpoint({ identity, labels, gateway }), ready };
}

/** Where a cluster's gateway is reached; a host name, which can have a certificate, before an address. */
function gatewayOf(
  cluster: KubeObject,
): { readonly hostname: string } | { readonly address: string } | undefined {
  const hostname = stringField(cluster, "status", "gateway", "hostname");
  if (hostname !== undefined && hostname !== "") return { hostname };
  const address = stringField(cluster, "status", "gateway", "address");
  return address === undefined || address === "" ? undefined : { address };
}
