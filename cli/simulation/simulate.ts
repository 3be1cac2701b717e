import type { FunctionResult } from "../../functions/composition/composition.ts";
import { jsonEqual } from "../../kube/canonical.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Definitions } from "../../schema/definitions.ts";
import type { Finding } from "../../schema/finding.ts";
import { Cluster, controllerUid, objectId } from "./cluster.ts";
import { COMPOSITE_LABEL, KEY_ANNOTATION } from "./composed.ts";
import { assumeReady } from "./healthy.ts";
import { deterministicUid } from "./identity.ts";
import { type Reconciled, reconcile } from "./reconcile.ts";
import type { Calls, Step } from "./step.ts";

/** A simulation stops after this many rounds over all composites, settled or not. */
const MOST_ROUNDS = 30;

/** What a simulation starts from. */
export interface World {
  /** The composite resources a user applies. */
  readonly composites: readonly KubeObject[];
  /** Composed resources that exist already. */
  readonly observed: readonly KubeObject[];
  /** Every other object that functions may ask for. */
  readonly others: readonly KubeObject[];
}

/** How a simulation runs. */
export interface Rules {
  /** The pipeline of a kind's Composition; `undefined` for a kind that nobody composes. */
  steps(apiVersion: string, kind: string): readonly Step[] | undefined;
  /** The kinds whose objects the API server checks. */
  readonly definitions: Definitions;
  /** Whether composed objects for remote clusters count as healthy as soon as they are applied. */
  readonly assumeReady: boolean;
}

/** A composite resource that the API server refuses. */
export interface Refused {
  readonly object: KubeObject;
  readonly findings: readonly Finding[];
}

/** What became of a composite resource, with all results and deletions of all rounds. */
export interface SimulatedComposite extends Reconciled {
  /** The resource key under which another composite composes it, if one does. */
  readonly composedAs: string | undefined;
}

/** The state that a simulation ends in. */
export interface Simulation {
  /** By namespace and name within their kinds, nested ones too. */
  readonly composites: readonly SimulatedComposite[];
  readonly refused: readonly Refused[];
  /** Every object that exists at the end, as stored. */
  readonly objects: readonly KubeObject[];
  /** False when something still changed in the last round. */
  readonly settled: boolean;
}

/**
 * Applies a world's composites and reconciles them, and the composites that they compose, round
 * after round until nothing changes any more.
 */
export function* simulate(world: World, rules: Rules): Calls<Simulation> {
  const { admitted, refused } = admit(world, rules.definitions);
  const cluster = new Cluster([...world.others, ...admitted, ...adopt(world.observed, admitted)]);
  const roots = new Set(admitted.map(objectId));
  const seen = new Map<string, SimulatedComposite>();
  let settled = false;
  for (let round = 0; round < MOST_ROUNDS && !settled; round++) {
    const before = cluster.objects();
    for (const { id, steps } of composable(cluster, roots, rules)) {
      // A composite may have been deleted by another one in this very round.
      const stored = cluster.get(id);
      if (stored === undefined) continue;
      const done = yield* reconcile(stored, steps, cluster, rules.definitions);
      seen.set(id, accumulate(seen.get(id), done));
    }
    if (rules.assumeReady) {
      for (const object of cluster.objects()) {
        if (controllerUid(object) !== undefined) cluster.put(assumeReady(object));
      }
    }
    settled = jsonEqual(before, cluster.objects());
  }
  const composites = [...seen].filter(([id]) => cluster.get(id) !== undefined);
  return {
    composites: composites.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, composite]) => composite),
    refused,
    objects: cluster.objects(),
    settled,
  };
}

/**
 * The composites that a user applied, and those that they compose; one that is only there to be
 * read, as another's requirement, is left as it is.
 */
function composable(
  cluster: Cluster,
  roots: ReadonlySet<string>,
  rules: Rules,
): readonly { id: string; steps: readonly Step[] }[] {
  const objects = cluster.objects();
  const owners = new Set<string>();
  const found = new Map<string, readonly Step[]>();
  // Owners come before what they own only by chance, so look until no level is added.
  for (let more = true; more; ) {
    more = false;
    for (const object of objects) {
      const id = objectId(object);
      if (found.has(id) || !(roots.has(id) || owners.has(controllerUid(object) ?? ""))) continue;
      const steps = rules.steps(object.apiVersion, object.kind);
      if (steps === undefined) continue;
      found.set(id, steps);
      owners.add(object.metadata?.uid ?? "");
      more = true;
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, steps]) => ({ id, steps }));
}

/** Events and deletions of earlier rounds are not repeated by later ones, so they are added up. */
function accumulate(before: SimulatedComposite | undefined, now: Reconciled): SimulatedComposite {
  const results: FunctionResult[] = [...(before?.results ?? [])];
  for (const result of now.results) {
    if (!results.some((known) => jsonEqual(known, result))) results.push(result);
  }
  const deleted = (before?.deleted ?? []).filter(
    ({ key, object }) =>
      !now.applied.some((one) => one.key === key && sameObject(one.object, object)),
  );
  const first = (key: string) => before?.applied.find((one) => one.key === key);
  const applied = now.applied.map((one) => {
    const earlier = first(one.key);
    return earlier === undefined ? one : { ...one, before: earlier.before };
  });
  const composedAs = now.composite.metadata?.annotations?.[KEY_ANNOTATION];
  return { ...now, applied, results, deleted: [...deleted, ...now.deleted], composedAs };
}

const sameObject = (a: KubeObject, b: KubeObject) => objectId(a) === objectId(b);

/** Stores composites as the API server does: checked, defaulted, with a UID and Crossplane's label. */
function admit(
  world: World,
  definitions: Definitions,
): { admitted: readonly KubeObject[]; refused: readonly Refused[] } {
  const admitted: KubeObject[] = [];
  const refused: Refused[] = [];
  for (const object of world.composites) {
    const checked = definitions.get(`${object.apiVersion}/${object.kind}`)?.check(object);
    if (checked !== undefined && checked.findings.length > 0) {
      refused.push({ object, findings: checked.findings });
      continue;
    }
    const stored = checked?.object ?? object;
    const { metadata = {} } = stored;
    const name = metadata.labels?.[COMPOSITE_LABEL] ?? metadata.name ?? "";
    admitted.push({
      ...stored,
      metadata: {
        ...metadata,
        labels: { ...metadata.labels, [COMPOSITE_LABEL]: name },
        uid: metadata.uid ?? controllerUidOf(object, world.observed) ?? deterministicUid(object),
      },
      // A manifest's status would be dropped at its creation; here it tells the state to start from.
      ...(object.status === undefined ? {} : { status: object.status }),
    });
  }
  return { admitted, refused };
}

/** The UID by which observed resources, saved from a cluster, know a composite that is a bare manifest. */
function controllerUidOf(
  composite: KubeObject,
  observed: readonly KubeObject[],
): string | undefined {
  for (const object of observed) {
    const owners = object.metadata?.ownerReferences;
    if (object.metadata?.namespace !== composite.metadata?.namespace || !Array.isArray(owners)) {
      continue;
    }
    const named = owners.some(
      (owner) => owner?.kind === composite.kind && owner?.name === composite.metadata?.name,
    );
    if (named) return controllerUid(object);
  }
  return undefined;
}

/** Gives observed resources that lack a controller the composite whose name their label bears. */
function adopt(
  observed: readonly KubeObject[],
  composites: readonly KubeObject[],
): readonly KubeObject[] {
  return observed.map((object) => {
    const { metadata = {} } = object;
    const uid = metadata.uid ?? deterministicUid(object);
    const stored = { ...object, metadata: { ...metadata, uid } };
    if (controllerUid(object) !== undefined) return stored;
    const label = metadata.labels?.[COMPOSITE_LABEL];
    const owner =
      composites.find(
        ({ metadata: other }) =>
          other?.name === label && (other?.namespace ?? metadata.namespace) === metadata.namespace,
      ) ?? (composites.length === 1 ? composites[0] : undefined);
    if (owner === undefined) return stored;
    const reference = {
      apiVersion: owner.apiVersion,
      blockOwnerDeletion: true,
      controller: true,
      kind: owner.kind,
      name: owner.metadata?.name,
      uid: owner.metadata?.uid,
    };
    return { ...stored, metadata: { ...stored.metadata, ownerReferences: [reference] } };
  });
}
