import type { ModelDeploymentSpec } from "../../api/gen/modeldeployments.ts";
import { LABEL } from "../../api/labels.ts";
import { findCondition } from "../../kube/conditions.ts";
import { field, isRecord, type KubeObject, stringField } from "../../kube/object.ts";
import {
  buildModelReplica,
  identityLabels,
  type ReplicaIdentity,
  templateHash,
} from "../builders/model-replica.ts";
import { reemit } from "../composition/holding.ts";
import { replicaKey } from "./keys.ts";
import type { ObservedReplica } from "./observed.ts";
import type { PlannedReplica } from "./plan.ts";
import { frozenReasonText, moveReasonText } from "./reasons.ts";
import { chooseUpdates } from "./rollout.ts";
import type {
  EnginePlacement,
  KeptReplica,
  PlacedReplica,
  RetainedReplica,
  Schedule,
} from "./scheduling/placement.ts";
import { decodePlacement, stampReplica } from "./stamp.ts";

/** What every replica of a deployment is composed from. */
export interface DeploymentContext {
  readonly namespace: string;
  readonly name: string;
  readonly spec: ModelDeploymentSpec;
  /** The InferenceClusters that can be read, by name. */
  readonly clusters: ReadonlyMap<string, KubeObject>;
  readonly observed: readonly ObservedReplica[];
}

/** A replica of a schedule, before it is decided which template it is given. */
interface Standing {
  readonly kept: KeptReplica;
  readonly observed: ObservedReplica;
  readonly engines: readonly EnginePlacement[];
  /** The replica as the template is now; `undefined` where the template has another shape. */
  readonly wanted: KubeObject | undefined;
  readonly current: boolean;
  readonly ready: boolean;
  /** Why its cluster is out of order, where it can be read and is. */
  readonly disorder: string | undefined;
}

/** Composes the replicas that a schedule keeps and places, and rolls a change of the template out. */
export function composeReplicas(
  context: DeploymentContext,
  schedule: Schedule,
): readonly PlannedReplica[] {
  const standing = schedule.kept.map((kept) => stand(context, kept));
  const updates = chooseUpdates(
    [
      ...standing.map((one) => ({
        key: one.observed.key,
        ready: one.observed.own.ready,
        clusterReady: isReady(context.clusters.get(one.kept.replica.cluster)),
        outdated: one.kept.as === "retained" && !one.current,
      })),
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

function grow({ ledger }: Schedule, { replica, charges }: RetainedReplica): boolean {
  return ledger.grow(replica.cluster, replica.charges, charges);
}

function stand(context: DeploymentContext, kept: KeptReplica): Standing {
  const { replica } = kept;
  const key = replicaKey(replica);
  const observed = context.observed.find((one) => one.key === key);
  if (observed === undefined) throw new Error(`${key} is kept and not observed`);
  const decoded = decodePlacement(observed.object.spec, context.spec);
  const engines = kept.as === "retained" ? kept.engines : decoded;
  const wanted =
    engines === undefined
      ? undefined
      : buildWanted(context, identityOf(context, replica), engines, observed.object);
  const hash = templateHash(wanted?.spec);
  const label = stringField(observed.object, "metadata", "labels", LABEL.templateHash);
  const disorder = disorderOf(context.clusters.get(replica.cluster), replica.cluster);
  return {
    kept,
    observed,
    engines: engines ?? [],
    wanted,
    // Without the label, as after a switch from upstream, an equal spec counts.
    current: wanted !== undefined && hash === (label ?? templateHash(observed.object.spec)),
    ready:
      replica.ready &&
      findCondition(observed.object, "Ready")?.status === "True" &&
      disorder === undefined,
    disorder,
  };
}

/** Why a cluster that can be read should not be sent traffic. */
function disorderOf(cluster: KubeObject | undefined, name: string): string | undefined {
  if (cluster === undefined) return undefined;
  if (!isReady(cluster)) {
    const message = findCondition(cluster, "Ready")?.message ?? "";
    const why = message === "" ? "" : `: ${message}`;
    return `InferenceCluster "${name}" is not Ready${why}`;
  }
  const addresses = ["address", "hostname"].map((at) =>
    stringField(cluster, "status", "gateway", at),
  );
  if (addresses.some((address) => address !== undefined && address !== "")) return undefined;
  return `InferenceCluster "${name}" has no gateway address`;
}

const isReady = (cluster: KubeObject | undefined) =>
  cluster !== undefined && findCondition(cluster, "Ready")?.status === "True";

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

/** Builds a replica from the template as it is now, under the name that it has already. */
function buildWanted(
  context: DeploymentContext,
  identity: ReplicaIdentity,
  engines: readonly EnginePlacement[],
  observed: KubeObject | undefined,
): KubeObject {
  const model = `${context.namespace}/${context.name}`;
  const spec = stampReplica(context.spec, identity.cluster, engines, model);
  const labels = labelsOf(context, identity.cluster);
  const built = buildModelReplica({ identity, labels, spec, templateHash: templateHash(spec) });
  return named(built, observed);
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

function named(built: KubeObject, observed: KubeObject | undefined): KubeObject {
  const name = observed?.metadata?.name;
  return name === undefined ? built : { ...built, metadata: { ...built.metadata, name } };
}

function labelsOf({ spec, clusters }: DeploymentContext, cluster: string) {
  const placement = field(clusters.get(cluster), "spec", "placement", "metadata", "labels");
  return {
    ...spec.template.metadata?.labels,
    ...(isRecord(placement) ? (placement as Readonly<Record<string, string>>) : {}),
  };
}

function identityOf(
  { namespace, name }: DeploymentContext,
  { cluster, index }: { readonly cluster: string; readonly index: number },
): ReplicaIdentity {
  return { namespace, deployment: name, cluster, index };
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

/** Most characters of a replica's own message that are repeated. */
const MOST_QUOTED = 256;

function notReadyText(observed: KubeObject): string {
  const condition = findCondition(observed, "ModelReady");
  const text = condition?.message ?? "";
  if (text === "") return "is not ready for its spec yet";
  return text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text;
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
