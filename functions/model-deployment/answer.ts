import { LABEL } from "../../api/labels.ts";
import type { DeploymentHolding, ModelDeploymentCondition } from "../../api/model-deployment.ts";
import { findCondition } from "../../kube/conditions.ts";
import { field, isRecord, type KubeObject } from "../../kube/object.ts";
import type {
  ComposedResource,
  Composition,
  CompositionRequest,
  FunctionResult,
} from "../composition/composition.ts";
import { composeEndpoint } from "./endpoints.ts";
import { type Blocked, heldReplica, heldWhole, holding, isSpecReason } from "./hold.ts";
import { endpointKey } from "./keys.ts";
import type { PlannedReplica } from "./plan.ts";
import { releaseReasonText } from "./reasons.ts";
import { cacheName, type Surroundings } from "./requirements.ts";
import type { Schedule } from "./scheduling/placement.ts";
import { scaleDown } from "./scheduling/scale-down.ts";
import { type DeploymentContext, hasTemplate, identityOf } from "./standing.ts";
import {
  countReplicas,
  heldReplicas,
  modelCacheResolved,
  placementStatus,
  replicasReady,
  replicasScheduled,
  replicasUpdated,
  replicasUpdatedInHold,
} from "./status.ts";

/** What a pass decided, and why not more. */
export interface Decided {
  readonly schedule: Schedule;
  readonly planned: readonly PlannedReplica[];
  /** Says in a line why no more fits; called only where something did not, since it looks at the whole fleet again. */
  explain(): string;
}

/** Says everything about a deployment whose replicas could be decided on. */
export function answer(
  request: CompositionRequest,
  surroundings: Surroundings,
  context: DeploymentContext,
  { schedule, planned, explain }: Decided,
): Composition {
  const { composite } = request;
  const { spec } = context;
  const counts = countReplicas(spec.replicas, planned);
  const moving = schedule.kept.flatMap((kept) => (kept.as === "moving" ? [kept] : []));
  const stuck = moving.filter(({ progress }) => progress === "NothingFits");
  const why = schedule.missing > 0 || stuck.length > 0 ? explain() : "";
  const held = stuck.flatMap(({ replica, reason }) => {
    const found = planned.find(({ identity: { cluster, index } }) => {
      return cluster === replica.cluster && index === replica.index;
    });
    // A drained replica is not held, whatever its reason.
    return found === undefined || reason.type === "Tainted"
      ? []
      : [{ replica: found, reason: reason.type }];
  });
  const paused = spec.rollout?.pause ?? false;
  const cache = cacheName(composite);
  const noStorage = [...context.clusters.values()].every((cluster) => {
    return (field(cluster, "status", "cache", "storageClassName") ?? "") === "";
  });
  const updated = replicasUpdated(counts, planned, paused);
  const conditions = [
    replicasScheduled(counts, planned, why, noStorage ? cache : undefined),
    replicasReady(counts, planned),
    updated,
    ...modelCacheResolved(cache, surroundings.cache.state),
  ];
  const incomplete = counts.total < counts.desired || (updated.status === "False" && !paused);
  return {
    ...complete(request, surroundings, context, planned, conditions, heldReplicas(held, why)),
    status: status(counts, planned, conditions, heldReplicas(held, why)),
    results: [
      ...transitions(composite, conditions, heldReplicas(held, why)),
      ...arrivals(composite, planned),
      ...departures(schedule, context),
    ],
    ...(incomplete || planned.length === 0 ? { ready: false } : {}),
  };
}

/**
 * Says everything about a deployment about which nothing new can be decided: its replicas are
 * returned as they are observed, but for those beyond `spec.replicas`, and endpoints follow traffic.
 */
export function answerHeld(
  request: CompositionRequest,
  surroundings: Surroundings,
  context: DeploymentContext,
  blocked: Blocked,
): Composition {
  const { composite } = request;
  const wanted = field(composite, "spec", "replicas");
  const desired = Number.isInteger(wanted) && Number(wanted) >= 0 ? Number(wanted) : undefined;
  const standing = context.observed.filter(({ own }) => !own.deleting);
  // A scale-down is a decision, and is carried out in a hold too.
  const replicas = standing.map(({ own }) => own);
  const staying = new Set(desired === undefined ? replicas : scaleDown(replicas, desired, [], []));
  const planned = standing.flatMap((one) => {
    if (!staying.has(one.own)) return [];
    const kept = { message: blocked.message, current: hasTemplate(context, one) };
    return heldReplica(one, identityOf(context, one.own), kept) ?? [];
  });
  const counts = countReplicas(desired ?? planned.length, planned);
  const holds = heldWhole(blocked, planned.length);
  const conditions =
    blocked.reason === "Unresolved"
      ? []
      : [
          {
            type: "ReplicasScheduled",
            status: "False",
            reason: blocked.reason,
            message: blocked.message,
          } as const,
          replicasReady(counts, planned),
          replicasUpdatedInHold(counts, blocked.reason),
          ...modelCacheResolved(cacheName(composite), surroundings.cache.state),
        ];
  const own = isSpecReason(blocked.reason);
  const unready = own || planned.length === 0 || planned.length < (desired ?? 0);
  return {
    ...complete(request, surroundings, context, planned, conditions, holds),
    status:
      blocked.reason === "Unresolved"
        ? statusAsItIs(composite)
        : { ...status(counts, planned, conditions, holds) },
    results: transitions(composite, conditions, holds),
    ...(unready ? { ready: false } : {}),
    ...(holds === undefined ? {} : { holding: blocked.reason }),
  };
}

function complete(
  { composite, observed }: CompositionRequest,
  { requirements }: Surroundings,
  { clusters }: DeploymentContext,
  planned: readonly PlannedReplica[],
  conditions: readonly ModelDeploymentCondition[],
  holds: DeploymentHolding | undefined,
): Pick<Composition, "resources" | "requirements" | "conditions"> {
  const held = holding(composite, holds);
  const resources = planned.flatMap((replica): readonly ComposedResource[] => {
    const { key, identity, object, ready } = replica;
    const endpoint = composeEndpoint({
      identity,
      labels: endpointLabels(object),
      replica: replica.observed,
      cluster: clusters.get(identity.cluster),
      endpoint: observed.get(endpointKey(identity)),
    });
    return [{ key, object, ready }, ...(endpoint === undefined ? [] : [endpoint])];
  });
  return {
    resources,
    requirements,
    // Until Crossplane has answered, what is not returned stays as it is.
    conditions: conditions.length === 0 || held === undefined ? conditions : [...conditions, held],
  };
}

/** An endpoint has its replica's labels, but for the one that changes with every roll-out. */
function endpointLabels({ metadata }: KubeObject): Readonly<Record<string, string>> {
  const { [LABEL.templateHash]: _hash, ...labels } = metadata?.labels ?? {};
  return labels;
}

function status(
  { desired, total, ready, updated }: ReturnType<typeof countReplicas>,
  planned: readonly PlannedReplica[],
  conditions: readonly ModelDeploymentCondition[],
  holds: DeploymentHolding | undefined,
): Composition["status"] {
  const failing = conditions.find((condition) => condition.status === "False");
  const telling = holds ?? failing ?? conditions.find(({ type }) => type === "ReplicasReady");
  return {
    replicas: { desired, total, ready, updated },
    ...(planned.length === 0 ? {} : { placements: placementStatus(planned) }),
    ...(telling === undefined ? {} : { reason: telling.reason }),
  };
}

/** The status as it was written last, without conditions, which stay by themselves. */
function statusAsItIs({ status: last }: KubeObject): Composition["status"] {
  if (!isRecord(last)) return {};
  const { conditions: _conditions, ...rest } = last;
  return rest;
}

/** Results become events, so a reason is only warned of while the deployment does not carry it yet. */
function transitions(
  composite: KubeObject,
  conditions: readonly ModelDeploymentCondition[],
  holds: DeploymentHolding | undefined,
): readonly FunctionResult[] {
  const scheduled = conditions.filter(
    ({ type, status: state, reason }) =>
      type === "ReplicasScheduled" && state === "False" && reason !== "Scheduling",
  );
  const [telling] = holds === undefined ? scheduled : [holds];
  if (telling === undefined) return [];
  const known = findCondition(composite, telling.type)?.reason === telling.reason;
  const { reason, message } = telling;
  return known ? [] : [{ severity: "Warning", reason, message }];
}

function arrivals(
  composite: KubeObject,
  planned: readonly PlannedReplica[],
): readonly FunctionResult[] {
  const fresh = planned.filter(({ observed }) => observed === undefined);
  if (fresh.length === 0) return [];
  const clusters = [...new Set(fresh.map(({ identity }) => identity.cluster))].sort();
  const replicas = fresh.length === 1 ? "1 replica" : `${fresh.length} replicas`;
  const where = clusters.length === 1 ? "cluster" : `${clusters.length} clusters:`;
  const message = `Scheduled ${replicas} on ${where} ${clusters.join(", ")}`;
  // Placed again and again, as while the API server refuses it, it is said once.
  const known = findCondition(composite, "ReplicasScheduled")?.reason === "Scheduling";
  return known ? [] : [{ severity: "Normal", reason: "ReplicasScheduled", message }];
}

function departures(
  { released }: Schedule,
  { observed }: DeploymentContext,
): readonly FunctionResult[] {
  return released.map(({ replica, because }) => {
    const found = observed.find(({ own }) => own === replica);
    const message = `Released ${found?.own.name} on ${replica.cluster}: ${releaseReasonText(because)}`;
    return { severity: "Normal", reason: `Replica${because}`, message };
  });
}
