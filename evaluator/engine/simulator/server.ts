import {
  type Answer,
  empty,
  isRefusal,
  json,
  type Refusal,
  refusalAnswer,
  type SimulatedRequest,
} from "./answer.ts";
import { addFault, clearFaults, listFaults } from "./control.ts";
import { decide } from "./decide.ts";
import { Faults } from "./faults.ts";
import {
  checkKey,
  checkSource,
  crossOrigin,
  isPreflight,
  PREFLIGHT_HEADERS,
  readBody,
} from "./gatekeeping.ts";
import { manifest } from "./manifest.ts";
import { showReference } from "./model-reference.ts";
import { copy, create, ps, pull, remove, show, tags, typeSafeModels } from "./models.ts";
import { createPreset, deletePreset, listPresets, showPreset } from "./presets.ts";
import { Residency } from "./residency.ts";
import { type Call, faulted, type Life, type ServerSettings, type ServerState } from "./state.ts";

/** The version of Ollaya that is simulated. */
export const SIMULATED_VERSION = "0.12.0";

type Handle = (server: ServerState, call: Call) => Outcome | Promise<Outcome>;
type Outcome = Answer | Refusal;

/** Paths and their methods; GET stands for HEAD too. */
const ROUTES: Readonly<Record<string, Readonly<Record<string, Handle>>>> = {
  "/": { GET: liveness },
  "/api/version": { GET: () => json(200, { version: SIMULATED_VERSION }) },
  "/api/decide": { POST: (server, call) => decide(server, call, true) },
  "/v1/systemone": { POST: (server, call) => decide(server, call, false) },
  "/v1/decisions": { POST: (server, call) => decide(server, call, false) },
  "/v1/models": { GET: typeSafeModels },
  "/api/tags": { GET: tags },
  "/api/show": { POST: show },
  "/api/ps": { GET: ps },
  "/api/pull": { POST: pull },
  "/api/create": { POST: create },
  "/api/copy": { POST: copy },
  "/api/delete": { DELETE: remove },
  "/api/presets": { GET: listPresets },
  "/api/presets/show": { POST: showPreset },
  "/api/presets/create": { POST: createPreset },
  "/api/presets/delete": { DELETE: deletePreset },
  "/api/push": { POST: notImplemented },
};

const CONTROL = "/simulator/";
const REGISTRY = "/v2/";
const DECISIONS = ["/api/decide", "/v1/systemone", "/v1/decisions"];
const OF_OTHER_SERVERS = /^\/api\/(generate|chat|embed|embeddings)$/;

/**
 * A simulated Ollaya server: requests in, answers out, sockets elsewhere. What it loads and how long
 * that takes goes by the clock it is given; it throws for nothing that a request holds.
 */
export class SimulatedServer {
  readonly faults: Faults;
  readonly #settings: ServerSettings;
  readonly #store: ServerState["store"];
  readonly #presets: ServerState["presets"] = new Map();
  #ended = new AbortController();
  #life: Life;

  constructor(settings: ServerSettings, faults = new Faults()) {
    this.#settings = settings;
    this.faults = faults;
    const modifiedAt = settings.clock.now();
    this.#store = new Map(
      settings.stored.map((model) => [showReference(model.name), { model, modifiedAt }]),
    );
    this.#life = this.#begin();
  }

  /** The process ends and another one begins: its store stays, what was loaded and asked does not. */
  restart(): void {
    this.#ended.abort();
    this.#ended = new AbortController();
    this.#life = this.#begin();
  }

  /** Answers a request; `undefined` where the process ends before it has. */
  async handle(request: SimulatedRequest): Promise<Answer | undefined> {
    const { signal: ended } = this.#ended;
    const life = this.#life;
    const { clock, controllable } = this.#settings;
    const path = request.target.split("?")[0] ?? "";
    const met = controllable && path.startsWith(CONTROL) ? {} : this.faults.meet(path);
    if (met.slow !== undefined) await clock.after(met.slow.milliseconds, ended);
    if (ended.aborted) return undefined;
    const outcome = await this.#answer(
      request,
      { path, faults: met, signal: request.signal },
      life,
    );
    if (ended.aborted) return undefined;
    if (met.restart !== undefined) {
      this.restart();
      return undefined;
    }
    const { status, headers, body } = isRefusal(outcome) ? refusalAnswer(outcome) : outcome;
    return {
      status,
      headers: { ...headers, ...this.#identity(request, path), ...crossOrigin(request.headers) },
      body,
      cut: met.cut !== undefined,
    };
  }

  #begin(): Life {
    const { clock, mostLoaded } = this.#settings;
    const loaded = new Residency({ clock, ended: this.#ended.signal, mostLoaded });
    return { loaded, inFlight: 0 };
  }

  /** The checks that all requests go through, in upstream's order. */
  #answer(
    request: SimulatedRequest,
    asked: Omit<Call, "body">,
    life: Life,
  ): Outcome | Promise<Outcome> {
    const settings = this.#settings;
    const { path } = asked;
    const { method, headers } = request;
    const stranger = checkSource(headers, settings);
    if (stranger !== undefined) return stranger;
    if (isPreflight(request)) return empty(204, PREFLIGHT_HEADERS);
    // A registry is another server, without keys; here it has the same address.
    const isOpen = (path === "/" && ["GET", "HEAD"].includes(method)) || path.startsWith(REGISTRY);
    const keyless = isOpen ? undefined : checkKey(headers, settings);
    if (keyless !== undefined) return keyless;
    const handle = this.#route(method, path);
    if (typeof handle !== "function") return handle;
    const hasBody = method === "POST" || (method === "DELETE" && !path.startsWith(CONTROL));
    const read = hasBody ? readBody(request.body, settings) : { body: {} };
    if (isRefusal(read)) return read;
    const call = { ...asked, ...read };
    // Decisions have a place of their own for it: behind their validation, where the queue is.
    const faulty = DECISIONS.includes(path) ? undefined : faulted(call);
    if (faulty !== undefined) return faulty;
    return handle({ settings, store: this.#store, presets: this.#presets, life }, call);
  }

  #route(method: string, path: string): Handle | Refusal {
    const methods = this.#methods(path);
    if (methods === undefined) return notFound(path);
    const handle = methods[method] ?? (method === "HEAD" ? methods.GET : undefined);
    if (handle !== undefined) return handle;
    const allowed = Object.keys(methods).flatMap((name) =>
      name === "GET" ? ["GET", "HEAD"] : [name],
    );
    const error = `${method} is not allowed for ${path}`;
    const headers = { Allow: allowed.join(", ") };
    return { status: 405, code: "METHOD_NOT_ALLOWED", error, headers };
  }

  #methods(path: string): Readonly<Record<string, Handle>> | undefined {
    if (Object.hasOwn(ROUTES, path)) return ROUTES[path];
    if (path.startsWith(REGISTRY)) return { GET: manifest };
    if (path.startsWith("/api/blobs/")) return { HEAD: notImplemented, POST: notImplemented };
    if (path !== `${CONTROL}faults` || !this.#settings.controllable) return undefined;
    return {
      GET: () => listFaults(this.faults),
      POST: (_, call) => addFault(this.faults, call),
      DELETE: () => clearFaults(this.faults),
    };
  }

  #identity({ headers }: SimulatedRequest, path: string): Readonly<Record<string, string>> {
    const given = headers["x-request-id"] ?? "";
    const id = /^[A-Za-z0-9._-]{1,128}$/.test(given)
      ? given
      : `req_${this.#settings.random().toString(36).slice(2)}`;
    return {
      "X-Request-Id": id,
      ...(path.startsWith("/v1/") ? { "x-typesafe-request-id": id } : {}),
    };
  }
}

function notFound(path: string): Refusal {
  const error = OF_OTHER_SERVERS.test(path)
    ? `${path} is not served: Ollaya decides, see POST /api/decide`
    : `${path} not found`;
  return { status: 404, code: "NOT_FOUND", error };
}

function notImplemented(_: ServerState, { path }: Call): Refusal {
  return { status: 501, code: "NOT_IMPLEMENTED", error: `${path} is not implemented` };
}

function liveness(): Answer {
  const headers = { "content-type": "text/plain; charset=utf-8" };
  return { status: 200, headers, body: "Ollaya is running" };
}
