import { LABELS, READINESS_GATE } from "../../api/decision-model.ts";
import { jsonEqual } from "../../kube/canonical.ts";
import { findCondition } from "../../kube/conditions.ts";
import type { Instant } from "../../kube/instant.ts";
import { field, type KubeObject, numberField, stringField } from "../../kube/object.ts";
import type { Change } from "./api-store.ts";

/** One thing that happened, in words. */
export interface TraceEntry {
  readonly at: Instant;
  /** What kind of thing it was, in one word. */
  readonly subject: string;
  readonly text: string;
}

/** Kinds whose objects an evaluator makes and deletes. */
const WORKLOADS = new Set([
  "ConfigMap",
  "PersistentVolumeClaim",
  "Job",
  "Deployment",
  "PodDisruptionBudget",
  "Service",
]);

/** The model of a revision, by the Service that may select it, where it is known. */
export type ModelOf = (service: KubeObject, revision: string) => string | undefined;

/** Says in words what a change is to somebody who follows a roll-out; nothing of most changes. */
export function describeChange(
  { object, before, type }: Change,
  modelOf: ModelOf,
): readonly Omit<TraceEntry, "at">[] {
  const name = object.metadata?.name ?? "";
  switch (object.kind) {
    case "DecisionModel":
      return describeModel(object, before, type);
    case "Event": {
      const about = stringField(object, "regarding", "name");
      const mark = object.type === "Warning" ? "warning" : "event";
      return [{ subject: mark, text: `${about}: ${object.reason}: ${object.note}` }];
    }
    case "Pod":
      return describePod(object, before);
    default:
      break;
  }
  if (!WORKLOADS.has(object.kind)) return [];
  const named = `${object.kind} ${name}`;
  if (type === "ADDED")
    return [{ subject: "made", text: named }, ...describeTraffic(object, before, modelOf)];
  if (type === "DELETED") return [{ subject: "deleted", text: named }];
  const replicas = [before, object].map((one) => numberField(one?.spec, "replicas"));
  if (object.kind === "Deployment" && replicas[0] !== replicas[1]) {
    return [{ subject: "scaled", text: `${named} from ${replicas[0]} to ${replicas[1]}` }];
  }
  return describeTraffic(object, before, modelOf);
}

function describeModel(
  object: KubeObject,
  before: KubeObject | undefined,
  type: Change["type"],
): readonly Omit<TraceEntry, "at">[] {
  const name = object.metadata?.name ?? "";
  if (type === "DELETED") return [{ subject: "deleted", text: `DecisionModel ${name}` }];
  const entries: Omit<TraceEntry, "at">[] = [];
  const phases = [before, object].map((one) => stringField(one?.status, "phase"));
  if (phases[0] !== phases[1]) {
    const reason = findCondition(object, "Ready")?.reason;
    const why = phases[1] === "Failed" || phases[1] === "Degraded" ? ` (${reason})` : "";
    const text = `${name}: ${phases[0] ?? "none"} -> ${phases[1]}${why}`;
    entries.push({ subject: "phase", text });
  }
  for (const condition of ["Resolved", "Cached", "Ready", "Evaluated", "Promoted", "Degraded"]) {
    const [old, now] = [before, object].map((one) =>
      one === undefined ? undefined : findCondition(one, condition),
    );
    if (old?.status === now?.status && old?.reason === now?.reason) continue;
    const value = now === undefined ? "removed" : `${now.status}, ${now.reason}`;
    entries.push({ subject: "condition", text: `${name}: ${condition}: ${value}` });
  }
  return entries;
}

function describePod(
  pod: KubeObject,
  before: KubeObject | undefined,
): readonly Omit<TraceEntry, "at">[] {
  const [old, now] = [before, pod].map((one) =>
    one === undefined ? undefined : findCondition(one, READINESS_GATE),
  );
  if (now === undefined || (old?.status === now.status && old?.reason === now.reason)) return [];
  const state = now.status === "True" ? "open" : "closed";
  return [{ subject: "gate", text: `${pod.metadata?.name}: ${state}, ${now.reason}` }];
}

function describeTraffic(
  object: KubeObject,
  before: KubeObject | undefined,
  modelOf: ModelOf,
): readonly Omit<TraceEntry, "at">[] {
  if (object.kind !== "Service") return [];
  const path = ["spec", "selector"];
  if (before !== undefined && jsonEqual(field(before, ...path), field(object, ...path))) return [];
  const revision = stringField(object, ...path, LABELS.revision) ?? "none";
  const model = modelOf(object, revision) ?? "a revision that nobody knows";
  return [{ subject: "traffic", text: `${object.metadata?.name} -> ${model} (${revision})` }];
}

/** A trace as lines: how much time had passed, what kind of thing it was, and what. */
export function formatTrace(entries: readonly TraceEntry[], start: Instant): string {
  return entries
    .map(({ at, subject, text }) => `${formatPassed(at - start)}  ${subject.padEnd(9)}  ${text}\n`)
    .join("");
}

/** Time that passed, as `h:mm:ss`. */
export function formatPassed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
