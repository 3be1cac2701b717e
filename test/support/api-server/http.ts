import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type {
  Answer,
  ObjectList,
  Problem,
  Selection,
} from "../../../evaluator/kubernetes/client.ts";
import {
  type ApiStore,
  type Change,
  isSelected,
  type PatchType,
} from "../../../evaluator/simulation/api-store.ts";
import type { ServedKind } from "../../../evaluator/simulation/kinds.ts";
import { kubeconfigOf, type Reply, statusOf } from "../api-server.ts";

/** What an API server over HTTP is made with. */
export interface HttpApiOptions {
  readonly store: ApiStore;
  readonly kinds: readonly ServedKind[];
  /** The bearer token that is accepted now. */
  readonly token: () => string;
  /** Answers a request in its own way instead of the server's, by how many there were before. */
  readonly meet?: (request: IncomingMessage, before: number) => RequestListener | undefined;
}

/** A request as it came. */
export interface Asked {
  readonly line: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

interface Target {
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly part: "object" | "status";
}

/** An API store behind a socket of this machine, as a kube-apiserver is spoken to. */
export class HttpApiServer {
  readonly asked: Asked[] = [];
  readonly #options: HttpApiOptions;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  /** Lists whose later pages may be asked for. */
  readonly #lists = new Map<string, ObjectList>();
  readonly #watches = new Set<ServerResponse>();

  constructor(options: HttpApiOptions) {
    this.#options = options;
  }

  /** Begins to listen on a free port, or on the one it had. */
  async listen(port = 0): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A kubeconfig with the token that is accepted now. */
  get kubeconfig(): string {
    return kubeconfigOf(this.origin, this.#options.token());
  }

  /** How many watches are open. */
  get watching(): number {
    return this.#watches.size;
  }

  /** Forgets the lists whose pages are being read. */
  expirePages(): void {
    this.#lists.clear();
  }

  /** Sends a line to every watch. */
  say(event: object | string | Buffer): void {
    const raw = typeof event === "string" || Buffer.isBuffer(event);
    const line = raw ? event : `${JSON.stringify(event)}\n`;
    for (const watch of this.#watches) watch.write(line);
  }

  /** Says to every watch how far it has come. */
  bookmark(): void {
    this.say({
      type: "BOOKMARK",
      object: { metadata: { resourceVersion: String(this.#options.store.version) } },
    });
  }

  /** Ends every watch, or breaks its connection. */
  endWatches(how: "end" | "break"): void {
    for (const watch of this.#watches) {
      if (how === "end") watch.end();
      else watch.destroy();
    }
  }

  /** Stops listening and breaks every connection. */
  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { meet } = this.#options;
    const { method = "GET", url = "/", headers } = request;
    const before = this.asked.length;
    const asked = { line: `${method} ${url}`, headers, body: "" };
    this.asked.push(asked);
    for await (const chunk of request) asked.body += chunk;
    const met = meet?.(request, before);
    if (met !== undefined) met(request, response);
    else if (headers.authorization !== `Bearer ${this.#options.token()}`) {
      reply(response, statusOf(401, "Unauthorized", "Unauthorized"));
    } else {
      const found = this.#answer(asked, response);
      if (found !== undefined) reply(response, found);
    }
  }

  /** The answer to a request, or nothing where it is a watch, which is answered as time goes on. */
  #answer({ line, headers, body }: Asked, response: ServerResponse): Reply | undefined {
    const { store, kinds } = this.#options;
    const [method = "", url = ""] = line.split(" ");
    const { pathname, searchParams: query } = new URL(url, "http://localhost");
    const target = targetOf(pathname, kinds);
    if (target === undefined) return { status: 404, body: "404 page not found\n" };
    const { kind, namespace = "", name = "", part } = target;
    const sent = body === "" ? undefined : JSON.parse(body);
    switch (method) {
      case "GET":
        if (target.name !== undefined) return replyOf(store.get(kind, namespace, name));
        if (query.has("watch")) return this.#watch(target, query, response);
        return this.#list(target, query);
      case "POST":
        return replyOf(store.create(kind, sent), 201);
      case "PUT":
        return replyOf(store.replace(kind, sent, part));
      case "PATCH": {
        const type = PATCHES[headers["content-type"] ?? ""];
        if (type === undefined) return statusOf(415, "UnsupportedMediaType", "which patch?");
        return replyOf(store.patch(kind, { namespace, name }, sent, { part, type }));
      }
      case "DELETE": {
        const uid = sent?.preconditions?.uid;
        return replyOf(store.delete(kind, namespace, name, uid === undefined ? {} : { uid }));
      }
      default:
        return statusOf(405, "MethodNotAllowed", "the method is not served");
    }
  }

  #list(target: Target, query: URLSearchParams): Reply {
    const [id = "", from = "0"] = (query.get("continue") ?? "").split(":");
    const key = id === "" ? `list${this.asked.length}` : id;
    if (id === "") {
      const listed = this.#options.store.list(target.kind, selectionOf(target, query));
      if (!listed.ok) return replyOf(listed);
      this.#lists.set(key, listed.value);
    }
    const list = this.#lists.get(key);
    if (list === undefined) return statusOf(410, "Expired", "the continue parameter is too old");
    const end = Number(from) + Number(query.get("limit") ?? Number.POSITIVE_INFINITY);
    const metadata = {
      resourceVersion: list.resourceVersion,
      ...(end < list.items.length ? { continue: `${key}:${end}` } : {}),
    };
    // As an API server does, items come without their type and with their managers.
    const items = list.items
      .slice(Number(from), end)
      .map(({ apiVersion: _, kind: __, ...item }) => ({
        ...item,
        metadata: { ...item.metadata, managedFields: [{ manager: "somebody" }] },
      }));
    return { status: 200, body: { kind: "List", metadata, items } };
  }

  #watch(target: Target, query: URLSearchParams, response: ServerResponse): Reply | undefined {
    const selection = selectionOf(target, query);
    const past: string[] = [];
    let send = (line: string) => void past.push(line);
    const version = Number(query.get("resourceVersion"));
    const watched = this.#options.store.watch(target.kind, version, (change) => {
      const event = eventOf(change, selection);
      if (event !== undefined) send(`${JSON.stringify(event)}\n`);
    });
    if (!watched.ok) return replyOf(watched);
    response.writeHead(200, { "content-type": "application/json" });
    for (const line of past) response.write(line);
    send = (line) => void response.write(line);
    response.flushHeaders();
    this.#watches.add(response);
    response.on("close", () => {
      this.#watches.delete(response);
      watched.value();
    });
    return undefined;
  }
}

function targetOf(pathname: string, kinds: readonly ServedKind[]): Target | undefined {
  const found =
    /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+)(\/status)?)?$/.exec(
      pathname,
    );
  if (found === null) return undefined;
  const [, core, group, namespace, plural, name, status] = found;
  const kind = kinds.find((one) => one.plural === plural && one.apiVersion === (core ?? group));
  if (kind === undefined) return undefined;
  const decoded = name === undefined ? undefined : decodeURIComponent(name);
  return { kind, namespace, name: decoded, part: status === undefined ? "object" : "status" };
}

function selectionOf({ namespace }: Target, query: URLSearchParams): Selection {
  const labelSelector = query.get("labelSelector");
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === null ? {} : { labelSelector }),
  };
}

/** A change as it looks to somebody who sees only a selection. */
function eventOf({ type, object, before }: Change, selection: Selection): object | undefined {
  const is = type !== "DELETED" && isSelected(object, selection);
  const was = before !== undefined && isSelected(before, selection);
  if (is) return { type: was ? "MODIFIED" : "ADDED", object };
  return was ? { type: "DELETED", object } : undefined;
}

const CODES: Readonly<Partial<Record<Problem["reason"], number>>> = {
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Invalid: 422,
  Forbidden: 403,
  Gone: 410,
};

const PATCHES: Readonly<Record<string, PatchType>> = {
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
};

function replyOf(result: Answer<unknown>, status = 200): Reply {
  if (result.ok) return { status, body: (result.value ?? { kind: "Status" }) as object };
  const { reason, message } = result.problem;
  const details = reason === "NotFound" ? { name: "the one" } : {};
  return statusOf(CODES[reason] ?? 500, reason, message, details);
}

/** Answers with a body, JSON unless it is text. */
export function reply(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/plain" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers }).end(text);
}
