import { MODEL_REPLICA } from "../../api/model-replica.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";
import type { ObservedResources } from "../composition/composition.ts";
import type { OwnReplica } from "./scheduling/fleet.ts";
import { decodeOwnReplica } from "./snapshot.ts";

/** A replica that the deployment has composed. */
export interface ObservedReplica {
  readonly key: string;
  readonly object: KubeObject;
  readonly own: OwnReplica;
}

/**
 * The deployment's replicas, by resource key. What other steps of a pipeline compose is none of them,
 * nor is an object without a spec, which no API server stores.
 */
export function observedReplicas(observed: ObservedResources): readonly ObservedReplica[] {
  return observed.keys.flatMap((key) => {
    const object = key.startsWith("replica-") ? observed.get(key) : undefined;
    const { apiVersion, kind } = MODEL_REPLICA;
    if (object?.apiVersion !== apiVersion || object.kind !== kind || !isRecord(object.spec)) {
      return [];
    }
    const own = decodeOwnReplica(key, object);
    return own === undefined ? [] : [{ key, object, own }];
  });
}
