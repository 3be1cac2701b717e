import type {
  DeploymentHolding,
  DeploymentSpecReason,
  DeploymentWaitReason,
  ModelCacheResolved,
  ReplicasReady,
  ReplicasScheduled,
  ReplicasUpdated,
} from "../../api/model-deployment.ts";
import { enumerate, excerpt } from "../composition/findings.ts";
import type { PlannedReplica } from "./plan.ts";

/** How many replicas there should be, and what became of that. */
export interface Counts {
  readonly desired: number;
  readonly total: number;
  readonly ready: number;
  readonly updated: number;
}

/** Counts a deployment's replicas, the one beyond `desired` that a move needs for a while too. */
export function countReplicas(desired: number, replicas: readonly PlannedReplica[]): Counts {
  return {
    desired,
    total: replicas.length,
    ready: replicas.filter(({ ready }) => ready).length,
    updated: replicas.filter(({ current }) => current).length,
  };
}

/**
 * Says whether every wanted replica has a place; `why` explains in a line why one has none, and
 * `noCacheStorage` that it is for want of storage for the ModelCache of that name alone.
 */
export function replicasScheduled(
  { desired, total }: Counts,
  replicas: readonly PlannedReplica[],
  why: string,
  noCacheStorage: string | undefined,
): ReplicasScheduled {
  const type = "ReplicasScheduled";
  if (desired === 0) {
    return { type, status: "True", reason: "ScaledToZero", message: "spec.replicas is 0" };
  }
  const tail = why === "" ? "" : `: ${why}`;
  if (total === 0 && noCacheStorage !== undefined) {
    const message = `0 of ${desired} replicas scheduled: no candidate cluster has storage for ModelCache "${noCacheStorage}": set spec.cluster.existing.cache.storageClassName of one`;
    return { type, status: "False", reason: "NoCacheStorage", message };
  }
  if (total < desired) {
    const reason = total === 0 ? "InsufficientCapacity" : "PartiallyScheduled";
    const message = `${total} of ${desired} replicas scheduled${tail}`;
    return { type, status: "False", reason, message };
  }
  const fresh = replicas.filter(({ observed }) => observed === undefined);
  if (fresh.length > 0) {
    const message = `Placing ${listed(fresh)}`;
    return { type, status: "False", reason: "Scheduling", message };
  }
  const moving = replicas.filter(({ phase }) => phase === "Moving");
  const moves = moving.length === 0 ? "" : `; to be replaced: ${listed(moving)}`;
  const message = `Scheduled ${Math.min(total, desired)} of ${desired} replicas${moves}`;
  return { type, status: "True", reason: "ReplicasCreated", message };
}

/** Says whether every replica is ready, each for the spec that it has. */
export function replicasReady(
  { desired, total, ready }: Counts,
  replicas: readonly PlannedReplica[],
): ReplicasReady {
  const type = "ReplicasReady";
  if (desired === 0 && total === 0) {
    return { type, status: "True", reason: "ScaledToZero", message: "spec.replicas is 0" };
  }
  if (total === 0) {
    const message = "no replica has a place, see ReplicasScheduled";
    return { type, status: "False", reason: "NoReplicasScheduled", message };
  }
  const surplus = total - desired;
  const count =
    surplus > 0
      ? `${ready} of ${total} ready, ${surplus} of them beyond spec.replicas until others have gone`
      : `${ready} of ${desired} ready`;
  if (ready === total && total >= desired) {
    return { type, status: "True", reason: "AllReplicasReady", message: count };
  }
  if (ready === total) {
    const without = desired - total === 1 ? "1 has" : `${desired - total} have`;
    const message = `${count}; ${without} no place, see ReplicasScheduled`;
    return { type, status: "False", reason: "PartiallyScheduled", message };
  }
  const degraded = replicas.filter((replica) => replica.degraded);
  const waiting = degraded.length > 0 ? degraded : replicas.filter((replica) => !replica.ready);
  const message = `${count}; ${listed(waiting)}`;
  return {
    type,
    status: "False",
    reason: degraded.length > 0 ? "Degraded" : "ModelStarting",
    message,
  };
}

/** Says how far a change of the template has come, in one message. */
export function replicasUpdated(
  { desired, total, updated }: Counts,
  replicas: readonly PlannedReplica[],
  paused: boolean,
): ReplicasUpdated {
  const type = "ReplicasUpdated";
  if (desired === 0 && total === 0) {
    return { type, status: "True", reason: "ScaledToZero", message: "spec.replicas is 0" };
  }
  if (total === 0) {
    return {
      type,
      status: "False",
      reason: "NoReplicasScheduled",
      message: "no replica has a place",
    };
  }
  const count = `${updated} of ${total} replicas have the current template`;
  if (updated === total) {
    return { type, status: "True", reason: "AllReplicasUpdated", message: count };
  }
  if (paused) {
    const message = `${count}; spec.rollout.pause is true, so no other is given it`;
    return { type, status: "False", reason: "Paused", message };
  }
  const held = replicas.filter(({ current, phase }) => !current && phase === "Held");
  if (held.length > 0) {
    const message = `${count}; ${listed(held)}`;
    return { type, status: "False", reason: "WaitingForCapacity", message };
  }
  const starting = replicas.filter(({ ready, current }) => current && !ready);
  const message = starting.length === 0 ? count : `${count}; waiting for ${listed(starting)}`;
  return { type, status: "False", reason: "RollingOut", message };
}

/** Says how many replicas have the template while nothing can be decided, for that reason. */
export function replicasUpdatedInHold(
  { desired, total, updated }: Counts,
  reason: DeploymentWaitReason | DeploymentSpecReason,
): ReplicasUpdated {
  if (total === 0 || updated === total) {
    return replicasUpdated({ desired, total, ready: 0, updated }, [], false);
  }
  const message = `${updated} of ${total} replicas have the current template; no other is given it meanwhile, see ReplicasScheduled`;
  return { type: "ReplicasUpdated", status: "False", reason, message };
}

/** Says whether the named ModelCache is there; a deployment without one has no such condition. */
export function modelCacheResolved(
  name: string | undefined,
  state: "unresolved" | "absent" | "present",
): readonly ModelCacheResolved[] {
  const type = "ModelCacheResolved";
  if (name === undefined) return [];
  switch (state) {
    case "present":
      return [{ type, status: "True", reason: "ModelCacheResolved", message: "" }];
    case "absent": {
      const message = `ModelCache "${name}" not found; holding replica placement`;
      return [{ type, status: "False", reason: "ModelCacheNotFound", message }];
    }
    case "unresolved": {
      const message = `Waiting for ModelCache "${name}"`;
      return [{ type, status: "False", reason: "ModelCacheUnresolved", message }];
    }
  }
}

/** Says which replicas are kept where they can't stay, because nothing else fits; absent when none is. */
export function heldReplicas(
  held: readonly { readonly replica: PlannedReplica; readonly reason: HeldReason }[],
  why: string,
): DeploymentHolding | undefined {
  const [first] = held;
  if (first === undefined) return undefined;
  const kept = listed(held.map(({ replica }) => replica));
  const message = `Kept as they were, since no other place fits: ${kept}. ${why === "" ? "" : `${why}. `}They move once a place is free; delete a ModelReplica to let it go`;
  return { type: "Holding", status: "True", reason: first.reason, message };
}

/** Why a replica must move, where that is a reason to hold it. */
export type HeldReason = Exclude<
  Extract<DeploymentHolding, { readonly status: "True" }>["reason"],
  | "NoClusters"
  | "ModelCacheNotFound"
  | "SelectorsContradict"
  | "InvalidSpec"
  | "InvalidNodeSelector"
>;

/** The rows of `status.placements`. */
export function placementStatus(replicas: readonly PlannedReplica[]) {
  return replicas.map(({ object, identity, engines, phase, current, message }) => ({
    replica: object.metadata?.name ?? "",
    cluster: identity.cluster,
    index: identity.index,
    engines,
    state: phase,
    template: current ? "Current" : "Outdated",
    ...(message === "" ? {} : { message: excerpt(message, MOST_SAID) }),
  }));
}

/**
 * Most characters that are said of one replica. What it repeats may be long, such as a cluster's own
 * message, and a hundred of them must fit in an object of the API server.
 */
const MOST_SAID = 300;

/** Most replicas that a message names, but for a last one; the rest are counted. */
const MOST_NAMED = 4;

/** Names replicas, each with its cluster and what it waits for. */
function listed(replicas: readonly PlannedReplica[]): string {
  return enumerate(replicas.map(named), MOST_NAMED, "; ");
}

/** Names a replica, its cluster and what it waits for. */
function named({ object, identity, message }: PlannedReplica): string {
  const name = `${object.metadata?.name} on ${identity.cluster}`;
  return message === "" ? name : `${name}: ${excerpt(message, MOST_SAID)}`;
}
