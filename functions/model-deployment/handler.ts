import type { ModelDeploymentSpec } from "../../api/gen/modeldeployments.ts";
import { MODEL_DEPLOYMENT } from "../../api/model-deployment.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Checked, Definitions } from "../../schema/definitions.ts";
import type { Finding } from "../../schema/finding.ts";
import type { Composition, CompositionRequest, Handler } from "../composition/composition.ts";
import { answer, answerHeld } from "./answer.ts";
import { composeReplicas } from "./compose.ts";
import { decodeDemand } from "./demand.ts";
import { createDeviceCatalogue, type DeviceCatalogue } from "./devices.ts";
import type { Blocked } from "./hold.ts";
import { observedReplicas } from "./observed.ts";
import { deploymentFindings, isSelectorFinding, type ReplicaFindings } from "./refusals.ts";
import { cacheName, readSurroundings, type Surroundings } from "./requirements.ts";
import { explanationLine } from "./scheduling/explanation-line.ts";
import type { FleetReplica } from "./scheduling/fleet.ts";
import { createScheduler, type Scheduler } from "./scheduling/schedule.ts";
import { decodeCluster, decodeFleetReplica } from "./snapshot.ts";

/** What a handler keeps from one call to the next; no answer depends on it. */
interface Memory {
  readonly scheduler: Scheduler;
  readonly catalogue: DeviceCatalogue;
}

/**
 * Makes the handler that places a ModelDeployment's replicas on the fleet. `replicaFindings` is the
 * check of the kind that it composes, so that a bad template is refused before it reaches a replica.
 */
export function modelDeploymentHandler(
  definitions: Definitions,
  replicaFindings: ReplicaFindings,
): Handler {
  const definition = definitions.get(`${MODEL_DEPLOYMENT.apiVersion}/${MODEL_DEPLOYMENT.kind}`);
  if (definition === undefined) throw new Error("the ModelDeployment definition is not loaded");
  const memory = { scheduler: createScheduler(), catalogue: createDeviceCatalogue() };
  return {
    ...MODEL_DEPLOYMENT,
    compose(request) {
      return compose(request, definition.check(request.composite), memory, replicaFindings);
    },
  };
}

function compose(
  request: CompositionRequest,
  checked: Checked,
  { scheduler, catalogue }: Memory,
  replicaFindings: ReplicaFindings,
): Composition {
  const { composite } = request;
  const surroundings = readSurroundings(request);
  const observed = observedReplicas(request.observed);
  const spec = checked.object.spec as ModelDeploymentSpec;
  const namespace = composite.metadata?.namespace ?? "";
  const name = composite.metadata?.name ?? "";
  const blocked =
    blockedBySpec(checked, replicaFindings) ?? blockedBySurroundings(composite, surroundings);
  const objects = surroundings.clusters.state === "present" ? surroundings.clusters.value : [];
  const clusters = new Map(objects.map((object) => [object.metadata?.name ?? "", object]));
  const context = { namespace, name, spec, clusters, observed };
  if (blocked !== undefined) {
    return answerHeld(request, surroundings, context, blocked);
  }
  const names = new Set(observed.map(({ own }) => own.name));
  const isOwn = (other: FleetReplica) => other.namespace === namespace && names.has(other.name);
  const replicas = surroundings.replicas.state === "present" ? surroundings.replicas.value : [];
  const snapshot = {
    demand: decodeDemand(spec),
    clusters: objects.map((object) => decodeCluster(object, catalogue)),
    own: observed.map(({ own }) => own),
    others: replicas.map(decodeFleetReplica).filter((other) => !isOwn(other)),
  };
  const schedule = scheduler.schedule(snapshot);
  const planned = composeReplicas(context, schedule);
  return answer(request, surroundings, context, {
    schedule,
    planned,
    explain: () => explanationLine(scheduler.explain(snapshot, schedule)),
  });
}

function blockedBySpec(checked: Checked, replicaFindings: ReplicaFindings): Blocked | undefined {
  const findings =
    checked.findings.length > 0
      ? checked.findings
      : deploymentFindings(checked.object, replicaFindings);
  if (findings.length === 0) return undefined;
  const reason = findings.some(isSelectorFinding) ? "InvalidNodeSelector" : "InvalidSpec";
  return { reason, message: quoted(findings) };
}

function blockedBySurroundings(
  composite: KubeObject,
  { clusters, replicas, cache, contradiction, labels }: Surroundings,
): Blocked | undefined {
  if (
    clusters.state === "unresolved" ||
    replicas.state === "unresolved" ||
    cache.state === "unresolved"
  ) {
    const message = "Crossplane has not looked up the fleet yet";
    return { reason: "Unresolved", message };
  }
  const name = cacheName(composite);
  if (cache.state === "absent") {
    const message = `ModelCache "${name}" (spec.template.spec.modelCacheRef.name) not found in namespace "${composite.metadata?.namespace}"`;
    return { reason: "ModelCacheNotFound", message };
  }
  if (contradiction !== undefined) {
    const message = `spec.template.spec.clusterSelector and the selector of ModelCache "${name}" want different values of label "${contradiction}", so no InferenceCluster matches both`;
    return { reason: "SelectorsContradict", message };
  }
  if (clusters.state === "absent") {
    const message =
      Object.keys(labels).length === 0
        ? "There are no InferenceClusters"
        : `No InferenceCluster has the labels ${labelText(labels)} that ${selectors(name)}`;
    return { reason: "NoClusters", message };
  }
  return undefined;
}

function selectors(cache: string | undefined): string {
  const own = "spec.template.spec.clusterSelector";
  return cache === undefined ? `${own} asks for` : `${own} and ModelCache "${cache}" ask for`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key]}`)
    .join(",");
}

/** Most problems that a condition quotes; the rest are counted. */
const MOST_QUOTED = 8;

function quoted(findings: readonly Finding[]): string {
  const more = findings.length - MOST_QUOTED;
  const shown = findings
    .slice(0, MOST_QUOTED)
    .map(({ field, message }) => `${field}: ${message}`)
    .join("; ");
  return more > 0 ? `${shown}; and ${more} more` : shown;
}
