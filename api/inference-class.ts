import type { Condition } from "./condition.ts";

/** The API version and kind that the InferenceClass handler serves. */
export const INFERENCE_CLASS = {
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "InferenceClass",
} as const;

/** Whether node pools can be of this class. */
export type ClassAccepted = Condition<"Accepted", "Available", "InvalidSpec">;
