import { LABEL } from "../../api/labels.ts";
import { findCondition } from "../../kube/conditions.ts";
import { field, type KubeObject, stringField } from "../../kube/object.ts";
import { identityLabels, type ReplicaIdentity } from "../builders/model-replica.ts";
import { reemit } from "../composition/holding.ts";
import { replicaKey } from "./keys.ts";
import type { PlannedReplica } from "./plan.ts";
import { frozenReasonText, moveReasonText } from "./reasons.ts";
import { chooseUpdates, type RollingReplica } from "./rollout.ts";
import type {
  EnginePlacement,
  KeptReplica,
  PlacedReplica,
  RetainedReplica,
  Schedule,
} from "./scheduling/placement.ts";
import {
  assessStanding,
  buildWanted,
  type DeploymentContext,
  identityOf,
  isReady,
  labelsOf,
  type Standing,
} from "./standing.ts";

/** Composes the replicas that a schedule keeps and places, and rolls a change of the template out. */
export function composeReplicas(
  context: DeploymentContext,
  schedule: Schedule,
): readonly PlannedReplica[] {
  const standing = schedule.kept.map((kept) => assessStanding(context, kept));
  const updates = chooseUpdates(
    [
      ...standing.map((one) => ({
        key: one.observed.key,
        ready: isAvailable(one),
        clusterReady: isReady(context.clusters.get(one.kept.replica.cluster)),
        outdated: one.kept.as === "retained" && !one.current,
      })),
      ...goneReplicas(context, schedule),
      ...schedule.placed.map((place) => ({
        key: replicaKey(place),
        ready: false,
        clusterReady: true,
        outdated: false,
      })),
    ],
    {
      maxUnavailable: context.spec.rollout?.maxUnavailable ?? 1,
      paused: context.spec.rollout?.pause ?? false,
    },
    (key) => {
      const kept = standing.find(({ observed }) => observed.key === key)?.kept;
      return kept?.as === "retained" && grow(schedule, kept);
    },
  );
  return [
    ...standing.map((one) => planStanding(context, one, updates.has(one.observed.key))),
    ...schedule.placed.map((place) => planPlaced(context, place)),
  ].sort((a, b) => compare(a.identity.cluster, b.identity.cluster) || index(a) - index(b));
}

/**
 * The replicas that are going now and that nothing stands in for yet, as unready as what they leave
 * behind. One that was missing before is not among them: a fleet too small for all would never roll.
 */
function goneReplicas(
  { clusters, observed }: DeploymentContext,
  { released, missing }: Schedule,
): readonly RollingReplica[] {
  const going = [
    ...observed.flatMap(({ own }) => (own.deleting ? [own] : [])),
    ...released.flatMap(({ replica, because }) =>
      because === "MadeRoom" || because === "Yielded" ? [replica] : [],
    ),
  ];
  return going
    .map((own) => ({
      key: replicaKey(own),
      ready: false,
      clusterReady: isReady(clusters.get(own.cluster)),
      outdated: false,
    }))
    .sort((left, right) => Number(right.clusterReady) - Number(left.clusterReady))
    .slice(0, missing);
}

/**
 * Whether a roll-out has something to lose by a change of a replica. One that serves and does not say
 * yet which spec it is ready for, as after a switch from upstream, is ready for the one it has while
 * that is the old one; once it has been given the new one it may not have seen it.
 */
function isAvailable({ observed: { object, own }, current }: Standing): boolean {
  if (own.ready || current || field(object, "status", "observedSpecHash") !== undefined) {
    return own.ready;
  }
  return own.serving || findCondition(object, "ModelReady")?.status === "True";
}

function grow({ ledger }: Schedule, { replica, charges }: RetainedReplica): boolean {
  return ledger.grow(replica.cluster, replica.charges, charges);
}

function planStanding(
  context: DeploymentContext,
  { kept, observed, engines, wanted, current, ready, disorder }: Standing,
  update: boolean,
): PlannedReplica {
  const { replica } = kept;
  const identity = identityOf(context, replica);
  const object =
    kept.as !== "retained"
      ? reemit(observed.object)
      : (current || update) && wanted !== undefined
        ? wanted
        : outdated(context, identity, observed.object);
  if (object === undefined) throw new Error(`${observed.key} is kept and can't be said again`);
  return {
    key: observed.key,
    identity,
    object,
    observed: observed.object,
    phase: phaseOf(kept),
    // A replica that is being given another template was ready for its last one.
    ready: ready && !update,
    current: current || update,
    engines: enginePools(engines, observed.object),
    message: messageOf(kept, { current, update, disorder, observed: observed.object }),
    degraded: disorder !== undefined,
  };
}

function planPlaced(context: DeploymentContext, place: PlacedReplica): PlannedReplica {
  const identity = identityOf(context, place);
  return {
    key: replicaKey(place),
    identity,
    object: buildWanted(context, identity, place.engines, undefined),
    observed: undefined,
    phase: "Placed",
    ready: false,
    current: true,
    engines: enginePools(place.engines, undefined),
    message: "",
    degraded: false,
  };
}

/** Says an outdated replica again with its own template, and with today's labels, which roll no pod. */
function outdated(
  context: DeploymentContext,
  identity: ReplicaIdentity,
  observed: KubeObject,
): KubeObject | undefined {
  const again = reemit(observed);
  if (again === undefined) return undefined;
  const hash = stringField(observed, "metadata", "labels", LABEL.templateHash);
  const labels = {
    ...labelsOf(context, identity.cluster),
    ...identityLabels(identity),
    ...(hash === undefined ? {} : { [LABEL.templateHash]: hash }),
  };
  return { ...again, metadata: { ...again.metadata, labels } };
}

function phaseOf(kept: KeptReplica): PlannedReplica["phase"] {
  if (kept.as === "moving") return kept.progress === "NothingFits" ? "Held" : "Moving";
  return kept.replica.serving ? "Serving" : "Starting";
}

function messageOf(
  kept: KeptReplica,
  {
    current,
    update,
    disorder,
    observed,
  }: {
    readonly current: boolean;
    readonly update: boolean;
    readonly disorder: string | undefined;
    readonly observed: KubeObject;
  },
): string {
  const { cluster, ready } = kept.replica;
  if (kept.as === "moving") return moveReasonText(kept.reason, cluster);
  if (disorder !== undefined) return disorder;
  if (kept.as === "frozen") return frozenReasonText(kept.because, cluster);
  if (update) return "is given the template as it is now";
  if (!ready) return notReadyText(observed);
  return current ? "" : "waits for its turn to be given the template as it is now";
}

function notReadyText(observed: KubeObject): string {
  const text = findCondition(observed, "ModelReady")?.message ?? "";
  return text === "" ? "is not ready for its spec yet" : text;
}

/** The pools of each engine: as placed, or as stamped where the template has another shape now. */
function enginePools(
  engines: readonly EnginePlacement[],
  observed: KubeObject | undefined,
): PlannedReplica["engines"] {
  const stamped = field(observed, "spec", "engines");
  const source: readonly unknown[] =
    engines.length > 0 || !Array.isArray(stamped)
      ? engines.map(({ name, members }) => ({
          name,
          members: members.map(({ pool }) => ({ nodePoolName: pool })),
        }))
      : stamped;
  return source.map((engine) => {
    const members = field(engine, "members");
    const pools = (Array.isArray(members) ? members : []).flatMap(
      (member) => stringField(member, "nodePoolName") ?? [],
    );
    return { name: stringField(engine, "name") ?? "", pools: [...new Set(pools)] };
  });
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const index = ({ identity }: PlannedReplica) => identity.index;
