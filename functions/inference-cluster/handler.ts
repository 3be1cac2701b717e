import type { InferenceClusterSpec } from "../../api/gen/inferenceclusters.ts";
import { INFERENCE_CLASS } from "../../api/inference-class.ts";
import { INFERENCE_CLUSTER } from "../../api/inference-cluster.ts";
import { CONTROL_NAMESPACE, LABEL } from "../../api/labels.ts";
import { MODEL_REPLICA } from "../../api/model-replica.ts";
import { decodeProviderObject } from "../../api/provider-object.ts";
import { findCondition } from "../../kube/conditions.ts";
import { type KubeObject, stringField } from "../../kube/object.ts";
import type { Checked, Definition, Definitions } from "../../schema/definitions.ts";
import {
  buildClusterProviderConfig,
  clusterProviderConfigName,
} from "../builders/cluster-provider-config.ts";
import { buildClusterUsage } from "../builders/cluster-usage.ts";
import { buildGatewayReference, gatewayReadyQuery } from "../builders/gateway.ts";
import { buildProviderObject } from "../builders/provider-object.ts";
import type {
  ComposedResource,
  Composition,
  CompositionRequest,
  Handler,
  ObservedResources,
} from "../composition/composition.ts";
import { quoteFindings } from "../composition/findings.ts";
import { inNamespace, keptFromBefore, reemit } from "../composition/holding.ts";
import { classRequirements, resolvePools } from "./pools.ts";
import {
  type ClusterState,
  clusterConditions,
  clusterStatus,
  gatewaySeen,
  heldConditions,
  lastStatus,
  transitions,
} from "./status.ts";

const REPLICAS = "replicas";
/** The resource keys of what is composed. */
const KEY = { providerConfig: "provider-config", gateway: "gateway", guard: "usage-replicas" };

/**
 * Makes the handler of InferenceClusters: the way to an existing cluster, a look at its gateway, its
 * pools as their classes describe them, and a guard while replicas are on it.
 */
export function inferenceClusterHandler(definitions: Definitions): Handler {
  const definition = definitions.get(`${INFERENCE_CLUSTER.apiVersion}/${INFERENCE_CLUSTER.kind}`);
  if (definition === undefined) throw new Error("the InferenceCluster definition is not loaded");
  const classes = definitions.get(`${INFERENCE_CLASS.apiVersion}/${INFERENCE_CLASS.kind}`);
  if (classes === undefined) throw new Error("the InferenceClass definition is not loaded");
  return {
    ...INFERENCE_CLUSTER,
    compose: (request) => compose(request, definition.check(request.composite), classes),
  };
}

function compose(
  request: CompositionRequest,
  { object, findings }: Checked,
  classes: Definition,
): Composition {
  if (findings.length > 0) return held(request, "InvalidSpec", quoteFindings(findings));
  const { cluster, nodePools = [] } = object.spec as InferenceClusterSpec;
  const { source, existing } = cluster;
  if (source !== "Existing" || existing === undefined) {
    const message = `spec.cluster.source is ${source}, and sluice composes existing clusters only: create the cluster by other means and use source Existing`;
    return held(request, "SourceNotSupported", message);
  }
  const { composite, observed, required } = request;
  const name = composite.metadata?.name ?? "";
  const providerConfig = clusterProviderConfigName(name);
  const gateway = observed.get(KEY.gateway);
  const state: ClusterState = {
    existing,
    providerConfig,
    gatewayObject: gateway === undefined ? undefined : decodeProviderObject(gateway),
    pools: resolvePools(composite, nodePools, required, classes),
    wantedPools: nodePools.length,
  };
  const { secretRef: secret, identitySecretRef: identity } = existing;
  const config = buildClusterProviderConfig({ name: providerConfig, secret, identity });
  const configKey = keyOf(observed, KEY.providerConfig, config);
  const conditions = clusterConditions(composite, state);
  const complete = state.pools.pools.length > 0 && state.pools.pools.length === nodePools.length;
  return {
    resources: [
      {
        key: configKey,
        object: config,
        ready: observed.get(configKey) !== undefined,
      },
      {
        key: KEY.gateway,
        object: inNamespace(
          buildProviderObject({
            manifest: buildGatewayReference(),
            providerConfig,
            managementPolicies: ["Observe"],
            readinessQuery: gatewayReadyQuery(),
          }),
          CONTROL_NAMESPACE,
        ),
        ready: gatewaySeen(state),
      },
      ...guard(request),
      ...keptFromBefore(observed, new Set([configKey, KEY.gateway, KEY.guard])),
    ],
    requirements: requirements(name, nodePools),
    conditions,
    results: transitions(composite, conditions),
    status: clusterStatus(composite, state),
    ...(complete ? {} : { ready: false }),
  };
}

/** Keeps everything as it is observed: nothing can be composed from the spec, and nothing is withdrawn. */
function held(
  request: CompositionRequest,
  reason: "InvalidSpec" | "SourceNotSupported",
  message: string,
): Composition {
  const { composite, observed } = request;
  const own = [KEY.providerConfig, KEY.gateway].flatMap((key) => heldResource(observed, key));
  const resources = [
    ...own,
    ...guard(request),
    ...keptFromBefore(observed, new Set(Object.values(KEY))),
  ];
  const conditions = heldConditions(composite, reason, message, resources.length);
  return {
    resources,
    requirements: requirements(composite.metadata?.name ?? "", []),
    conditions,
    results: transitions(composite, conditions),
    status: lastStatus(composite),
    ready: false,
    ...(resources.length === 0 ? {} : { holding: reason }),
  };
}

function heldResource(observed: ObservedResources, key: string): readonly ComposedResource[] {
  const present = observed.get(key);
  const object = present === undefined ? undefined : reemit(present);
  if (present === undefined || object === undefined) return [];
  const ready = findCondition(present, "Ready")?.status !== "False";
  return [{ key, object: inNamespace(object, present.metadata?.namespace), ready }];
}

function requirements(
  name: string,
  nodePools: NonNullable<InferenceClusterSpec["nodePools"]>,
): Composition["requirements"] {
  return {
    [REPLICAS]: { ...MODEL_REPLICA, match: { labels: { [LABEL.cluster]: name } } },
    ...classRequirements(nodePools),
  };
}

/** Keeps the cluster while replicas are on it, and as it is while that is not known. */
function guard({ composite, observed, required }: CompositionRequest): readonly ComposedResource[] {
  const replicas = required(REPLICAS, {});
  if (replicas.state === "absent") return [];
  if (replicas.state === "unresolved") return heldResource(observed, KEY.guard);
  const of = { ...INFERENCE_CLUSTER, name: composite.metadata?.name ?? "" };
  const reason =
    "ModelReplicas are on this cluster: add a NoExecute taint to spec.taints and wait until they are gone";
  return [{ key: KEY.guard, object: buildClusterUsage({ of, reason }), ready: true }];
}

/** The key under which an object of this name is observed, as after a switch from upstream, else the given one. */
function keyOf(observed: ObservedResources, key: string, { kind, metadata }: KubeObject): string {
  const found = observed.keys.find((other) => {
    const present = observed.get(other);
    return present?.kind === kind && stringField(present, "metadata", "name") === metadata?.name;
  });
  return found ?? key;
}
