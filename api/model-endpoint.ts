import type { Condition } from "./condition.ts";

/** The API version and kind that the ModelEndpoint handler serves. */
export const MODEL_ENDPOINT = {
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "ModelEndpoint",
} as const;

/** Whether gateways can use the endpoint as it is written. */
export type EndpointReady = Condition<
  "EndpointReady",
  "OriginAccepted",
  "InvalidOrigin" | "InvalidSpec"
>;
