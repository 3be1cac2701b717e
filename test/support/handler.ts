import { modelReplicaHandler } from "../../functions/model-replica/handler.ts";
import { shippedDefinitions } from "../../functions/shipped.ts";

/** The ModelReplica handler with the definition that the package ships. */
export const handler = modelReplicaHandler(shippedDefinitions());
