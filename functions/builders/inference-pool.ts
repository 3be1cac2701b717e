import { LABEL } from "../../api/labels.ts";
import type { KubeObject } from "../../kube/object.ts";

/** The API group of InferencePool, as routes and pickers refer to it. */
export const INFERENCE_POOL_GROUP = "inference.networking.k8s.io";

/** The port where a picker answers the gateway. */
export const PICKER_PORT = 9002;

/** What varies between the pools of replicas. */
export interface InferencePoolParameters {
  readonly name: string;
  readonly namespace: string;
  /** The value of the serving label on the pods that receive requests. */
  readonly servingLabel: string;
  /** Where those pods receive them. */
  readonly port: number;
  /** The picker's Service. */
  readonly picker: string;
  /** What the gateway does without a picker. */
  readonly failureMode: "FailOpen" | "FailClose";
}

/** Builds the pool of a replica's serving pods. */
export function buildInferencePool(parameters: InferencePoolParameters): KubeObject {
  const { name, namespace, servingLabel, port, picker, failureMode } = parameters;
  return {
    apiVersion: `${INFERENCE_POOL_GROUP}/v1`,
    kind: "InferencePool",
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: { [LABEL.serving]: servingLabel } },
      targetPorts: [{ number: port }],
      endpointPickerRef: { name: picker, port: { number: PICKER_PORT }, failureMode },
    },
  };
}
