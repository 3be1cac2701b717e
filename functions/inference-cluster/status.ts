import type { Existing, InferenceClusterStatus } from "../../api/gen/inferenceclusters.ts";
import type { InferenceClusterCondition } from "../../api/inference-cluster.ts";
import { CLUSTER_GATEWAY, CONTROL_NAMESPACE } from "../../api/labels.ts";
import { type ObservedProviderObject, providerObjectBlocker } from "../../api/provider-object.ts";
import { findCondition } from "../../kube/conditions.ts";
import { field, isRecord, type KubeObject } from "../../kube/object.ts";
import { gatewayAddress } from "../builders/gateway.ts";
import type { Composition, FunctionResult } from "../composition/composition.ts";
import { quoteProblems } from "../composition/findings.ts";
import type { ResolvedPools } from "./pools.ts";

/** What is known of a cluster that can be composed. */
export interface ClusterState {
  readonly existing: Existing;
  readonly providerConfig: string;
  /** The observed Object that looks at the cluster's gateway. */
  readonly gatewayObject: ObservedProviderObject | undefined;
  readonly pools: ResolvedPools;
  readonly wantedPools: number;
}

type GatewayStatus = NonNullable<InferenceClusterStatus["gateway"]>;

/** Where the gateway is reached: as it is seen now, or as it was last while it can't be seen. */
export function gatewayOf(
  composite: KubeObject,
  { gatewayObject }: ClusterState,
): GatewayStatus | undefined {
  const last = field(composite, "status", "gateway");
  const before = isRecord(last) ? (last as GatewayStatus) : undefined;
  if (gatewayObject?.live === undefined) return before?.address === undefined ? undefined : before;
  const seen = gatewayAddress(gatewayObject.live);
  if (seen === undefined) return undefined;
  const { caCertificate } = before ?? {};
  return { ...seen, ...(caCertificate === undefined ? {} : { caCertificate }) };
}

/** Whether the gateway is seen with an address now, and the provider can still look at it. */
export function gatewaySeen({ gatewayObject }: ClusterState): boolean {
  return (
    gatewayObject !== undefined &&
    providerObjectBlocker(gatewayObject) === undefined &&
    gatewayAddress(gatewayObject.live) !== undefined
  );
}

/** The status that deployments are placed by. */
export function clusterStatus(composite: KubeObject, state: ClusterState): Composition["status"] {
  const gateway = gatewayOf(composite, state);
  const storageClassName = state.existing.cache?.storageClassName;
  return {
    providerConfigRef: { name: state.providerConfig },
    namespace: CONTROL_NAMESPACE,
    ...(gateway === undefined ? {} : { gateway }),
    ...(storageClassName === undefined ? {} : { cache: { storageClassName } }),
    ...(state.pools.pools.length === 0 ? {} : { gpuPools: state.pools.pools }),
  };
}

/** The status as it was written last, without conditions, which stay by themselves. */
export function lastStatus({ status }: KubeObject): Composition["status"] {
  const { conditions: _conditions, ...last } = isRecord(status) ? status : {};
  return last;
}

/** Says whether the cluster is reached, has a gateway and its classes, and what to install by hand. */
export function clusterConditions(
  composite: KubeObject,
  state: ClusterState,
): readonly InferenceClusterCondition[] {
  const released = findCondition(composite, "Holding") !== undefined;
  return [
    clusterReady(state),
    gatewayReady(composite, state),
    classesResolved(composite, state),
    requirementsMet(state),
    ...(released
      ? [{ type: "Holding", status: "False", reason: "Released", message: "" } as const]
      : []),
  ];
}

/** Says why nothing is composed from the spec, and that what there is stays. */
export function heldConditions(
  composite: KubeObject,
  reason: "InvalidSpec" | "SourceNotSupported",
  message: string,
  resources: number,
): readonly InferenceClusterCondition[] {
  const ready = { type: "ClusterReady", status: "False", reason, message } as const;
  if (resources > 0) {
    const kept = `${resources} composed objects are kept as they were: ${message}. They follow the spec again once it is corrected`;
    return [ready, { type: "Holding", status: "True", reason, message: kept }];
  }
  return findCondition(composite, "Holding") === undefined
    ? [ready]
    : [ready, { type: "Holding", status: "False", reason: "Released", message: "" }];
}

/** Warns of each condition that turns False for something to put right, while it is not known yet. */
export function transitions(
  composite: KubeObject,
  conditions: readonly InferenceClusterCondition[],
): readonly FunctionResult[] {
  const mended = new Set<string>([
    "InvalidSpec",
    "SourceNotSupported",
    "ManagedNotSupported",
    "WaitingForClasses",
    "InvalidClass",
  ]);
  return conditions.flatMap(({ type, status, reason, message }): readonly FunctionResult[] => {
    const known = findCondition(composite, type)?.reason === reason;
    if (status === "True" || known || !mended.has(reason)) return [];
    return [{ severity: "Warning", reason, message }];
  });
}

function clusterReady({ gatewayObject, existing }: ClusterState): InferenceClusterCondition {
  const type = "ClusterReady";
  if (gatewayObject?.synced?.status === "True") {
    return { type, status: "True", reason: "ClusterReachable", message: "" };
  }
  const { name, key } = existing.secretRef;
  const secret = `with the kubeconfig in key "${key}" of Secret ${CONTROL_NAMESPACE}/${name}`;
  const blocker = gatewayObject === undefined ? undefined : providerObjectBlocker(gatewayObject);
  const message =
    gatewayObject?.synced?.status === "False"
      ? `The provider can't read the cluster ${secret}: its Object of the Gateway ${blocker}`
      : `The provider has not read the cluster yet ${secret}`;
  return { type, status: "False", reason: "WaitingForCluster", message };
}

function gatewayReady(composite: KubeObject, state: ClusterState): InferenceClusterCondition {
  const type = "GatewayReady";
  const gateway = gatewayOf(composite, state);
  const name = `Gateway ${CLUSTER_GATEWAY.namespace}/${CLUSTER_GATEWAY.name}`;
  if (gateway !== undefined && gatewaySeen(state)) {
    const message = `${name} is reached at ${gateway.address}`;
    return { type, status: "True", reason: "AddressAssigned", message };
  }
  if (gateway !== undefined) {
    const message = `${name} can't be seen now; its last address ${gateway.address} is kept until it is seen without one`;
    return { type, status: "False", reason: "NotSeen", message };
  }
  if (state.gatewayObject?.live === undefined) {
    const message = `${name} has not been seen on the cluster: create it there, its routes from all namespaces, if it does not exist`;
    return { type, status: "False", reason: "WaitingForGateway", message };
  }
  const message = `${name} has no address in its status: see why its controller gives it none`;
  return { type, status: "False", reason: "NoAddress", message };
}

function classesResolved(composite: KubeObject, state: ClusterState): InferenceClusterCondition {
  const type = "ClassesResolved";
  const { missing, invalid, unresolved, pools } = state.pools;
  const kept =
    pools.length === state.wantedPools
      ? "; pools keep what was known of them"
      : pools.length === 0
        ? "; no pool is published before all are known"
        : "";
  if (invalid.length > 0) {
    const message = `${quoteProblems(invalid)}: correct it${kept}`;
    return { type, status: "False", reason: "InvalidClass", message };
  }
  if (missing.length > 0) {
    const names = missing.map((name) => `"${name}"`).join(", ");
    const message = `There is no InferenceClass ${names} (spec.nodePools[].className): create it${kept}`;
    return { type, status: "False", reason: "WaitingForClasses", message };
  }
  if (unresolved && findCondition(composite, type)?.status !== "True") {
    const message = "Crossplane has not looked the classes up yet";
    return { type, status: "False", reason: "Unresolved", message };
  }
  if (state.wantedPools === 0) {
    const message = "spec.nodePools is empty, so no replica is placed here";
    return { type, status: "False", reason: "NoNodePools", message };
  }
  return { type, status: "True", reason: "ClassesResolved", message: "" };
}

/** What models need on a cluster, for whoever has to install it. */
const REQUIREMENTS =
  "Gateway API with the inference extension and a controller for both, a DRA driver for its devices, and LeaderWorkerSet or, on the Dynamo stack, Grove and the KAI scheduler";

function requirementsMet({ existing }: ClusterState): InferenceClusterCondition {
  const type = "RequirementsMet";
  if (existing.components === "Provided") {
    return { type, status: "True", reason: "Provided", message: "" };
  }
  const message = `spec.cluster.existing.components is Managed, and sluice installs nothing yet: install ${REQUIREMENTS}`;
  return { type, status: "False", reason: "ManagedNotSupported", message };
}
