import type { KubeObject } from "../../kube/object.ts";
import { type Call, Caller, type CallerOptions, type Outcome } from "./caller.ts";
import type {
  Answer,
  Deletion,
  KubernetesClient,
  ObjectList,
  Problem,
  ResourceKind,
  Selection,
  WatchEvent,
} from "./client.ts";
import type { Credentials } from "./connection.ts";
import { problemOf } from "./problem.ts";
import { receivedObject, receivedPage } from "./received.ts";
import { readWatch } from "./watch-stream.ts";

/** An API server forgets a list, and so what its pages go on from, after as long. */
const LIST_MILLISECONDS = 300_000;
const PAGE = 500;
const MOST_LISTS = 3;
const MOST_LIST_BYTES = 64 * 1024 * 1024;
/** Of an object, alone or as an event of a watch. */
const MOST_OBJECT_BYTES = 8 * 1024 * 1024;
/** Shorter than any silence that is taken for an end, so that who says nothing all along is gone. */
const WATCH_SECONDS = 120;

const MERGE = "application/merge-patch+json";
const STRATEGIC_MERGE = "application/strategic-merge-patch+json";

/** A client of an API server over HTTP. */
export class ApiClient implements KubernetesClient {
  readonly #options: CallerOptions;
  readonly #caller: Caller;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#caller = new Caller(options);
  }

  get(kind: ResourceKind, namespace: string, name: string): Promise<Answer<KubeObject>> {
    return this.#object(kind, { method: "GET", path: pathOf(kind, namespace, name) });
  }

  async list(kind: ResourceKind, selection: Selection = {}): Promise<Answer<ObjectList>> {
    const until = this.#options.clock.now() + LIST_MILLISECONDS;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#pages(kind, selection, until);
      const isExpired = !answer.ok && answer.problem.reason === "Gone";
      if (!isExpired || attempt === MOST_LISTS) return answer;
    }
  }

  async watch(
    kind: ResourceKind,
    { resourceVersion, ...selection }: Selection & { readonly resourceVersion: string },
    tell: (event: WatchEvent) => void,
    signal: AbortSignal,
  ): Promise<Answer<undefined>> {
    const path = pathOf(kind, selection.namespace, undefined, {
      ...selectorOf(selection),
      watch: "1",
      allowWatchBookmarks: "1",
      resourceVersion,
      timeoutSeconds: String(Math.round(WATCH_SECONDS * (1 - this.#options.random() / 4))),
    });
    const call: Call = { method: "GET", path, most: MOST_OBJECT_BYTES, stream: signal };
    const outcome = await this.#caller.perform(call);
    const answer =
      outcome.state === "streaming"
        ? concealed(await readWatch(outcome.response, kind, call.most, tell), outcome.credentials)
        : failed(call, outcome);
    const isStopped = signal.aborted || this.#options.signal.aborted;
    return isStopped ? { ok: true, value: undefined } : answer;
  }

  create(kind: ResourceKind, object: KubeObject): Promise<Answer<KubeObject>> {
    const path = pathOf(kind, object.metadata?.namespace);
    return this.#object(kind, { method: "POST", path, body: object });
  }

  replace(kind: ResourceKind, object: KubeObject): Promise<Answer<KubeObject>> {
    const path = pathOf(kind, object.metadata?.namespace, object.metadata?.name);
    return this.#object(kind, { method: "PUT", path, body: object });
  }

  merge(kind: ResourceKind, namespace: string, name: string, patch: object) {
    const path = pathOf(kind, namespace, name);
    return this.#object(kind, { method: "PATCH", path, body: patch, type: MERGE });
  }

  mergeStatus(kind: ResourceKind, namespace: string, name: string, patch: object) {
    const path = `${pathOf(kind, namespace, name)}/status`;
    return this.#object(kind, { method: "PATCH", path, body: patch, type: MERGE });
  }

  strategicMergeStatus(kind: ResourceKind, namespace: string, name: string, patch: object) {
    const path = `${pathOf(kind, namespace, name)}/status`;
    return this.#object(kind, { method: "PATCH", path, body: patch, type: STRATEGIC_MERGE });
  }

  async delete(
    kind: ResourceKind,
    namespace: string,
    name: string,
    deletion?: Deletion,
  ): Promise<Answer<undefined>> {
    const body = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: "Background",
      ...(deletion === undefined ? {} : { preconditions: { uid: deletion.uid } }),
    };
    const path = pathOf(kind, namespace, name);
    const call: Call = { method: "DELETE", path, body, most: MOST_OBJECT_BYTES };
    const outcome = await this.#caller.perform(call);
    return isSuccess(outcome) ? { ok: true, value: undefined } : failed(call, outcome);
  }

  /** Reads the pages of one list; later ones are all of the first one's version. */
  async #pages(
    kind: ResourceKind,
    selection: Selection,
    until: number,
  ): Promise<Answer<ObjectList>> {
    const items: KubeObject[] = [];
    let version: string | undefined;
    for (let next = ""; ; ) {
      const path = pathOf(kind, selection.namespace, undefined, {
        ...selectorOf(selection),
        limit: String(PAGE),
        ...(next === "" ? {} : { continue: next }),
      });
      const call: Call = { method: "GET", path, most: MOST_LIST_BYTES };
      const outcome = await this.#caller.perform(call);
      if (!isSuccess(outcome)) return failed(call, outcome);
      const page = receivedPage(outcome.body, kind);
      if (page === undefined) return garbled(call);
      for (const item of page.items) items.push(item);
      version ??= page.resourceVersion;
      if (page.next === "") return { ok: true, value: { items, resourceVersion: version } };
      if (this.#options.clock.now() > until) {
        return refused(call, "Unavailable", "the pages of the list did not end within 5 minutes");
      }
      next = page.next;
    }
  }

  async #object(kind: ResourceKind, asked: Omit<Call, "most">): Promise<Answer<KubeObject>> {
    const call: Call = { ...asked, most: MOST_OBJECT_BYTES };
    const outcome = await this.#caller.perform(call);
    if (!isSuccess(outcome)) return failed(call, outcome);
    const value = receivedObject(outcome.body, kind);
    return value === undefined ? garbled(call) : { ok: true, value };
  }
}

function pathOf(
  { apiVersion, plural }: ResourceKind,
  namespace: string | undefined,
  name?: string,
  query?: Readonly<Record<string, string>>,
): string {
  const parts = [
    apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`,
    ...(namespace === undefined ? [] : ["namespaces", encodeURIComponent(namespace)]),
    plural,
    ...(name === undefined ? [] : [encodeURIComponent(name)]),
  ];
  return `${parts.join("/")}${query === undefined ? "" : `?${new URLSearchParams(query)}`}`;
}

function selectorOf({ labelSelector }: Selection): Readonly<Record<string, string>> {
  return labelSelector === undefined ? {} : { labelSelector };
}

type Answered = Extract<Outcome, { readonly state: "answered" }>;

function isSuccess(outcome: Outcome): outcome is Answered {
  return outcome.state === "answered" && outcome.status >= 200 && outcome.status < 300;
}

/** What a call that did not succeed means; of a write without an answer nobody knows whether it was done. */
function failed(call: Call, outcome: Outcome): Answer<never> {
  switch (outcome.state) {
    case "answered": {
      const { status, body, credentials } = outcome;
      const { reason, message } = problemOf(status, body, isWrite(call));
      return concealed(refused(call, reason, message), credentials);
    }
    case "streaming":
      return garbled(call);
    case "unsent":
      return refused(call, "Unavailable", outcome.why);
    default:
      return refused(call, isWrite(call) ? "Lost" : "Unavailable", outcome.why);
  }
}

/** A success whose body is not what it must be. */
function garbled(call: Call): Answer<never> {
  const message = "the answer is no object of Kubernetes; is this an API server?";
  return refused(call, isWrite(call) ? "Lost" : "Unavailable", message);
}

function refused(
  { method, path }: Call,
  reason: Problem["reason"],
  message: string,
): Answer<never> {
  const [asked] = path.split("?");
  return { ok: false, problem: { reason, message: `${method} ${asked}: ${message}` } };
}

const isWrite = ({ method }: Call) => method !== "GET";

/** Takes credentials out of what a server said, should it have sent them back. */
function concealed<Value>(answer: Answer<Value>, { options }: Credentials): Answer<Value> {
  if (answer.ok) return answer;
  const headers = options.headers as Readonly<Record<string, string>>;
  const secrets = [headers.authorization?.split(" ").at(-1), options.auth?.replace(/^[^:]*:/, "")];
  let { message } = answer.problem;
  for (const secret of secrets) {
    if (secret !== undefined && secret !== "") message = message.replaceAll(secret, "[hidden]");
  }
  return { ok: false, problem: { ...answer.problem, message } };
}
