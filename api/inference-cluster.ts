import type { Condition } from "./condition.ts";

/** The API version and kind that the InferenceCluster handler serves. */
export const INFERENCE_CLUSTER = {
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "InferenceCluster",
} as const;

/** Whether the provider reaches the cluster. */
export type ClusterReady = Condition<
  "ClusterReady",
  "ClusterReachable",
  "WaitingForCluster" | "SourceNotSupported" | "InvalidSpec"
>;

/** Whether the cluster's gateway is seen, and has an address. */
export type GatewayReady = Condition<
  "GatewayReady",
  "AddressAssigned",
  "WaitingForGateway" | "NotSeen" | "NoAddress"
>;

/** Whether the class of every node pool is there and can be used. */
export type ClassesResolved = Condition<
  "ClassesResolved",
  "ClassesResolved",
  "WaitingForClasses" | "InvalidClass" | "Unresolved" | "NoNodePools"
>;

/** Whether sluice may count on what models need being installed by whoever runs the cluster. */
export type RequirementsMet = Condition<"RequirementsMet", "Provided", "ManagedNotSupported">;

/** Whether what is composed is kept as it was, because nothing can be composed from the spec. */
export type ClusterHolding = Condition<"Holding", "InvalidSpec" | "SourceNotSupported", "Released">;

/** Every condition that the handler sets, with its reasons. */
export type InferenceClusterCondition =
  | ClusterReady
  | GatewayReady
  | ClassesResolved
  | RequirementsMet
  | ClusterHolding;
