import type { KubeObject } from "../../kube/object.ts";

/** A kind as its API is addressed; all are namespaced. */
export interface ResourceKind {
  /** Group and version, such as `apps/v1` or `v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

/** Why a request came to nothing. */
export interface Problem {
  /**
   * What an API server says by its status; `Gone` is an expired version or list. `Unavailable` is
   * what waiting may mend and nothing was done, `Lost` that nobody knows whether it was done.
   */
  readonly reason:
    | "NotFound"
    | "AlreadyExists"
    | "Conflict"
    | "Invalid"
    | "Forbidden"
    | "Unauthorized"
    | "Gone"
    | "Unavailable"
    | "Lost";
  /** The server's own words, or what happened; never anything of a credential. */
  readonly message: string;
}

/** What a request came to. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem };

/** All objects of a list, and the version from which a watch goes on. */
export interface ObjectList {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
}

/** Which objects a list or a watch is about; without a namespace, those of all. */
export interface Selection {
  readonly namespace?: string;
  /** As `kubectl -l` has it: `decisionmodel.io/name`. */
  readonly labelSelector?: string;
}

/** What a watch tells. A bookmark only says how far it has come. */
export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string };

/** How an object is deleted: only this very one, its dependents in the background. */
export interface Deletion {
  readonly uid: string;
}

/**
 * The Kubernetes API as the evaluator uses it. Every request is bounded in time and bytes, follows no
 * redirect, and says what became of it as a value; objects come without `managedFields`.
 */
export interface KubernetesClient {
  get(kind: ResourceKind, namespace: string, name: string): Promise<Answer<KubeObject>>;
  /** Reads every page; begins again when the pages expire under it. */
  list(kind: ResourceKind, selection?: Selection): Promise<Answer<ObjectList>>;
  /**
   * Tells what changes after a version until the server ends the watch (`ok`), it fails, or the
   * signal aborts.
   */
  watch(
    kind: ResourceKind,
    selection: Selection & { readonly resourceVersion: string },
    tell: (event: WatchEvent) => void,
    signal: AbortSignal,
  ): Promise<Answer<undefined>>;
  create(kind: ResourceKind, object: KubeObject): Promise<Answer<KubeObject>>;
  /** Replaces the object if its `resourceVersion` is still the one that it carries. */
  replace(kind: ResourceKind, object: KubeObject): Promise<Answer<KubeObject>>;
  /** A JSON merge patch; with `metadata.resourceVersion` in it only of that version. */
  merge(
    kind: ResourceKind,
    namespace: string,
    name: string,
    patch: object,
  ): Promise<Answer<KubeObject>>;
  /** A JSON merge patch of the status alone. */
  mergeStatus(
    kind: ResourceKind,
    namespace: string,
    name: string,
    patch: object,
  ): Promise<Answer<KubeObject>>;
  /** A strategic merge patch of the status alone, which adds to lists of conditions by their type. */
  strategicMergeStatus(
    kind: ResourceKind,
    namespace: string,
    name: string,
    patch: object,
  ): Promise<Answer<KubeObject>>;
  delete(
    kind: ResourceKind,
    namespace: string,
    name: string,
    deletion?: Deletion,
  ): Promise<Answer<undefined>>;
}
