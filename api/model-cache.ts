import type { Condition } from "./condition.ts";

/** The API version and kind that the ModelCache handler serves. */
export const MODEL_CACHE = {
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "ModelCache",
} as const;

/** Whether there are clusters that the weights are to be on. */
export type ClustersMatched = Condition<
  "ClustersMatched",
  "Matched",
  "NoClusters" | "WaitingForClusters" | "InvalidSpec"
>;

/** Whether the weights are there. This release puts them nowhere, so it is never True. */
export type ArtifactReady = Condition<
  "ArtifactReady",
  never,
  "HydrationNotSupported" | "InvalidSpec"
>;

/** Every condition that the handler sets, with its reasons. */
export type ModelCacheCondition = ClustersMatched | ArtifactReady;
