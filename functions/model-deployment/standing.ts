import type { ModelDeploymentSpec } from "../../api/gen/modeldeployments.ts";
import { LABEL } from "../../api/labels.ts";
import { findCondition } from "../../kube/conditions.ts";
import { type KubeObject, stringField, stringsField } from "../../kube/object.ts";
import {
  buildModelReplica,
  type ReplicaIdentity,
  templateHash,
} from "../builders/model-replica.ts";
import { replicaKey } from "./keys.ts";
import type { ObservedReplica } from "./observed.ts";
import type { EnginePlacement, KeptReplica } from "./scheduling/placement.ts";
import { decodePlacement, stampReplica } from "./stamp.ts";

/** What every replica of a deployment is composed from. */
export interface DeploymentContext {
  readonly namespace: string;
  readonly name: string;
  readonly spec: ModelDeploymentSpec;
  /** The schema allows the spec; from one that it refuses nothing is built. */
  readonly specAllowed: boolean;
  /** The InferenceClusters that can be read, by name. */
  readonly clusters: ReadonlyMap<string, KubeObject>;
  readonly observed: readonly ObservedReplica[];
}

/** A replica of a schedule, before it is decided which template it is given. */
export interface Standing {
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

/** Holds a replica that is kept against the template and its cluster as they are now. */
export function assessStanding(context: DeploymentContext, kept: KeptReplica): Standing {
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
  const disorder = disorderOf(context.clusters.get(replica.cluster), replica.cluster);
  return {
    kept,
    observed,
    engines: engines ?? [],
    wanted,
    current: carries(observed.object, wanted),
    ready:
      replica.ready &&
      findCondition(observed.object, "Ready")?.status === "True" &&
      disorder === undefined,
    disorder,
  };
}

/** Whether a replica that is kept as it is has the template as it is now. */
export function hasTemplate(context: DeploymentContext, { own, object }: ObservedReplica): boolean {
  if (!context.specAllowed) return false;
  const engines = decodePlacement(object.spec, context.spec);
  if (engines === undefined) return false;
  return carries(object, buildWanted(context, identityOf(context, own), engines, object));
}

/** Whether a replica carries what is wanted; without the label, as after a switch from upstream, an equal spec counts. */
function carries({ metadata, spec }: KubeObject, wanted: KubeObject | undefined): boolean {
  if (wanted === undefined) return false;
  const label = stringField(metadata, "labels", LABEL.templateHash);
  return templateHash(wanted.spec) === (label ?? templateHash(spec));
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

/** Whether a cluster can be read and is Ready. */
export const isReady = (cluster: KubeObject | undefined) =>
  cluster !== undefined && findCondition(cluster, "Ready")?.status === "True";

/** Builds a replica from the template as it is now, under the name that it has already. */
export function buildWanted(
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

function named(built: KubeObject, observed: KubeObject | undefined): KubeObject {
  const name = observed?.metadata?.name;
  return name === undefined ? built : { ...built, metadata: { ...built.metadata, name } };
}

/** The labels of a replica beside the managed ones: the template's, then its cluster's, which win. */
export function labelsOf(
  { spec, clusters }: DeploymentContext,
  cluster: string,
): Readonly<Record<string, string>> {
  const placement = stringsField(clusters.get(cluster), "spec", "placement", "metadata", "labels");
  return { ...spec.template.metadata?.labels, ...placement };
}

/** The identity of the deployment's replica at a place. */
export function identityOf(
  { namespace, name }: DeploymentContext,
  { cluster, index }: { readonly cluster: string; readonly index: number },
): ReplicaIdentity {
  return { namespace, deployment: name, cluster, index };
}
