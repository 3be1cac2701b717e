import { canonicalJson, sha256Hex } from "../kube/canonical.ts";
import { isRecord, type KubeObject } from "../kube/object.ts";
import type { Condition } from "./condition.ts";

/** The API version and kind that the ModelReplica handler serves. */
export const MODEL_REPLICA = {
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "ModelReplica",
} as const;

/**
 * Hashes a replica's own spec, without Crossplane's part, to 16 hexadecimal digits. Its handler
 * writes it as `status.observedSpecHash`; who computes the same from the object that it reads knows
 * that the status speaks of that spec.
 */
export function currentSpecHash(replica: KubeObject): string {
  const { crossplane: _machinery, ...spec } = isRecord(replica.spec) ? replica.spec : {};
  return sha256Hex(canonicalJson(spec), 16);
}

/** Why nothing new can be composed for a replica. */
export type SpecReason = "InvalidSpec" | "InvalidNodeSelector";

/** Whether the cluster has taken every workload of this spec. */
export type ModelAccepted = Condition<
  "ModelAccepted",
  "Accepted",
  "WaitingForCluster" | "Deploying" | SpecReason
>;

/** Whether every copy of every engine runs this spec and is ready. */
export type ModelReady = Condition<
  "ModelReady",
  "Serving",
  "WaitingForModel" | "ModelStarting" | SpecReason
>;

/** Whether every engine has a ready copy, of whichever spec, and the gateway routes to them. */
export type ModelServing = Condition<
  "ModelServing",
  "Serving",
  "WaitingForModel" | "NoGateway" | "RouteNotAccepted"
>;

/** Whether composed objects are kept as they were because an input is missing or wrong. */
export type Holding = Condition<
  "Holding",
  "ClusterNotFound" | "ProviderConfigMissing" | SpecReason,
  "Released"
>;

/** Every condition that the handler sets, with its reasons. */
export type ModelReplicaCondition = ModelAccepted | ModelReady | ModelServing | Holding;
