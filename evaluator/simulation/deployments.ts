import { fingerprint } from "../../kube/canonical.ts";
import { findCondition } from "../../kube/conditions.ts";
import { formatInstant, type Instant } from "../../kube/instant.ts";
import { field, type KubeObject, listField, numberField, stringField } from "../../kube/object.ts";
import { kindOf, type ServedKind } from "./kinds.ts";
import { reference, type Workings } from "./workings.ts";

/** When a Deployment last came further, and what it looked like. */
export interface Progress {
  readonly seen: string;
  readonly since: Instant;
}

/** A ReplicaSet with the pods that it has, those on their way out apart. */
interface Pods {
  readonly set: KubeObject;
  readonly active: readonly KubeObject[];
  readonly leaving: readonly KubeObject[];
}

const DEPLOYMENT = kindOf("Deployment") as ServedKind;
const REPLICA_SET = kindOf("ReplicaSet") as ServedKind;
const POD = kindOf("Pod") as ServedKind;
const HASH = "pod-template-hash";

/** Does for a Deployment what its controller and that of ReplicaSets do: rolls out, scales, reports. */
export function keepDeployment(
  deployment: KubeObject,
  workings: Workings,
  progress: Map<string, Progress>,
): void {
  if (deployment.metadata?.deletionTimestamp !== undefined) return;
  const hash = (fingerprint(field(deployment.spec, "template")) >>> 0).toString(36);
  const all = workings.children(deployment, "ReplicaSet").map((set) => podsOf(set, workings));
  const current = all.find(({ set }) => set.metadata?.labels?.[HASH] === hash);
  if (current === undefined) {
    workings.store.create(REPLICA_SET, replicaSet(deployment, hash));
    return;
  }
  const others = all.filter((one) => one !== current);
  const desired = numberField(deployment.spec, "replicas") ?? 1;
  const counts =
    stringField(deployment.spec, "strategy", "type") === "Recreate"
      ? recreate(current, others, desired)
      : roll(current, others, desired, field(deployment.spec, "strategy", "rollingUpdate"));
  for (const { set, count } of counts) scale(set, count, workings);
  report(deployment, { current, others, desired }, workings, progress);
}

function podsOf(set: KubeObject, workings: Workings): Pods {
  const pods = workings.children(set, "Pod");
  const isLeaving = ({ metadata }: KubeObject) => metadata?.deletionTimestamp !== undefined;
  return {
    set,
    active: pods.filter((pod) => !isLeaving(pod)),
    leaving: pods.filter(isLeaving),
  };
}

interface Count {
  readonly set: Pods;
  readonly count: number;
}

/** No new pod before every old one is gone. */
function recreate(current: Pods, others: readonly Pods[], desired: number): readonly Count[] {
  const old = others.map((set) => ({ set, count: 0 }));
  if (others.some(({ active, leaving }) => active.length + leaving.length > 0)) return old;
  return [...old, { set: current, count: desired }];
}

function roll(
  current: Pods,
  others: readonly Pods[],
  desired: number,
  limits: unknown,
): readonly Count[] {
  const surge = share(field(limits, "maxSurge"), desired, Math.ceil);
  const unavailable = share(field(limits, "maxUnavailable"), desired, Math.floor);
  const allowed = desired + surge;
  const least = desired - (surge === 0 && unavailable === 0 ? 1 : unavailable);
  const old = others.reduce((sum, { active }) => sum + active.length, 0);
  const have = current.active.length;
  const grown = Math.max(have, Math.min(desired, have + allowed - have - old));
  const wanted = have > desired ? desired : grown;
  const ready = [current, ...others].flatMap(({ active }) => active).filter(isReady).length;
  let removable = Math.max(0, ready - least);
  const counts = others.map((set) => {
    // Those that serve nobody go first, and cost nothing.
    const serving = set.active.filter(isReady).length;
    const gone = Math.min(serving, removable);
    removable -= gone;
    return { set, count: serving - gone };
  });
  return [...counts, { set: current, count: wanted }];
}

function share(value: unknown, of: number, round: (value: number) => number): number {
  if (typeof value === "number") return value;
  return round((Number.parseInt(String(value ?? "25%"), 10) * of) / 100);
}

function scale({ set, active }: Pods, count: number, { store }: Workings): void {
  const { namespace = "", name = "" } = set.metadata ?? {};
  if (numberField(set.spec, "replicas") !== count) {
    const patch = { spec: { replicas: count } };
    store.patch(REPLICA_SET, { namespace, name }, patch, { part: "object", type: "merge" });
  }
  for (let missing = active.length; missing < count; missing++) store.create(POD, podOf(set));
  const byWorth = [...active].sort((one, other) => Number(isReady(one)) - Number(isReady(other)));
  for (const pod of byWorth.slice(0, Math.max(0, active.length - count))) {
    store.delete(POD, namespace, pod.metadata?.name ?? "");
  }
}

function report(
  deployment: KubeObject,
  {
    current,
    others,
    desired,
  }: { readonly current: Pods; readonly others: readonly Pods[]; readonly desired: number },
  workings: Workings,
  progress: Map<string, Progress>,
): void {
  const { store, clock } = workings;
  const { namespace = "", name = "", uid = "", generation } = deployment.metadata ?? {};
  const all = [current, ...others].flatMap(({ active }) => active);
  const ready = all.filter(isReady).length;
  const updated = current.active.length;
  const isComplete = updated === desired && ready === desired && all.length === desired;
  const seen = `${generation} ${all.length} ${updated} ${ready}`;
  const before = progress.get(uid);
  const since = before?.seen === seen ? before.since : clock.now();
  progress.set(uid, { seen, since });
  const was = findCondition(deployment, "Progressing");
  const seconds = numberField(deployment.spec, "progressDeadlineSeconds") ?? 600;
  const isLate = clock.now() - since >= seconds * 1000;
  const isDone =
    isComplete ||
    (was?.reason === "NewReplicaSetAvailable" &&
      numberField(deployment.status, "observedGeneration") === generation);
  const reason = isDone
    ? "NewReplicaSetAvailable"
    : isLate
      ? "ProgressDeadlineExceeded"
      : "ReplicaSetUpdated";
  if (!isDone && !isLate) workings.again(deployment, since + seconds * 1000 - clock.now());
  const status = {
    observedGeneration: generation,
    replicas: all.length,
    updatedReplicas: updated,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, desired - ready),
    conditions: [
      condition(
        deployment,
        "Available",
        ready >= desired ? "True" : "False",
        "Replicas",
        clock.now(),
      ),
      condition(
        deployment,
        "Progressing",
        isLate && !isDone ? "False" : "True",
        reason,
        clock.now(),
      ),
    ],
  };
  store.patch(DEPLOYMENT, { namespace, name }, { status }, { part: "status", type: "merge" });
}

function condition(
  deployment: KubeObject,
  type: string,
  status: string,
  reason: string,
  now: Instant,
): object {
  const before = listField(deployment.status, "conditions").find(
    (one) => stringField(one, "type") === type,
  );
  const turned = stringField(before, "lastTransitionTime");
  const isSame = stringField(before, "status") === status && turned !== undefined;
  const message = `ReplicaSet of Deployment "${deployment.metadata?.name}": ${reason}`;
  return {
    message,
    type,
    status,
    reason,
    lastTransitionTime: isSame ? turned : formatInstant(now),
  };
}

/** Whether a pod counts as ready to its controllers. */
export function isReady(pod: KubeObject): boolean {
  return findCondition(pod, "Ready")?.status === "True";
}

function replicaSet(deployment: KubeObject, hash: string): KubeObject {
  const template = field(deployment.spec, "template");
  const labels = { ...(field(template, "metadata", "labels") as object), [HASH]: hash };
  const annotations = field(template, "metadata", "annotations");
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${deployment.metadata?.name}-${hash}`,
      namespace: deployment.metadata?.namespace ?? "",
      labels,
      ownerReferences: [reference(deployment)],
    },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, ...(annotations === undefined ? {} : { annotations }) },
        spec: field(template, "spec"),
      },
    },
  };
}

function podOf(set: KubeObject): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(field(set.spec, "template", "metadata") as object),
      generateName: `${set.metadata?.name}-`,
      namespace: set.metadata?.namespace ?? "",
      ownerReferences: [reference(set)],
    },
    spec: field(set.spec, "template", "spec"),
  };
}
