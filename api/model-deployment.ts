import type { Condition } from "./condition.ts";

/** The API version and kind that the ModelDeployment handler serves. */
export const MODEL_DEPLOYMENT = {
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "ModelDeployment",
} as const;

/** What is wrong with the deployment itself, so that nothing new can be composed for it. */
export type DeploymentSpecReason = "InvalidSpec" | "InvalidNodeSelector";

/** What is missing beside the deployment, so that nothing new can be composed for it. */
export type DeploymentWaitReason = "NoClusters" | "ModelCacheNotFound" | "SelectorsContradict";

/** Whether every replica that is wanted has a place. */
export type ReplicasScheduled = Condition<
  "ReplicasScheduled",
  "ReplicasCreated" | "ScaledToZero",
  | "Scheduling"
  | "PartiallyScheduled"
  | "InsufficientCapacity"
  | "NoCacheStorage"
  | DeploymentWaitReason
  | DeploymentSpecReason
>;

/** Whether every replica that is wanted is ready, each for the spec that it has. */
export type ReplicasReady = Condition<
  "ReplicasReady",
  "AllReplicasReady" | "ScaledToZero",
  "NoReplicasScheduled" | "PartiallyScheduled" | "ModelStarting" | "Degraded"
>;

/** Whether every replica runs the template as it is now, and if not, what the roll-out waits for. */
export type ReplicasUpdated = Condition<
  "ReplicasUpdated",
  "AllReplicasUpdated" | "ScaledToZero",
  | "RollingOut"
  | "Paused"
  | "WaitingForCapacity"
  | "NoReplicasScheduled"
  | DeploymentWaitReason
  | DeploymentSpecReason
>;

/** Whether the ModelCache that the deployment names is there; absent when it names none. */
export type ModelCacheResolved = Condition<
  "ModelCacheResolved",
  "ModelCacheResolved",
  "ModelCacheUnresolved" | "ModelCacheNotFound"
>;

/** Whether replicas are kept as they were because an input is missing or wrong, or because they fit nowhere else. */
export type DeploymentHolding = Condition<
  "Holding",
  | DeploymentWaitReason
  | DeploymentSpecReason
  | "ClusterNotFound"
  | "PoolNotFound"
  | "NodeSelectorUnmet"
  | "ShapeChanged"
  | "GrowthDoesNotFit",
  "Released"
>;

/** Every condition that the handler sets, with its reasons. */
export type ModelDeploymentCondition =
  | ReplicasScheduled
  | ReplicasReady
  | ReplicasUpdated
  | ModelCacheResolved
  | DeploymentHolding;
