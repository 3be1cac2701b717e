import type { Engine } from "../../api/gen/modelreplicas.ts";
import {
  decodeProviderObject,
  KEEP_ON_DELETE,
  type ObservedProviderObject,
  providerObjectBlocker,
  providerObjectReady,
} from "../../api/provider-object.ts";
import { jsonEqual } from "../../kube/canonical.ts";
import { field, type KubeObject } from "../../kube/object.ts";
import { buildProviderObject } from "../builders/provider-object.ts";
import { buildRemoteNamespace } from "../builders/remote-namespace.ts";
import { carriedHash, manifestHash, withManifestHash } from "../builders/rollout.ts";
import type { ComposedResource, ObservedResources } from "../composition/composition.ts";
import { objectKey, requestedKey } from "../composition/object-keys.ts";
import { olderClaimKeys, planClaims } from "./claims.ts";
import { heldResource, heldResources } from "./hold.ts";
import { engineOfWorkloadKey, KEY, workloadKey } from "./keys.ts";
import type { Planned, ReplicaContext } from "./plan.ts";
import { planRouting } from "./routing.ts";
import { type EngineState, engineState } from "./status.ts";
import { buildWorkload, workloadProgress, workloadReadyQuery } from "./workload.ts";

/** A replica's composed resources, and what they say of the model. */
export interface ReplicaState {
  readonly resources: readonly ComposedResource[];
  readonly engines: readonly EngineState[];
  /** The observed Object of the route. */
  readonly route: ObservedProviderObject | undefined;
  /** Objects beside the engines that are there and not ready, each with its own reason. */
  readonly unready: readonly string[];
  /** What is being composed, for the first event. */
  readonly summary?: string;
}

/** What every Object of one composition shares. */
interface Target {
  readonly observed: ObservedResources;
  readonly providerConfig: string;
  /** Whether the provider watches workloads and the route. */
  readonly watch: boolean;
}

/** One Object to compose, beside what is observed under its key. */
interface Placed {
  readonly resource: ComposedResource;
  readonly manifest: KubeObject;
  readonly observed: ObservedProviderObject | undefined;
  /** Whether the observed Object already asks for this manifest. */
  readonly current: boolean;
}

/** Composes a valid replica for the cluster that a provider config reaches. */
export function composeReplica(context: ReplicaContext, target: Target): ReplicaState {
  const { observed } = target;
  const namespace = place(target, {
    key: KEY.namespace,
    manifest: buildRemoteNamespace(context.controlNamespace),
    managementPolicies: KEEP_ON_DELETE,
  });
  const engines = context.spec.engines.map((engine) => composeEngine(context, target, engine));
  const routing = planRouting(context).map((planned) =>
    planned.key === KEY.picker ? placePicker(target, planned) : place(target, planned),
  );
  const placed = [namespace, ...engines.flatMap(({ claims }) => claims), ...routing];
  const [image] = context.spec.engines[0]?.members[0]?.template.spec?.containers ?? [];
  return {
    resources: [
      ...placed.map(({ resource }) => resource),
      ...engines.map(({ workload }) => workload),
      ...engines.flatMap(({ older }) => older),
    ],
    engines: engines.map(({ state }) => state),
    route: observedRoute(observed, routing),
    unready: placed.flatMap(unreadyNote),
    summary: `Composing ${image?.image} on ${context.spec.clusterName}`,
  };
}

/** Keeps whatever a replica has composed, and says how it is. */
export function heldReplica(observed: ObservedResources): ReplicaState {
  const engines = new Map<string, EngineState>();
  let route: ObservedProviderObject | undefined;
  for (const key of observed.keys) {
    const object = observed.get(key);
    const decoded = object === undefined ? undefined : decodeProviderObject(object);
    if (decoded === undefined) continue;
    const asked = requestedKey(key, decoded);
    const engine = engineOfWorkloadKey(asked);
    if (engine !== undefined && (!decoded.deleting || !engines.has(engine))) {
      engines.set(engine, engineState(engine, decoded.wanted, decoded, true));
    }
    if (asked === KEY.route && (route === undefined || !decoded.deleting)) route = decoded;
  }
  const resources = heldResources(observed);
  return { resources, engines: [...engines.values()], route, unready: [] };
}

interface PlacedEngine {
  readonly state: EngineState;
  readonly workload: ComposedResource;
  readonly claims: readonly Placed[];
  /** Templates that running pods still have their claims from. */
  readonly older: readonly ComposedResource[];
}

function composeEngine(context: ReplicaContext, target: Target, engine: Engine): PlacedEngine {
  const { observed } = target;
  const { templates, names } = planClaims(context, engine, observed);
  const claims = templates.map((planned) => place(target, planned));
  const manifest = buildWorkload(context, engine, names);
  const workload = placeWorkload(target, { key: workloadKey(engine.name), manifest });
  const state = engineState(engine.name, workload.manifest, workload.observed, workload.current);
  const current = new Set(claims.map(({ resource }) => resource.key));
  const older = state.settled
    ? []
    : olderClaimKeys(engine.name, current, target.providerConfig, observed);
  return {
    state,
    workload: { ...workload.resource, ready: state.settled },
    claims,
    older: older.flatMap((key) => heldResource(key, observed) ?? []),
  };
}

/** The key that an Object takes, and what is observed under it. */
interface Spot {
  readonly key: string;
  readonly present: ObservedProviderObject | undefined;
}

function spot({ observed, providerConfig }: Target, { key, manifest }: Planned): Spot {
  const taken = objectKey(key, manifest, providerConfig, observed);
  return { key: taken, present: observedObject(observed, taken) };
}

function place(target: Target, planned: Planned, at: Spot = spot(target, planned)): Placed {
  const { providerConfig } = target;
  const { manifest, readinessQuery, managementPolicies } = planned;
  const { key, present } = at;
  const watch = target.watch && readinessQuery !== undefined;
  const object = buildProviderObject({
    manifest,
    providerConfig,
    readinessQuery,
    managementPolicies,
    watch,
  });
  const current = present !== undefined && jsonEqual(present.wanted, manifest);
  const ready =
    current &&
    providerObjectReady(present) &&
    jsonEqual(field(present.object, "spec", "readiness"), field(object, "spec", "readiness"));
  return { resource: { key, object, ready }, manifest, observed: present, current };
}

/**
 * Places a workload: its manifest carries its own hash, so that the live object tells which spec
 * it has. One that is observed without the hash and equal otherwise stays so until it next changes.
 */
function placeWorkload(target: Target, planned: Planned): Placed {
  const at = spot(target, planned);
  const adopted = at.present !== undefined && jsonEqual(at.present.wanted, planned.manifest);
  const hash = adopted ? undefined : manifestHash(planned.manifest);
  const manifest = hash === undefined ? planned.manifest : withManifestHash(planned.manifest, hash);
  return place(
    target,
    { ...planned, manifest, readinessQuery: workloadReadyQuery(manifest, hash) },
    at,
  );
}

/** Places the picker's Deployment, which is ready once its pod is, whatever its Object says. */
function placePicker(target: Target, planned: Planned): Placed {
  const placed = placeWorkload(target, planned);
  const { resource, manifest, observed } = placed;
  const live = observed?.live;
  const ready =
    resource.ready &&
    carriedHash(live) === carriedHash(manifest) &&
    workloadProgress(manifest, live).settled;
  return { ...placed, resource: { ...resource, ready } };
}

function observedObject(
  observed: ObservedResources,
  key: string,
): ObservedProviderObject | undefined {
  const object = observed.get(key);
  return object === undefined ? undefined : decodeProviderObject(object);
}

function observedRoute(
  observed: ObservedResources,
  routing: readonly Placed[],
): ObservedProviderObject | undefined {
  const route = routing.find(({ manifest }) => manifest.kind === "HTTPRoute");
  return route === undefined ? undefined : observedObject(observed, route.resource.key);
}

/**
 * Names an object that its provider has reported on and that is not ready; the route has conditions
 * of its own.
 */
function unreadyNote({ resource, manifest, observed }: Placed): readonly string[] {
  if (resource.ready || observed === undefined || manifest.kind === "HTTPRoute") return [];
  if (observed.synced === undefined && !observed.deleting) return [];
  const progress =
    manifest.kind === "Deployment" ? workloadProgress(manifest, observed.live).blocker : undefined;
  const why = providerObjectBlocker(observed) ?? progress ?? "is not reported ready yet";
  return [`${manifest.kind} "${manifest.metadata?.name}" ${why}`];
}
