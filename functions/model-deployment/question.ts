import type { ModelDeploymentSpec } from "../../api/gen/modeldeployments.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Checked } from "../../schema/definitions.ts";
import type { CompositionRequest } from "../composition/composition.ts";
import { quoteFindings } from "../composition/findings.ts";
import type { Resolution } from "../composition/requirement.ts";
import { decodeDemand } from "./demand.ts";
import type { DeviceCatalogue } from "./devices.ts";
import type { Blocked } from "./hold.ts";
import type { ObservedReplica } from "./observed.ts";
import { deploymentFindings, isSelectorFinding, type ReplicaFindings } from "./refusals.ts";
import { cacheName, type Surroundings } from "./requirements.ts";
import type { FleetReplica, Snapshot } from "./scheduling/fleet.ts";
import { decodeCluster, decodeFleetReplica } from "./snapshot.ts";

/** Why nothing new can be decided for a deployment now; `undefined` where everything is there and in order. */
export function findBlocker(
  checked: Checked,
  surroundings: Surroundings,
  replicaFindings: ReplicaFindings,
): Blocked | undefined {
  return (
    blockedBySpec(checked, replicaFindings) ?? blockedBySurroundings(checked.object, surroundings)
  );
}

/** Gathers what the placement of a deployment that nothing blocks depends on. */
export function takeSnapshot(
  { composite }: CompositionRequest,
  checked: Checked,
  { clusters, replicas }: Surroundings,
  observed: readonly ObservedReplica[],
  catalogue: DeviceCatalogue,
): Snapshot {
  const names = new Set(observed.map(({ own }) => own.name));
  const isOwn = (replica: FleetReplica) =>
    replica.namespace === composite.metadata?.namespace && names.has(replica.name);
  const { namespace = "", name = "" } = composite.metadata ?? {};
  return {
    deployment: { namespace, name },
    demand: decodeDemand(checked.object.spec as ModelDeploymentSpec),
    clusters: found(clusters).map((object) => decodeCluster(object, catalogue)),
    own: observed.map(({ own }) => own),
    others: found(replicas)
      .map(decodeFleetReplica)
      .filter((other) => !isOwn(other)),
  };
}

/** The objects of a list that was looked up; none where it was not, or is empty. */
export function found(resolution: Resolution<readonly KubeObject[]>): readonly KubeObject[] {
  return resolution.state === "present" ? resolution.value : [];
}

function blockedBySpec(checked: Checked, replicaFindings: ReplicaFindings): Blocked | undefined {
  const findings =
    checked.findings.length > 0
      ? checked.findings
      : deploymentFindings(checked.object, replicaFindings);
  if (findings.length === 0) return undefined;
  const reason = findings.some(isSelectorFinding) ? "InvalidNodeSelector" : "InvalidSpec";
  return { reason, message: quoteFindings(findings) };
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
    const message = `ModelCache "${name}" (spec.template.spec.modelCacheRef.name) not found in namespace "${composite.metadata?.namespace}": create it there, or correct the name`;
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
        : `No InferenceCluster has the labels ${labelText(labels)} that ${selectors(name)}: label one, or correct the selector`;
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
