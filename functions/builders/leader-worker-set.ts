import {
  isRecord,
  type KubeObject,
  listField,
  numberField,
  stringField,
} from "../../kube/object.ts";
import type { GangParameters } from "./gang.ts";
import {
  allOf,
  countedProgress,
  countedTerms,
  generationObserved,
  hashTerms,
  type WorkloadProgress,
} from "./rollout.ts";

/** The longest name: the controller appends the ordinals of group and pod and its own hashes. */
export const LEADER_WORKER_SET_NAME_LIMIT = 54;

/** The leader's address and a pod's rank, from what the LeaderWorkerSet controller sets before them. */
export const LEADER_WORKER_SET_ENV = [
  { name: "MODELPLANE_LEADER_ADDRESS", value: "$(LWS_LEADER_ADDRESS)" },
  { name: "MODELPLANE_RANK", value: "$(LWS_WORKER_INDEX)" },
] as const;

/** Builds the LeaderWorkerSet of a gang; a group restarts whole when a member dies, its default. */
export function buildLeaderWorkerSet(parameters: GangParameters): KubeObject {
  const { name, namespace, copies, workers, leader, worker } = parameters;
  return {
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    metadata: { name, namespace },
    spec: {
      replicas: copies,
      leaderWorkerTemplate: { size: 1 + workers, leaderTemplate: leader, workerTemplate: worker },
    },
  };
}

/**
 * True of a set whose controller has seen its newest spec. Before 0.9.0 a set has no
 * `observedGeneration`; there its status must have been written no earlier than its spec, by the
 * times that `managedFields` keep (RFC 3339 in UTC, so text order is time order).
 */
const SPEC_OBSERVED_TERM =
  "(has(object.status.observedGeneration)" +
  " ? object.status.observedGeneration == object.metadata.generation" +
  " : (has(object.metadata.managedFields) && object.metadata.managedFields.exists(s," +
  " has(s.fieldsV1) && has(s.time) && 'f:status' in s.fieldsV1 && object.metadata.managedFields.all(m," +
  " !has(m.fieldsV1) || !('f:spec' in m.fieldsV1) || (has(m.time) && m.time <= s.time)))))";

/** The CEL query that is true of a LeaderWorkerSet whose every group runs this spec and is ready. */
export function leaderWorkerSetReadyQuery(copies: number, hash: string | undefined): string {
  return allOf([
    ...hashTerms(hash),
    "has(object.status)",
    SPEC_OBSERVED_TERM,
    ...countedTerms(copies, "readyReplicas"),
  ]);
}

/** Reads how far a live LeaderWorkerSet has come towards `copies` groups. */
export function leaderWorkerSetProgress(live: unknown, copies: number): WorkloadProgress {
  return countedProgress(live, {
    copies,
    readyCounter: "readyReplicas",
    counted: "groups ready",
    specObserved: specObserved(live),
    telling: [
      ["Available", "False"],
      ["Progressing", "True"],
    ],
  });
}

/** The same judgement as `SPEC_OBSERVED_TERM`, over a live set. */
function specObserved(live: unknown): boolean {
  if (numberField(live, "status", "observedGeneration") !== undefined) {
    return generationObserved(live);
  }
  const specTimes: (string | undefined)[] = [];
  let newestStatus = "";
  for (const entry of listField(live, "metadata", "managedFields")) {
    const owned = isRecord(entry) ? entry.fieldsV1 : undefined;
    if (!isRecord(owned)) continue;
    const time = stringField(entry, "time");
    if (Object.hasOwn(owned, "f:spec")) specTimes.push(time);
    if (Object.hasOwn(owned, "f:status") && time !== undefined && time > newestStatus) {
      newestStatus = time;
    }
  }
  return (
    newestStatus !== "" && specTimes.every((time) => time !== undefined && time <= newestStatus)
  );
}
