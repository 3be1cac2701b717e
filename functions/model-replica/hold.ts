import { ANNOTATION } from "../../api/labels.ts";
import type { Holding, SpecReason } from "../../api/model-replica.ts";
import { decodeProviderObject, providerObjectReady } from "../../api/provider-object.ts";
import { findCondition } from "../../kube/conditions.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { ComposedResource, ObservedResources } from "../composition/composition.ts";
import { reemit } from "../composition/holding.ts";
import { requestedKey } from "../composition/object-keys.ts";
import { isOwnKey } from "./keys.ts";

/** Why a replica can't be composed now. */
export interface Blocked {
  /** `Unresolved`: Crossplane has not answered yet, and calls again in the same reconcile. */
  readonly reason: "Unresolved" | "ClusterNotFound" | "ProviderConfigMissing" | SpecReason;
  /** What is missing or wrong, by object, field and value. */
  readonly message: string;
}

/** Tells whether what blocks a replica is its own spec, and not something it waits for. */
export function isSpecReason(reason: Blocked["reason"]): reason is SpecReason {
  return reason === "InvalidSpec" || reason === "InvalidNodeSelector";
}

/** Says again every observed object of ours, as ready as it is observed. */
export function heldResources(observed: ObservedResources): readonly ComposedResource[] {
  return observed.keys.flatMap((key) => {
    return heldResource(key, observed) ?? [];
  });
}

/** Says one observed object again; `undefined` when it is being deleted or is none of ours. */
export function heldResource(
  key: string,
  observed: ObservedResources,
): ComposedResource | undefined {
  const present = observed.get(key);
  const decoded = present === undefined ? undefined : decodeProviderObject(present);
  if (decoded === undefined || !isOwnKey(requestedKey(key, decoded))) return undefined;
  const object = reemit(decoded.object);
  return object === undefined ? undefined : { key, object, ready: providerObjectReady(decoded) };
}

/**
 * The Holding condition: True while objects are kept for a reason, else False on an XR that carries
 * it from before, since a condition can't be taken back. Absent on one that never held, and while
 * Crossplane has not answered: what is not returned stays as it is.
 */
export function holding(
  composite: KubeObject,
  blocked: Blocked | undefined,
  held: number,
): Holding | undefined {
  const type = "Holding";
  if (blocked !== undefined && blocked.reason !== "Unresolved" && held > 0) {
    const message = `${held} composed objects are kept as they were: ${blocked.message}. ${wayOut(blocked.reason)}`;
    return { type, status: "True", reason: blocked.reason, message };
  }
  if (blocked?.reason === "Unresolved" || findCondition(composite, type) === undefined) {
    return undefined;
  }
  return { type, status: "False", reason: "Released", message: "" };
}

function wayOut(reason: Blocked["reason"]): string {
  return isSpecReason(reason)
    ? "They follow the spec again once it is corrected"
    : `They follow the spec again once the cluster answers. If it never will, annotate this ModelReplica with ${ANNOTATION.abandon}="true" before you delete it, so that its Objects need not reach the cluster`;
}
