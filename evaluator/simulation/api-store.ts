import { jsonEqual } from "../../kube/canonical.ts";
import { formatInstant, type Instant } from "../../kube/instant.ts";
import { isRecord, type KubeObject, listField } from "../../kube/object.ts";
import type { Definitions } from "../../schema/definitions.ts";
import type { Answer, ObjectList, Problem, ResourceKind, Selection } from "../kubernetes/client.ts";
import { admitBuiltIn } from "./admission.ts";
import type { ServedKind } from "./kinds.ts";
import { mergeJson, mergeStrategically } from "./patches.ts";

/** A change as a watch tells it, and what the object was before. */
export interface Change {
  readonly kind: ServedKind;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
  readonly before: KubeObject | undefined;
  readonly version: number;
}

/** What a simulated API server is made with. */
export interface ApiStoreOptions {
  readonly kinds: readonly ServedKind[];
  /** Checks, prunes and defaults objects of the kinds that are defined here. */
  readonly definitions: Definitions;
  readonly now: () => Instant;
  /** Why somebody else may not change an object so, if it may not. */
  readonly forbids?: (object: KubeObject, old: KubeObject) => string | undefined;
}

/** Which part of an object a write is about. */
export type Part = "object" | "status";

/** How a patch is to be read. */
export type PatchType = "merge" | "strategic";

/**
 * The Kubernetes API as an API server keeps it, in memory: optimistic locks, generations, `/status`
 * apart, finalizers, graceful deletion, and watches from a version on. Left out are managed fields
 * and server-side apply, namespaces as objects, admission by anyone else, and authorization.
 * Objects are frozen; equal writes are no change.
 */
export class ApiStore {
  readonly #options: ApiStoreOptions;
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #history: Change[] = [];
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #uids = new Set<string>();
  #version = 0;
  #oldest = 0;

  constructor(options: ApiStoreOptions) {
    this.#options = options;
    for (const kind of options.kinds) this.#objects.set(keyOf(kind), new Map());
  }

  /** The version that the last change made. */
  get version(): number {
    return this.#version;
  }

  /** Whether an object of this UID is there, of whatever kind. */
  exists(uid: string): boolean {
    return this.#uids.has(uid);
  }

  get(kind: ResourceKind, namespace: string, name: string): Answer<KubeObject> {
    const object = this.#of(kind).get(`${namespace}/${name}`);
    return object === undefined ? notFound(kind, name) : { ok: true, value: object };
  }

  list(kind: ResourceKind, selection: Selection = {}): Answer<ObjectList> {
    const items = [...this.#of(kind).values()].filter((object) => isSelected(object, selection));
    return { ok: true, value: { items, resourceVersion: String(this.#version) } };
  }

  create(kind: ResourceKind, object: KubeObject): Answer<KubeObject> {
    const served = this.#served(kind);
    const { namespace = "", name: given, generateName } = object.metadata ?? {};
    const version = this.#version + 1;
    const name = given ?? `${String(generateName)}${version.toString(36).padStart(5, "0")}`;
    if (this.#of(kind).has(`${namespace}/${name}`)) {
      return problem("AlreadyExists", `${kind.plural} "${name}" already exists`);
    }
    const { status: _, ...withoutStatus } = object;
    const metadata = {
      ...object.metadata,
      name,
      namespace,
      uid: `00000000-0000-4000-8000-${version.toString(16).padStart(12, "0")}`,
      generation: 1,
      creationTimestamp: formatInstant(this.#options.now()),
      ...(served.finalizer === undefined ? {} : { finalizers: [served.finalizer] }),
    };
    const admitted = this.#admit(
      { ...(served.hasStatus ? withoutStatus : object), metadata },
      "object",
      undefined,
    );
    if (!admitted.ok) return admitted;
    return { ok: true, value: this.#put(served, admitted.value, undefined) };
  }

  /** Replaces an object, or its status alone, of the version that it carries if it carries one. */
  replace(kind: ResourceKind, object: KubeObject, part: Part = "object"): Answer<KubeObject> {
    const { namespace = "", name = "" } = object.metadata ?? {};
    const old = this.get(kind, namespace, name);
    return old.ok ? this.#update(kind, old.value, object, part) : old;
  }

  patch(
    kind: ResourceKind,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    patch: object,
    { part, type }: { readonly part: Part; readonly type: PatchType },
  ): Answer<KubeObject> {
    const old = this.get(kind, namespace, name);
    if (!old.ok) return old;
    const { resourceVersion: _, ...metadata } = old.value.metadata ?? {};
    const base = { ...old.value, metadata };
    const apply = type === "merge" ? mergeJson : mergeStrategically;
    return this.#update(kind, old.value, apply(base, patch) as KubeObject, part);
  }

  /** Deletes an object of that UID, if one is given; `now` ends at once what else would end gracefully. */
  delete(
    kind: ResourceKind,
    namespace: string,
    name: string,
    { uid, now = false }: { readonly uid?: string; readonly now?: boolean } = {},
  ): Answer<undefined> {
    const served = this.#served(kind);
    const old = this.get(kind, namespace, name);
    if (!old.ok) return old;
    const { metadata } = old.value;
    if (uid !== undefined && metadata?.uid !== uid) {
      return conflict(kind, name, "the UID in the precondition is another's");
    }
    const waits = listField(metadata, "finalizers").length > 0;
    if (!waits && (now || served.endsGracefully !== true)) this.#remove(served, old.value);
    else if (metadata?.deletionTimestamp === undefined) {
      const deletionTimestamp = formatInstant(this.#options.now());
      this.#put(served, { ...old.value, metadata: { ...metadata, deletionTimestamp } }, old.value);
    }
    return { ok: true, value: undefined };
  }

  /** Tells every change of a kind after a version, those that are past at once; returns how to end it. */
  watch(kind: ResourceKind, after: number, tell: (change: Change) => void): Answer<() => void> {
    if (after < this.#oldest) return problem("Gone", `too old resource version: ${after}`);
    const key = keyOf(kind);
    const listener = (change: Change) => {
      if (keyOf(change.kind) === key) tell(change);
    };
    for (const change of this.#history) if (change.version > after) listener(change);
    return { ok: true, value: this.observe(listener) };
  }

  /** Tells every change of any kind from now on; returns how to end it. */
  observe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Forgets what was before now, so that watches from earlier versions are gone. */
  compact(): void {
    this.#history.length = 0;
    this.#oldest = this.#version;
  }

  #update(kind: ResourceKind, old: KubeObject, wanted: KubeObject, part: Part): Answer<KubeObject> {
    const served = this.#served(kind);
    const { name = "", resourceVersion, uid } = wanted.metadata ?? {};
    if (resourceVersion !== undefined && resourceVersion !== old.metadata?.resourceVersion) {
      return conflict(kind, name, "the object has been modified; please apply your changes to it");
    }
    if (uid !== undefined && uid !== old.metadata?.uid) {
      return conflict(kind, name, "Precondition failed: the UID is another's");
    }
    const next = part === "status" ? { ...old, status: wanted.status } : kept(served, old, wanted);
    const why = this.#options.forbids?.(next, old);
    if (why !== undefined)
      return problem("Forbidden", `${kind.plural} "${name}" is forbidden: ${why}`);
    const admitted = this.#admit(next, part, old);
    if (!admitted.ok) return admitted;
    if (jsonEqual(admitted.value, old)) return { ok: true, value: old };
    if (isFinished(old, admitted.value)) {
      this.#remove(served, admitted.value);
      return admitted;
    }
    return { ok: true, value: this.#put(served, counted(old, admitted.value), old) };
  }

  #admit(object: KubeObject, part: Part, old: KubeObject | undefined): Answer<KubeObject> {
    const definition = this.#options.definitions.get(`${object.apiVersion}/${object.kind}`);
    if (definition === undefined) return admitBuiltIn(object, old);
    const checked = definition.check(object, part, old);
    const [first] = checked.findings;
    if (first === undefined) return { ok: true, value: checked.object };
    const said = checked.findings.map(({ message }) => message).join(", ");
    return problem("Invalid", `${object.kind} "${object.metadata?.name}" is invalid: ${said}`);
  }

  #put(kind: ServedKind, object: KubeObject, before: KubeObject | undefined): KubeObject {
    const version = ++this.#version;
    const stored = freeze({
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(version) },
    });
    this.#of(kind).set(nameOf(stored), stored);
    this.#uids.add(stored.metadata.uid as string);
    this.#tell({
      kind,
      type: before === undefined ? "ADDED" : "MODIFIED",
      object: stored,
      before,
      version,
    });
    return stored;
  }

  #remove(kind: ServedKind, object: KubeObject): void {
    const version = ++this.#version;
    const before = this.#of(kind).get(nameOf(object));
    this.#of(kind).delete(nameOf(object));
    this.#uids.delete(object.metadata?.uid ?? "");
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    this.#tell({ kind, type: "DELETED", object: freeze({ ...object, metadata }), before, version });
  }

  #tell(change: Change): void {
    this.#history.push(change);
    if (this.#history.length > MOST_HISTORY) {
      this.#oldest = (this.#history.splice(0, MOST_HISTORY / 2).at(-1) as Change).version;
    }
    for (const listener of [...this.#listeners]) listener(change);
  }

  #of(kind: ResourceKind): Map<string, KubeObject> {
    const objects = this.#objects.get(keyOf(kind));
    if (objects === undefined) throw new Error(`${kind.kind} is not served here`);
    return objects;
  }

  #served(kind: ResourceKind): ServedKind {
    const key = keyOf(kind);
    const served = this.#options.kinds.find((one) => keyOf(one) === key);
    if (served === undefined) throw new Error(`${kind.kind} is not served here`);
    return served;
  }
}

/** An API server keeps five minutes of changes; a simulation is content with so many. */
const MOST_HISTORY = 4096;

const keyOf = ({ apiVersion, plural }: ResourceKind) => `${apiVersion}/${plural}`;
const nameOf = ({ metadata }: KubeObject) => `${metadata?.namespace}/${metadata?.name}`;

/** Whether an object is one of a selection; only selectors by equality and presence are read. */
export function isSelected(object: KubeObject, { namespace, labelSelector }: Selection): boolean {
  if (namespace !== undefined && object.metadata?.namespace !== namespace) return false;
  const labels = object.metadata?.labels ?? {};
  return (labelSelector ?? "")
    .split(",")
    .filter((term) => term !== "")
    .every((term) => {
      const [key = "", value] = term.split("=");
      return Object.hasOwn(labels, key) && (value === undefined || labels[key] === value);
    });
}

/** What a write of an object may not change stays as it is. */
function kept({ hasStatus }: ServedKind, old: KubeObject, wanted: KubeObject): KubeObject {
  const { uid, generation, creationTimestamp, deletionTimestamp, resourceVersion } =
    old.metadata ?? {};
  const fixed = { uid, generation, creationTimestamp, deletionTimestamp, resourceVersion };
  const metadata = Object.fromEntries(
    Object.entries({ ...wanted.metadata, ...fixed }).filter(([, value]) => value !== undefined),
  );
  const { status: _, ...rest } = wanted;
  if (!hasStatus) return { ...wanted, metadata };
  return { ...rest, metadata, ...(old.status === undefined ? {} : { status: old.status }) };
}

/** A change of anything but metadata and status is a new generation. */
function counted(old: KubeObject, next: KubeObject): KubeObject {
  const bare = ({ metadata: _, status: __, ...rest }: KubeObject) => rest;
  if (jsonEqual(bare(old), bare(next))) return next;
  const generation = (old.metadata?.generation ?? 0) + 1;
  return { ...next, metadata: { ...next.metadata, generation } };
}

/** Whether a write took the last finalizer off an object that is being deleted. */
function isFinished(old: KubeObject, next: KubeObject): boolean {
  const finalizers = ({ metadata }: KubeObject) => listField(metadata, "finalizers").length;
  const isDeleted = next.metadata?.deletionTimestamp !== undefined;
  return isDeleted && finalizers(old) > 0 && finalizers(next) === 0;
}

function freeze<Value>(value: Value): Value {
  if (Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const one of value) freeze(one);
  else if (isRecord(value)) for (const one of Object.values(value)) freeze(one);
  return Object.freeze(value);
}

function problem(reason: Problem["reason"], message: string): Answer<never> {
  return { ok: false, problem: { reason, message } };
}

const notFound = ({ plural }: ResourceKind, name: string) =>
  problem("NotFound", `${plural} "${name}" not found`);

const conflict = ({ plural }: ResourceKind, name: string, why: string) =>
  problem("Conflict", `Operation cannot be fulfilled on ${plural} "${name}": ${why}`);
