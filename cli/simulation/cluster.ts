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

/** The objects of a simulated cluster, as its API server would store them. */
export class Cluster {
  readonly #objects = new Map<string, KubeObject>();

  constructor(objects: Iterable<KubeObject> = []) {
    for (const object of objects) this.put(object);
  }

  /** Every object, in the order of their ids. */
  objects(): readonly KubeObject[] {
    return [...this.#objects.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, at]) => at);
  }

  get(id: string): KubeObject | undefined {
    return this.#objects.get(id);
  }

  /** Creates or replaces an object. */
  put(object: KubeObject): void {
    this.#objects.set(objectId(object), object);
  }

  /** Removes an object and, as the garbage collector does, all that it controls. */
  remove(object: KubeObject): void {
    this.#objects.delete(objectId(object));
    const { uid } = object.metadata ?? {};
    if (uid === undefined) return;
    for (const owned of this.objects()) if (controllerUid(owned) === uid) this.remove(owned);
  }

  /** The objects that a selector matches, by namespace and name, as Crossplane passes them on. */
  select(selector: ResourceSelector): readonly KubeObject[] {
    return this.objects()
      .filter((object) => matches(object, selector))
      .sort((a, b) => compare(sortKey(a), sortKey(b)));
  }
}

function matches(object: KubeObject, selector: ResourceSelector): boolean {
  const { apiVersion, kind, namespace, match } = selector;
  const { metadata = {} } = object;
  if (object.apiVersion !== apiVersion || object.kind !== kind) return false;
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
