import type {
  CompositeCondition,
  FunctionResult,
} from "../../functions/composition/composition.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";
import type { Definitions } from "../../schema/definitions.ts";
import type { Finding } from "../../schema/finding.ts";
import type { Cluster } from "./cluster.ts";
import { objectId } from "./cluster.ts";
import { completeResource, observedResources, storeApplied } from "./composed.ts";
import {
  customConditions,
  setConditions,
  systemConditions,
  unknownAfterError,
} from "./conditions.ts";
import { type PipelineEnd, runPipeline } from "./pipeline.ts";
import type { Calls, Step } from "./step.ts";

/** A composed resource after a reconcile. */
export interface Applied {
  readonly key: string;
  /** The object exactly as Crossplane applies it. */
  readonly object: KubeObject;
  /** The object that was observed under the key before. */
  readonly before: KubeObject | undefined;
  /** Whether a function called it ready. */
  readonly ready: boolean;
  /** Why the API server would refuse it; empty when it would not. */
  readonly findings: readonly Finding[];
}

/** What one reconcile of a composite resource did. */
export interface Reconciled {
  readonly composite: KubeObject;
  readonly applied: readonly Applied[];
  readonly deleted: readonly { readonly key: string; readonly object: KubeObject }[];
  readonly results: readonly FunctionResult[];
  /** Why nothing was applied, if the pipeline failed. */
  readonly error: string | undefined;
}

/** Kinds without a namespace that a function may compose by mistake; a namespaced XR can't. */
const clusterScopedKinds: ReadonlySet<string> = new Set([
  "Namespace",
  "ClusterRole",
  "ClusterRoleBinding",
  "CustomResourceDefinition",
  "PersistentVolume",
  "StorageClass",
  "DeviceClass",
  "ClusterProviderConfig",
  "ClusterUsage",
]);

/**
 * Reconciles one composite resource as Crossplane's controller does, and writes what changes to
 * the cluster: pipeline, names, garbage collection, apply, status and conditions.
 */
export function* reconcile(
  stored: KubeObject,
  steps: readonly Step[],
  cluster: Cluster,
  definitions: Definitions,
): Calls<Reconciled> {
  const observed = observedResources(cluster.controlledBy(stored.metadata?.uid ?? ""));
  const kept = [...observed].map(([key, object]) => keep(key, object));
  if (stored.metadata?.annotations?.["crossplane.io/paused"] === "true") {
    const conditions = [systemConditions.responsive, systemConditions.paused];
    return write(cluster, setConditions(stored, conditions), kept, [], [], undefined);
  }
  // A composite that is being deleted composes nothing any more.
  if (stored.metadata?.deletionTimestamp !== undefined) {
    return write(cluster, stored, kept, [], [], undefined);
  }
  const responsive = setConditions(stored, [systemConditions.responsive]);
  const end = yield* runPipeline(steps, responsive, observed, cluster);
  const problem = end.error ?? scopeProblem(stored, end);
  const custom = customConditions(end.conditions);
  if (problem !== undefined) {
    const unknown = unknownAfterError(responsive, custom);
    const conditions = [systemConditions.failed(problem), ...custom, ...unknown];
    const failed = setConditions(responsive, conditions);
    const results = [...end.results, fatal(problem)];
    return write(cluster, failed, kept, [], results, problem);
  }
  const applied = apply(stored, end, observed, definitions);
  const deleted = [...observed]
    .filter(([key]) => !end.desired.resources.has(key))
    .map(([key, object]) => ({ key, object }));
  const results = [...end.results, ...applied.flatMap((one) => warnings(one, end, stored))];
  const written = withStatus(responsive, end.desired.status);
  const refused = statusProblem(written, definitions);
  if (refused !== undefined) {
    // By then the composed resources are applied.
    const failed = setConditions(responsive, [systemConditions.failed(refused), ...custom]);
    return write(cluster, failed, applied, deleted, [...results, fatal(refused)], refused);
  }
  const composite = setConditions(written, [...custom, ...readiness(end, applied)]);
  return write(cluster, composite, applied, deleted, results, undefined);
}

const fatal = (message: string): FunctionResult => ({
  severity: "Warning",
  reason: "ComposeResources",
  message: `cannot compose resources: ${message}`,
});

/** An observed resource that a reconcile leaves alone. */
function keep(key: string, object: KubeObject): Applied {
  return { key, object, before: object, ready: false, findings: [] };
}

function write(
  cluster: Cluster,
  composite: KubeObject,
  applied: readonly Applied[],
  deleted: Reconciled["deleted"],
  results: readonly FunctionResult[],
  error: string | undefined,
): Reconciled {
  for (const { object } of deleted) cluster.remove(object);
  for (const { object, before, findings } of applied) {
    if (object !== before && findings.length === 0) cluster.put(storeApplied(object, before));
  }
  cluster.put(composite);
  return { composite, applied, deleted, results, error };
}

function apply(
  composite: KubeObject,
  end: PipelineEnd,
  observed: ReadonlyMap<string, KubeObject>,
  definitions: Definitions,
): readonly Applied[] {
  const keys = [...end.desired.resources.keys()].sort();
  return keys.flatMap((key) => {
    const desired = end.desired.resources.get(key);
    if (desired === undefined) return [];
    const before = observed.get(key);
    const object = completeResource(key, desired.object, composite, before);
    const definition = definitions.get(`${object.apiVersion}/${object.kind}`);
    const findings = definition?.check(object).findings ?? [];
    return [{ key, object, before, ready: desired.ready, findings }];
  });
}

function readiness(end: PipelineEnd, applied: readonly Applied[]): readonly CompositeCondition[] {
  const unsynced = applied.filter(({ findings }) => findings.length > 0).map(({ key }) => key);
  const unready = applied.filter(({ ready }) => !ready).map(({ key }) => key);
  const { ready = unready.length === 0 } = end.desired;
  const derived = end.desired.ready === undefined ? unready : [];
  return [
    unsynced.length === 0 ? systemConditions.synced : systemConditions.unsynced(unsynced),
    ready ? systemConditions.available : systemConditions.creating(derived),
  ];
}

/** A namespaced composite resource composes into its own namespace alone. */
function scopeProblem(composite: KubeObject, end: PipelineEnd): string | undefined {
  if (composite.metadata?.namespace === undefined) return undefined;
  for (const [key, { object }] of end.desired.resources) {
    if (!clusterScopedKinds.has(object.kind) || object.metadata?.namespace !== undefined) continue;
    return `cannot apply cluster scoped composed resource "${key}" (a ${object.kind} named ${object.metadata?.name ?? ""}) for a namespaced composite resource.`;
  }
  return undefined;
}

/** Why the API server would refuse the status that the pipeline wants. */
function statusProblem(composite: KubeObject, definitions: Definitions): string | undefined {
  const definition = definitions.get(`${composite.apiVersion}/${composite.kind}`);
  const findings = definition?.check(composite, "status").findings ?? [];
  if (findings.length === 0) return undefined;
  return `cannot apply composite resource status: ${findingText(findings)}`;
}

const findingText = (findings: readonly Finding[]) =>
  findings.map(({ field, message }) => `${field}: ${message}`).join(", ");

function warnings(
  { key, object, findings }: Applied,
  end: PipelineEnd,
  composite: KubeObject,
): readonly FunctionResult[] {
  const warning = (reason: string, message: string) =>
    ({ severity: "Warning", reason, message }) as const;
  const wanted = end.desired.resources.get(key)?.object.metadata?.namespace;
  const own = composite.metadata?.namespace;
  const moved = own !== undefined && wanted !== undefined && wanted !== own;
  return [
    ...(moved
      ? [
          warning(
            "NamespaceOverridden",
            `cannot create composed resource "${key}" in namespace "${wanted}", using XR namespace "${own}" instead`,
          ),
        ]
      : []),
    ...(findings.length === 0
      ? []
      : [
          warning(
            "ComposeResources",
            `cannot apply composed resource "${key}": ${object.kind} "${objectId(object).split("/").at(-1)}" is invalid: ${findingText(findings)}`,
          ),
        ]),
  ];
}

/** Crossplane applies the desired status as the only owner of its fields; conditions are kept. */
function withStatus(composite: KubeObject, status: Readonly<Record<string, unknown>>): KubeObject {
  const old = isRecord(composite.status) ? composite.status : {};
  return { ...composite, status: { ...status, conditions: old.conditions } };
}
