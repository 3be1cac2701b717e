import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { LABEL } from "../../api/labels.ts";
import { MODEL_DEPLOYMENT } from "../../api/model-deployment.ts";
import { MODEL_REPLICA } from "../../api/model-replica.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";
import { type InputProblem, joined, loadDocuments, type ManifestDocument } from "../documents.ts";
import { objectId } from "../simulation/cluster.ts";
import { KEY_ANNOTATION } from "../simulation/composed.ts";
import type { ControlPlane, ServedKind } from "./control-plane.ts";

const { apiVersion } = MODEL_DEPLOYMENT;

/** The kinds of a fleet. */
export const FLEET_KINDS = {
  deployment: { ...MODEL_DEPLOYMENT, plural: "modeldeployments" },
  replica: { ...MODEL_REPLICA, plural: "modelreplicas" },
  cluster: { apiVersion, kind: "InferenceCluster", plural: "inferenceclusters" },
  class: { apiVersion, kind: "InferenceClass", plural: "inferenceclasses" },
  cache: { apiVersion, kind: "ModelCache", plural: "modelcaches" },
} as const satisfies Readonly<Record<string, ServedKind>>;

/** A deployment and the fleet around it, as they were found. */
export interface FleetInput {
  readonly deployment: KubeObject;
  /** Where the deployment stands; left out where it was read from a control plane. */
  readonly document?: ManifestDocument;
  /** The fleet's InferenceClasses, InferenceClusters, ModelReplicas and ModelCaches. */
  readonly objects: readonly KubeObject[];
  /** Those that were read from files. */
  readonly documents: readonly ManifestDocument[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
}

/** Input that can be explained, or why there is none. */
export type FleetLoaded = FleetInput | { readonly problems: readonly InputProblem[] };

/** A deployment by namespace and name. */
const NAME = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/;

/** Files of an example that are not input. */
const outputFile = /^(expected|functions|composition)\b/;
const wants = (name: string) => !outputFile.test(name);

/** Reads a fleet from files and directories; nothing in directories below them is read. */
export function loadFleet(
  deploymentPath: string,
  fleetPaths: readonly string[],
  cwd: string,
  stdin: Uint8Array,
): FleetLoaded {
  const own = loadDocuments(deploymentPath, cwd, stdin, wants);
  const fleet = joined(fleetPaths.map((path) => loadDocuments(path, cwd, stdin, wants)));
  const isName = NAME.test(deploymentPath) && !existsSync(resolve(cwd, deploymentPath));
  const byName = ({ message, ...problem }: InputProblem) => ({
    ...problem,
    message: `${message}; NAMESPACE/NAME is read from a control plane, by --kubeconfig`,
  });
  const problems = [...(isName ? own.problems.map(byName) : own.problems), ...fleet.problems];
  if (problems.length > 0) return { problems };
  const found = findDeployment(deploymentPath, own.documents);
  if ("problems" in found) return found;
  const beside = [...own.documents.filter((one) => one !== found), ...fleet.documents];
  const objects = beside.map(({ object }) => object);
  return { ...fleetInput(found, objects), documents: beside };
}

/** Reads a fleet from a control plane; the deployment from there too unless it is in a file. */
export async function readFleet(
  deployment: string,
  controlPlane: ControlPlane,
  cwd: string,
  stdin: Uint8Array,
): Promise<FleetLoaded> {
  const name = NAME.exec(deployment);
  const isFile = deployment === "-" || existsSync(resolve(cwd, deployment));
  let document: ManifestDocument | undefined;
  let found: KubeObject | undefined;
  if (name !== null && !isFile) {
    const [, namespace = "", own = ""] = name;
    found = await controlPlane.get(FLEET_KINDS.deployment, namespace, own);
    if (found === undefined) {
      const message = `there is no ModelDeployment "${own}" in namespace "${namespace}", and no such file`;
      return { problems: [{ file: deployment, message }] };
    }
  } else {
    const { documents, problems } = loadDocuments(deployment, cwd, stdin, wants);
    if (problems.length > 0) return { problems };
    const one = findDeployment(deployment, documents);
    if ("problems" in one) return one;
    document = one;
    found = one.object;
  }
  const objects: KubeObject[] = [];
  for (const kind of ["class", "cluster", "replica", "cache"] as const) {
    objects.push(...(await controlPlane.list(FLEET_KINDS[kind])));
  }
  if (document !== undefined) return { ...fleetInput(document, objects), documents: [] };
  return { deployment: found, objects, documents: [], notes: [] };
}

function findDeployment(
  path: string,
  documents: readonly ManifestDocument[],
): ManifestDocument | { readonly problems: readonly InputProblem[] } {
  const found = documents.filter(({ object }) => isKind(object, FLEET_KINDS.deployment));
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const why =
    first === undefined ? "has no ModelDeployment" : `has ${found.length} ModelDeployments`;
  const message = `${why}; give one, and the fleet by --fleet or --kubeconfig`;
  return { problems: [{ file: path, message }] };
}

function fleetInput(
  document: ManifestDocument,
  objects: readonly KubeObject[],
): Omit<FleetInput, "documents"> {
  const { metadata } = document.object;
  const namespace = metadata?.namespace === "" ? undefined : metadata?.namespace;
  const named: KubeObject = {
    ...document.object,
    metadata: { ...metadata, namespace: namespace ?? "default" },
  };
  // Where the fleet has the deployment too, its UID tells its replicas from a namesake's.
  const live = objects.find((object) => objectId(object) === objectId(named));
  const uid = metadata?.uid ?? live?.metadata?.uid;
  const deployment = uid === undefined ? named : { ...named, metadata: { ...named.metadata, uid } };
  const kinds = Object.values(FLEET_KINDS);
  const others = objects.filter((object) => !kinds.some((kind) => isKind(object, kind)));
  const names = [...new Set(others.map(({ kind }) => kind))].sort();
  return {
    deployment,
    document,
    objects: objects.filter((object) => !others.includes(object)),
    notes:
      names.length === 0
        ? []
        : [`what placement does not depend on is left out: ${names.join(", ")}`],
  };
}

type Typed = { readonly apiVersion: string; readonly kind: string };

/** Whether an object, or a handler, is of a kind. */
export function isKind(one: Typed, kind: Typed): boolean {
  return one.kind === kind.kind && one.apiVersion === kind.apiVersion;
}

/**
 * Finds the replicas that a deployment composed, by resource key: by their controller where they have
 * one, else by their label. Where files leave the key's annotation out, labels tell it.
 */
export function ownReplicas(
  deployment: KubeObject,
  objects: readonly KubeObject[],
): ReadonlyMap<string, KubeObject> {
  const found = new Map<string, KubeObject>();
  const replicas = objects.filter((object) => isKind(object, FLEET_KINDS.replica));
  for (const replica of replicas) {
    if (!isOwn(deployment, replica)) continue;
    const key = replica.metadata?.annotations?.[KEY_ANNOTATION] ?? keyByLabels(replica);
    if (!found.has(key)) found.set(key, replica);
  }
  return found;
}

function isOwn(deployment: KubeObject, { metadata }: KubeObject): boolean {
  const { name, namespace, uid } = deployment.metadata ?? {};
  if (metadata?.namespace !== namespace) return false;
  const owners = Array.isArray(metadata?.ownerReferences) ? metadata.ownerReferences : [];
  const controller = owners.find((owner) => isRecord(owner) && owner.controller === true);
  if (controller === undefined) return metadata?.labels?.[LABEL.deployment] === name;
  return (
    controller.kind === deployment.kind &&
    controller.name === name &&
    (uid === undefined || controller.uid === undefined || controller.uid === uid)
  );
}

function keyByLabels({ metadata }: KubeObject): string {
  const { [LABEL.cluster]: cluster = "", [LABEL.replicaIndex]: index = "0" } =
    metadata?.labels ?? {};
  return `replica-${cluster}-${index}`;
}
