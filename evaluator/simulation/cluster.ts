import { isRecord, type KubeObject, listField } from "../../kube/object.ts";
import type { ApiStore, Change } from "./api-store.ts";
import { keepClaim } from "./claims.ts";
import { keepDeployment, type Progress } from "./deployments.ts";
import { keepJob } from "./jobs.ts";
import { kindOf } from "./kinds.ts";
import { Kubelet, type Node } from "./kubelet.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { claimsOf, type Workings } from "./workings.ts";

/** How long a controller takes to see a change. */
const REACTION_MILLISECONDS = 10;

/**
 * Stands in for what runs in a cluster besides an evaluator: the controllers of Deployments, Jobs
 * and claims, the garbage collector, and one node's kubelet. They do what those do to the objects of
 * an evaluator, in virtual time, and nothing else.
 */
export class SimulatedCluster implements Workings {
  readonly store: ApiStore;
  readonly clock: VirtualClock;
  readonly kubelet: Kubelet;
  readonly #children = new Map<string, Map<string, KubeObject>>();
  readonly #due = new Set<string>();
  readonly #progress = new Map<string, Progress>();

  constructor(store: ApiStore, clock: VirtualClock, node: Node) {
    this.store = store;
    this.clock = clock;
    this.kubelet = new Kubelet(this, node);
    store.observe((change) => this.#see(change));
  }

  children({ metadata }: KubeObject, kind: string): readonly KubeObject[] {
    const all = this.#children.get(metadata?.uid ?? "")?.values() ?? [];
    return [...all].filter((object) => object.kind === kind);
  }

  again(object: KubeObject, milliseconds: number): void {
    const { namespace = "", name = "" } = object.metadata ?? {};
    this.#schedule(object.kind, namespace, name, milliseconds);
  }

  #see({ type, object, before }: Change): void {
    const uid = object.metadata?.uid ?? "";
    for (const owner of ownersOf(before ?? object)) this.#children.get(owner)?.delete(uid);
    if (type !== "DELETED") {
      for (const owner of ownersOf(object)) {
        const siblings = this.#children.get(owner) ?? new Map<string, KubeObject>();
        this.#children.set(owner, siblings.set(uid, object));
      }
    }
    this.#wake(object);
    if (type === "DELETED") {
      // Their owner is gone: each goes if it was the last.
      for (const child of this.#children.get(uid)?.values() ?? []) this.#wake(child);
      this.#children.delete(uid);
      this.#progress.delete(uid);
    }
  }

  /** Has everybody look who may be concerned with an object. */
  #wake(object: KubeObject): void {
    this.again(object, REACTION_MILLISECONDS);
    const { namespace = "" } = object.metadata ?? {};
    this.#wakeOwners(object, REACTION_MILLISECONDS);
    if (object.kind === "Pod") {
      for (const name of claimsOf(object)) {
        this.#schedule("PersistentVolumeClaim", namespace, name, REACTION_MILLISECONDS);
      }
    }
    if (object.kind === "PersistentVolumeClaim") this.kubelet.claimChanged(object);
  }

  #wakeOwners(object: KubeObject, milliseconds: number): void {
    for (const { kind, name } of referencesOf(object)) {
      this.#schedule(kind, object.metadata?.namespace ?? "", name, milliseconds);
    }
  }

  #schedule(kind: string, namespace: string, name: string, milliseconds: number): void {
    const key = `${kind}/${namespace}/${name}/${this.clock.now() + milliseconds}`;
    if (this.#due.has(key)) return;
    this.#due.add(key);
    this.clock.call(milliseconds, () => {
      this.#due.delete(key);
      this.#keep(kind, namespace, name);
    });
  }

  #keep(kindName: string, namespace: string, name: string): void {
    const kind = kindOf(kindName);
    if (kind === undefined) return;
    const found = this.store.get(kind, namespace, name);
    if (!found.ok) return;
    const object = found.value;
    const owners = ownersOf(object);
    const isOrphan = owners.length > 0 && !owners.some((uid) => this.store.exists(uid));
    if (isOrphan && object.metadata?.deletionTimestamp === undefined) {
      this.store.delete(kind, namespace, name, { uid: object.metadata?.uid as string });
      return;
    }
    if (kindName === "Deployment") keepDeployment(object, this, this.#progress);
    else if (kindName === "Job") keepJob(object, this);
    else if (kindName === "PersistentVolumeClaim") keepClaim(object, this, this.kubelet);
    else if (kindName === "Pod") this.kubelet.keepPod(object);
    else if (kindName === "ReplicaSet") this.#wakeOwners(object, 0);
  }
}

function referencesOf({ metadata }: KubeObject): readonly { kind: string; name: string }[] {
  return listField(metadata, "ownerReferences").flatMap((reference) =>
    isRecord(reference) ? [{ kind: String(reference.kind), name: String(reference.name) }] : [],
  );
}

function ownersOf({ metadata }: KubeObject): readonly string[] {
  return listField(metadata, "ownerReferences").flatMap((reference) =>
    isRecord(reference) ? [String(reference.uid)] : [],
  );
}
