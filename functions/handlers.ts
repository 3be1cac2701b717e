import type { Definitions } from "../schema/definitions.ts";
import type { Handler } from "./composition/composition.ts";
import { inferenceClassHandler } from "./inference-class/handler.ts";
import { inferenceClusterHandler } from "./inference-cluster/handler.ts";
import { modelCacheHandler } from "./model-cache/handler.ts";
import { modelDeploymentHandler } from "./model-deployment/handler.ts";
import { modelEndpointHandler } from "./model-endpoint/handler.ts";
import { modelReplicaHandler } from "./model-replica/handler.ts";
import { createRefusals } from "./model-replica/refusals.ts";

/** The handler of every XR kind that the function serves, in the order that messages list them. */
export function createHandlers(definitions: Definitions): readonly Handler[] {
  return [
    inferenceClassHandler(definitions),
    inferenceClusterHandler(definitions),
    modelCacheHandler(definitions),
    modelDeploymentHandler(definitions, createRefusals()),
    modelEndpointHandler(definitions),
    modelReplicaHandler(definitions),
  ];
}
