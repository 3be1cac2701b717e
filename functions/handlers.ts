import type { Definitions } from "../schema/definitions.ts";
import type { Handler } from "./composition/composition.ts";
import { modelReplicaHandler } from "./model-replica/handler.ts";

/** The handler of every XR kind that the function serves, in the order that messages list them. */
export function createHandlers(definitions: Definitions): readonly Handler[] {
  return [modelReplicaHandler(definitions)];
}
