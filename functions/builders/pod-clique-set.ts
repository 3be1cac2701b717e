import { LABEL } from "../../api/labels.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { GangParameters } from "./gang.ts";
import type { PodTemplate } from "./pod.ts";
import {
  allOf,
  counter,
  counterTerm,
  generationObserved,
  hashTerms,
  OBSERVED_GENERATION_TERMS,
  type WorkloadProgress,
} from "./rollout.ts";

/** Grove refuses a set whose name, group and clique together pass 45 characters. */
export const POD_CLIQUE_SET_NAME_LIMIT = 24;

const LEADER = "leader";
const WORKER = "worker";
const GANG = "gang";

/** The labels that put a pod of a gang into the scheduler's queue. */
export const SCHEDULER_QUEUE_LABELS = { [LABEL.schedulerQueue]: "modelplane" } as const;

/**
 * The address of the gang's own leader: the scaling group's variables, since those of the set
 * would send every copy to the first. Grove knows no rank.
 */
export const POD_CLIQUE_SET_ENV = [
  {
    name: "MODELPLANE_LEADER_ADDRESS",
    value: `$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-${LEADER}-0.$(GROVE_HEADLESS_SERVICE)`,
  },
] as const;

/**
 * Builds the PodCliqueSet of a gang. What Grove's webhook would default is written out, so that
 * the provider does not fight it. `minAvailable` stays 1: at `copies` Grove would schedule, and
 * delete, every copy as one. No clique starts after another: the leader waits for its workers.
 */
export function buildPodCliqueSet(parameters: GangParameters): KubeObject {
  const { name, namespace, copies, workers, leader, worker } = parameters;
  return {
    apiVersion: "grove.io/v1alpha1",
    kind: "PodCliqueSet",
    metadata: { name, namespace },
    spec: {
      replicas: 1,
      template: {
        cliqueStartupType: "CliqueStartupTypeExplicit",
        terminationDelay: "4h",
        headlessServiceConfig: { publishNotReadyAddresses: true },
        cliques: [clique(LEADER, leader, 1), clique(WORKER, worker, workers)],
        podCliqueScalingGroups: [
          { name: GANG, cliqueNames: [LEADER, WORKER], replicas: copies, minAvailable: 1 },
        ],
      },
    },
  };
}

/** Grove copies a clique's labels and annotations to its pods. */
function clique(name: string, pod: PodTemplate, pods: number): Readonly<Record<string, unknown>> {
  return {
    name,
    labels: pod.metadata.labels,
    ...(pod.metadata.annotations === undefined ? {} : { annotations: pod.metadata.annotations }),
    spec: {
      roleName: name,
      replicas: pods,
      minAvailable: pods,
      podSpec: { ...pod.spec, schedulerName: "kai-scheduler" },
    },
  };
}

/** The CEL query that is true of a PodCliqueSet that is updated and available; it counts itself. */
export function podCliqueSetReadyQuery(hash: string | undefined): string {
  return allOf([
    ...hashTerms(hash),
    ...OBSERVED_GENERATION_TERMS,
    counterTerm("updatedReplicas", ">= 1"),
    counterTerm("availableReplicas", ">= 1"),
  ]);
}

/**
 * Reads how far a live PodCliqueSet has come. Its counters count the set, not the gangs in it: an
 * available set has at least one gang that serves.
 */
export function podCliqueSetProgress(live: unknown, copies: number): WorkloadProgress {
  const ready = counter(live, "availableReplicas");
  const updated = counter(live, "updatedReplicas");
  const settled = generationObserved(live) && ready >= 1 && updated >= 1;
  const counts = {
    wanted: copies,
    ready: Math.min(ready, 1),
    updated: Math.min(updated, 1),
    settled,
  };
  if (settled) return counts;
  return {
    ...counts,
    blocker: ready >= 1 ? "its gangs are being updated" : "no gang is available",
  };
}
