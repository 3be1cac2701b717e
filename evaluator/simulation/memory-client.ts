import type { KubeObject } from "../../kube/object.ts";
import type {
  Answer,
  Deletion,
  KubernetesClient,
  ObjectList,
  Problem,
  ResourceKind,
  Selection,
  WatchEvent,
} from "../kubernetes/client.ts";
import { type ApiStore, type Change, isSelected, type Part, type PatchType } from "./api-store.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** A request as it reaches the simulated API server. */
export interface ApiRequest {
  readonly verb: "get" | "list" | "watch" | "create" | "replace" | "patch" | "delete";
  readonly kind: string;
  readonly namespace: string;
  /** Empty for lists and watches. */
  readonly name: string;
  /** Whether `/status` is what is written. */
  readonly isStatus: boolean;
}

/** What befalls a request. */
export type Fate =
  /** It is not done, and the client hears this. */
  | { readonly type: "refuse"; readonly problem: Problem }
  /** It is done, but the client hears that nobody knows. */
  | { readonly type: "lose-answer" }
  /** It is never answered, and done only if so. */
  | { readonly type: "hang"; readonly done: boolean };

/** How a simulated client reaches its API server. */
export interface MemoryClientOptions {
  readonly store: ApiStore;
  readonly clock: VirtualClock;
  /** Decides what befalls a request; without an answer it goes through. */
  readonly meet?: (request: ApiRequest) => Fate | undefined;
  /** How many milliseconds a change takes to reach a watch. */
  readonly delay?: (change: Change) => number;
  /** Whether a watch tells a change twice. */
  readonly repeats?: (change: Change) => boolean;
}

const WATCH_DELAY_MILLISECONDS = 5;
const BOOKMARK_MILLISECONDS = 50_000;
const WATCH_MILLISECONDS = 420_000;

/**
 * A client of an API server in memory, for simulations: answers come without waiting unless a fault
 * is asked for, watches come later, as they do.
 */
export class MemoryClient implements KubernetesClient {
  readonly #options: MemoryClientOptions;

  constructor(options: MemoryClientOptions) {
    this.#options = options;
  }

  get(kind: ResourceKind, namespace: string, name: string): Promise<Answer<KubeObject>> {
    return this.#request({ verb: "get", kind, namespace, name }, (store) =>
      store.get(kind, namespace, name),
    );
  }

  list(kind: ResourceKind, selection: Selection = {}): Promise<Answer<ObjectList>> {
    return this.#request(
      { verb: "list", kind, namespace: selection.namespace ?? "", name: "" },
      (store) => store.list(kind, selection),
    );
  }

  create(kind: ResourceKind, object: KubeObject): Promise<Answer<KubeObject>> {
    return this.#request({ verb: "create", kind, ...named(object) }, (store) =>
      store.create(kind, object),
    );
  }

  replace(kind: ResourceKind, object: KubeObject): Promise<Answer<KubeObject>> {
    return this.#request({ verb: "replace", kind, ...named(object) }, (store) =>
      store.replace(kind, object),
    );
  }

  merge(kind: ResourceKind, namespace: string, name: string, patch: object) {
    return this.#patch(kind, { namespace, name }, patch, { part: "object", type: "merge" });
  }

  mergeStatus(kind: ResourceKind, namespace: string, name: string, patch: object) {
    return this.#patch(kind, { namespace, name }, patch, { part: "status", type: "merge" });
  }

  strategicMergeStatus(kind: ResourceKind, namespace: string, name: string, patch: object) {
    return this.#patch(kind, { namespace, name }, patch, { part: "status", type: "strategic" });
  }

  delete(
    kind: ResourceKind,
    namespace: string,
    name: string,
    deletion?: Deletion,
  ): Promise<Answer<undefined>> {
    return this.#request({ verb: "delete", kind, namespace, name }, (store) =>
      store.delete(kind, namespace, name, deletion),
    );
  }

  async watch(
    kind: ResourceKind,
    { resourceVersion, ...selection }: Selection & { readonly resourceVersion: string },
    tell: (event: WatchEvent) => void,
    signal: AbortSignal,
  ): Promise<Answer<undefined>> {
    const { store, clock } = this.#options;
    const ended = new AbortController();
    const until = AbortSignal.any([signal, ended.signal]);
    const send = inOrder(clock, (event) => {
      if (!until.aborted) tell(event);
    });
    const { delay = () => WATCH_DELAY_MILLISECONDS, repeats = () => false } = this.#options;
    const watched = await this.#request(
      { verb: "watch", kind, namespace: selection.namespace ?? "", name: "" },
      () =>
        store.watch(kind, Number(resourceVersion), (change) => {
          const event = eventOf(change, selection);
          if (event === undefined) return;
          send(event, delay(change));
          if (repeats(change)) send(event, 0);
        }),
    );
    if (!watched.ok) return watched;
    const end = clock.now() + WATCH_MILLISECONDS;
    while (!until.aborted && clock.now() < end) {
      await clock.after(BOOKMARK_MILLISECONDS, until);
      send({ type: "BOOKMARK", resourceVersion: String(store.version) }, 0);
    }
    watched.value();
    ended.abort();
    return { ok: true, value: undefined };
  }

  #patch(
    kind: ResourceKind,
    of: { readonly namespace: string; readonly name: string },
    patch: object,
    how: { readonly part: Part; readonly type: PatchType },
  ): Promise<Answer<KubeObject>> {
    return this.#request({ verb: "patch", kind, ...of, isStatus: how.part === "status" }, (store) =>
      store.patch(kind, of, patch, how),
    );
  }

  async #request<Value>(
    {
      kind,
      isStatus = false,
      ...request
    }: Omit<ApiRequest, "kind" | "isStatus"> & {
      readonly kind: ResourceKind;
      readonly isStatus?: boolean;
    },
    perform: (store: ApiStore) => Answer<Value>,
  ): Promise<Answer<Value>> {
    const { store, meet } = this.#options;
    const fate = meet?.({ ...request, kind: kind.kind, isStatus });
    if (fate?.type === "refuse") return { ok: false, problem: fate.problem };
    if (fate?.type === "hang") {
      if (fate.done) perform(store);
      return new Promise(() => undefined);
    }
    const answer = perform(store);
    if (fate === undefined) return answer;
    const message = "the connection was lost before an answer came";
    return { ok: false, problem: { reason: "Lost", message } };
  }
}

/** Brings events later, never one before another that came first. */
function inOrder(
  clock: VirtualClock,
  tell: (event: WatchEvent) => void,
): (event: WatchEvent, milliseconds: number) => void {
  let free = clock.now() as number;
  return (event, milliseconds) => {
    free = Math.max(free, clock.now() + milliseconds);
    clock.call(free - clock.now(), () => tell(event));
  };
}

function named({ metadata }: KubeObject): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" };
}

/** A change as it looks to somebody who sees only a selection. */
function eventOf({ type, object, before }: Change, selection: Selection): WatchEvent | undefined {
  const is = type !== "DELETED" && isSelected(object, selection);
  const was = before !== undefined && isSelected(before, selection);
  if (is) return { type: was ? "MODIFIED" : "ADDED", object };
  return was ? { type: "DELETED", object } : undefined;
}
