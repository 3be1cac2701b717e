import type { ResourceSelector } from "../../functions/composition/requirement.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";

/** Names an object in a cluster: `apiVersion/kind/namespace/name`, the namespace may be empty. */
export function objectId({ apiVersion, kind, metadata }: KubeObject): string {
  return `${apiVersion}/${kind}/${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;
}

/** The UID of an object's controller, if it has one. */
export function controllerUid(object: KubeObject): string | undefined {
  const references = object.metadata?.ownerReferences;
  if (!Array.isArray(references)) return undefined;
  const controller = references.find((owner) => isRecord(owner) && owner.controller === true);
  return typeof controller?.uid === "string" ? controller.uid : undefined;
}

/** The objects of a simulated cluster, as its API server would store them, found by what functions ask for. */
export class Cluster {
  readonly #objects = new Map<string, KubeObject>();
  /** Ids by the UID of the controller, and by kind: a fleet has thousands of objects. */
  readonly #controlled = new Index();
  readonly #kinds = new Index();

  constructor(objects: Iterable<KubeObject> = []) {
    for (const object of objects) this.put(object);
  }

  /** Every object, in the order of their ids. */
  objects(): readonly KubeObject[] {
    return this.#inOrder(this.#objects.keys());
  }

  get(id: string): KubeObject | undefined {
    return this.#objects.get(id);
  }

  /** The objects of one controller, by its UID, in the order of their ids. */
  controlledBy(uid: string): readonly KubeObject[] {
    return this.#inOrder(this.#controlled.get(uid));
  }

  /** Creates or replaces an object. */
  put(object: KubeObject): void {
    const id = objectId(object);
    const old = this.#objects.get(id);
    if (old !== undefined) this.#controlled.delete(controllerUid(old), id);
    this.#objects.set(id, object);
    this.#controlled.add(controllerUid(object), id);
    this.#kinds.add(kindOf(object), id);
  }

  /** Removes an object and, as the garbage collector does, all that it controls. */
  remove(object: KubeObject): void {
    const id = objectId(object);
    const stored = this.#objects.get(id);
    if (stored === undefined) return;
    this.#objects.delete(id);
    this.#controlled.delete(controllerUid(stored), id);
    this.#kinds.delete(kindOf(stored), id);
    const { uid } = stored.metadata ?? {};
    if (uid === undefined) return;
    for (const owned of this.controlledBy(uid)) this.remove(owned);
  }

  /** The objects that a selector matches, by namespace and name, as Crossplane passes them on. */
  select(selector: ResourceSelector): readonly KubeObject[] {
    return this.#inOrder(this.#kinds.get(kindOf(selector)))
      .filter((object) => matches(object, selector))
      .sort((a, b) => compare(sortKey(a), sortKey(b)));
  }

  #inOrder(ids: Iterable<string>): readonly KubeObject[] {
    return [...ids].sort(compare).flatMap((id) => this.#objects.get(id) ?? []);
  }
}

/** Sets of ids by a key; no id is filed under `undefined`. */
class Index {
  readonly #sets = new Map<string, Set<string>>();

  get(key: string): Iterable<string> {
    return this.#sets.get(key) ?? [];
  }

  add(key: string | undefined, id: string): void {
    if (key === undefined) return;
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([id]));
    else set.add(id);
  }

  delete(key: string | undefined, id: string): void {
    if (key !== undefined) this.#sets.get(key)?.delete(id);
  }
}

const kindOf = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) =>
  `${apiVersion}/${kind}`;

function matches(object: KubeObject, selector: ResourceSelector): boolean {
  const { namespace, match } = selector;
  const { metadata = {} } = object;
  if ("name" in match) {
    return metadata.name === match.name && (metadata.namespace ?? "") === (namespace ?? "");
  }
  if (namespace !== undefined && namespace !== "" && metadata.namespace !== namespace) return false;
  const labels = metadata.labels ?? {};
  return Object.entries(match.labels).every(
    ([key, value]) => Object.hasOwn(labels, key) && labels[key] === value,
  );
}

const sortKey = ({ metadata }: KubeObject) =>
  `${metadata?.namespace ?? ""}\0${metadata?.name ?? ""}`;

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
