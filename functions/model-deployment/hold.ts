import type {
  DeploymentHolding,
  DeploymentSpecReason,
  DeploymentWaitReason,
} from "../../api/model-deployment.ts";
import { findCondition } from "../../kube/conditions.ts";
import type { KubeObject } from "../../kube/object.ts";
import { reemit } from "../composition/holding.ts";
import type { ObservedReplica } from "./observed.ts";
import type { PlannedReplica } from "./plan.ts";

/** Why nothing new can be decided for a deployment now. */
export interface Blocked {
  /** `Unresolved`: Crossplane has not answered yet, and calls again in the same reconcile. */
  readonly reason: "Unresolved" | DeploymentWaitReason | DeploymentSpecReason;
  /** What is missing or wrong, by object, field and value. */
  readonly message: string;
}

/** Tells whether what blocks a deployment is its own spec, and not something it waits for. */
export function isSpecReason(reason: Blocked["reason"]): reason is DeploymentSpecReason {
  return reason === "InvalidSpec" || reason === "InvalidNodeSelector";
}

/** Says a replica again exactly as it is observed; `undefined` when it is being deleted. */
export function heldReplica(
  { key, object: observed, own }: ObservedReplica,
  identity: PlannedReplica["identity"],
  { message, current }: Pick<PlannedReplica, "message" | "current">,
): PlannedReplica | undefined {
  const object = reemit(observed);
  if (object === undefined) return undefined;
  return {
    key,
    identity,
    object,
    observed,
    phase: own.serving ? "Serving" : "Starting",
    ready: own.ready && findCondition(observed, "Ready")?.status === "True",
    current,
    engines: own.engines.map(({ name, members }) => ({
      name,
      pools: [...new Set(members.map(({ pool }) => pool))],
    })),
    message,
    degraded: false,
  };
}

/**
 * The Holding condition: True while replicas are kept for a reason, else False on a deployment that
 * carries it from before, since a condition can't be taken back.
 */
export function holding(
  composite: KubeObject,
  holds: DeploymentHolding | undefined,
): DeploymentHolding | undefined {
  if (holds !== undefined) return holds;
  if (findCondition(composite, "Holding") === undefined) return undefined;
  return { type: "Holding", status: "False", reason: "Released", message: "" };
}

/** Says that all replicas are kept because of what blocks the deployment; absent when there are none. */
export function heldWhole(
  { reason, message }: Blocked,
  replicas: number,
): DeploymentHolding | undefined {
  if (reason === "Unresolved" || replicas === 0) return undefined;
  const kept =
    replicas === 1 ? "1 replica is kept as it was" : `${replicas} replicas are kept as they were`;
  const until = isSpecReason(reason)
    ? "They follow the spec again once it is corrected"
    : "They follow the spec again once that is put right; delete a ModelReplica to let it go";
  return { type: "Holding", status: "True", reason, message: `${kept}: ${message}. ${until}` };
}
