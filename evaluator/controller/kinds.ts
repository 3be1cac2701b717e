import type { ResourceKind } from "../kubernetes/client.ts";

/** The kinds that the evaluator reads or writes, as the API addresses them. */
export const KINDS = {
  DecisionModel: {
    apiVersion: "decisionmodel.io/v1alpha1",
    kind: "DecisionModel",
    plural: "decisionmodels",
  },
  PersistentVolumeClaim: {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    plural: "persistentvolumeclaims",
  },
  Job: { apiVersion: "batch/v1", kind: "Job", plural: "jobs" },
  Deployment: { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments" },
  ReplicaSet: { apiVersion: "apps/v1", kind: "ReplicaSet", plural: "replicasets" },
  Pod: { apiVersion: "v1", kind: "Pod", plural: "pods" },
  Service: { apiVersion: "v1", kind: "Service", plural: "services" },
  PodDisruptionBudget: {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    plural: "poddisruptionbudgets",
  },
  ConfigMap: { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps" },
  Secret: { apiVersion: "v1", kind: "Secret", plural: "secrets" },
  Event: { apiVersion: "events.k8s.io/v1", kind: "Event", plural: "events" },
} as const satisfies Readonly<Record<string, ResourceKind>>;

/** The kinds that the evaluator keeps copies of, those labelled with the name of a DecisionModel. */
export const WATCHED = [
  "PersistentVolumeClaim",
  "Job",
  "Deployment",
  "ReplicaSet",
  "Pod",
  "Service",
  "PodDisruptionBudget",
] as const satisfies readonly (keyof typeof KINDS)[];

/** One of them. */
export type WatchedKind = (typeof WATCHED)[number];
