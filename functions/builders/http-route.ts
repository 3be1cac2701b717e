import { CLUSTER_GATEWAY } from "../../api/labels.ts";
import { findCondition } from "../../kube/conditions.ts";
import { type KubeObject, listField, stringField } from "../../kube/object.ts";
import { INFERENCE_POOL_GROUP } from "./inference-pool.ts";

/** What varies between the routes of replicas. */
export interface HttpRouteParameters {
  readonly name: string;
  readonly namespace: string;
  /** The path that leads to the replica; neither ends in a slash nor is part of what the engine sees. */
  readonly path: string;
  readonly pool: string;
}

/**
 * Builds the route from the cluster's gateway to a replica's pool. No trailing slash in the match
 * and `/` as the replacement is the pair that portable gateways rewrite alike. No timeout, since
 * answers stream for as long as they take.
 */
export function buildHttpRoute(parameters: HttpRouteParameters): KubeObject {
  const { name, namespace, path, pool } = parameters;
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name, namespace },
    spec: {
      parentRefs: [CLUSTER_GATEWAY],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: path } }],
          filters: [
            {
              type: "URLRewrite",
              urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } },
            },
          ],
          backendRefs: [{ group: INFERENCE_POOL_GROUP, kind: "InferencePool", name: pool }],
          timeouts: { request: "0s" },
        },
      ],
    },
  };
}

/** The CEL query that is true of a route that the cluster's gateway accepts, backends included. */
export function httpRouteReadyQuery(): string {
  const accepts = (type: string) =>
    `p.conditions.exists(c, c.type == '${type}' && c.status == 'True' &&` +
    " (!has(c.observedGeneration) || c.observedGeneration == object.metadata.generation))";
  return (
    "has(object.status) && has(object.status.parents) && object.status.parents.exists(p," +
    ` p.parentRef.name == '${CLUSTER_GATEWAY.name}' && has(p.conditions) &&` +
    ` ${accepts("Accepted")} && ${accepts("ResolvedRefs")})`
  );
}

/** What the cluster's gateway says of a live route. */
export type RouteState =
  | { readonly accepted: true }
  | {
      readonly accepted: false;
      /** `NoGateway`: the gateway has not reported on the route at all. */
      readonly reason: "NoGateway" | "RouteNotAccepted";
      readonly message: string;
    };

/** Reads whether the cluster's gateway accepts a live route and resolves its backends. */
export function httpRouteState(live: unknown): RouteState {
  const name = stringField(live, "metadata", "name") ?? "";
  let refusal: string | undefined;
  for (const parent of listField(live, "status", "parents")) {
    if (stringField(parent, "parentRef", "name") !== CLUSTER_GATEWAY.name) continue;
    const unmet = ["Accepted", "ResolvedRefs"]
      .map((type) => ({ type, condition: findCondition(parent, type, "conditions") }))
      .find(({ condition }) => condition?.status !== "True");
    if (unmet === undefined) return { accepted: true };
    const words = unmet.condition?.message || unmet.condition?.reason || "not reported";
    refusal ??= `${unmet.type} is ${unmet.condition?.status ?? "missing"}: ${words.slice(0, 512)}`;
  }
  const gateway = `Gateway ${CLUSTER_GATEWAY.namespace}/${CLUSTER_GATEWAY.name}`;
  return refusal === undefined
    ? {
        accepted: false,
        reason: "NoGateway",
        message: `${gateway} has not reported on HTTPRoute "${name}": check that it exists on the cluster and that its controller runs`,
      }
    : {
        accepted: false,
        reason: "RouteNotAccepted",
        message: `${gateway} does not route HTTPRoute "${name}": ${refusal}`,
      };
}
