import { formatModelName, type ModelName, parseModelName } from "../../api/model-name.ts";
import { field, isRecord, listField, stringField } from "../../kube/object.ts";
import type { Clock } from "./clock.ts";
import type {
  CallFailure,
  CallLimits,
  DecideOutcome,
  Engine,
  EngineServer,
  InspectOutcome,
  LoadedModel,
  Question,
  WarmOutcome,
} from "./engine.ts";
import type { HttpOutcome, HttpSender } from "./http.ts";
import { fetchManifest } from "./registry.ts";
import { retryAfter } from "./retry-after.ts";

/** What Ollaya's client needs from its surroundings. */
export interface OllayaOptions {
  /** The origin of the registry that names without a host mean, `https://ollaya.dev` by default. */
  readonly registry: string;
  /** For servers: pods, which no proxy reaches. */
  readonly serverHttp: HttpSender;
  /** For registries. */
  readonly registryHttp: HttpSender;
  readonly clock: Clock;
  /** From 0 to below 1: spreads retries. */
  readonly random: () => number;
}

const INSPECT_MILLISECONDS = 5_000;
const DECIDE_MILLISECONDS = 30_000;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;

type Response = Extract<HttpOutcome, { state: "response" }>;

/** Ollaya, https://ollaya.dev, as servers of the versions 0.7.3 to 0.12.0 speak. */
export function createOllaya(options: OllayaOptions): Engine {
  const { serverHttp, registryHttp, clock } = options;
  const registry = new URL(options.registry);
  const nameOf = (model: ModelName) => formatModelName(model, registry.host);
  return {
    name: "ollaya",
    serve: { port: 11435, livenessPath: "/", decidePath: "/v1/systemone" },

    prefetch: (name) => ({
      command: ["ollaya", "pull", nameOf(name)],
      manifestPath: `manifests/${name.host.replace(":", "_")}/${name.namespace}/${name.model}/${name.tag}`,
    }),

    async resolve({ host, namespace, model, tag }, limits) {
      const base = host === registry.host ? registry.origin : `https://${host}`;
      const url = new URL(`/v2/${namespace}/${model}/manifests/${tag}`, base);
      return fetchManifest(registryHttp, clock, url, limits);
    },

    async warm(server, model, limits) {
      const body = JSON.stringify({ model: nameOf(model), keep_alive: -1 });
      // A load takes as long as it takes: its one bound is the caller's.
      const attempt = { ...limits, path: "/api/decide", body };
      return readWarm(server, await ask(options, server, attempt, limits.milliseconds));
    },

    async inspect({ origin, apiKey }, limits) {
      const outcome = await serverHttp.send({
        method: "GET",
        url: new URL("/api/ps", origin),
        headers: authorization(apiKey),
        milliseconds: Math.min(limits.milliseconds, INSPECT_MILLISECONDS),
        signal: limits.signal,
      });
      return readInspect(origin, settled(origin, outcome), registry.host);
    },

    async decide(server, question, limits) {
      const attempt = { ...limits, path: "/v1/systemone", body: bodyOf(question, nameOf) };
      return readDecide(server, await ask(options, server, attempt, DECIDE_MILLISECONDS));
    },
  };
}

/** The texts of a case go into the body as they are: read and written again they could change. */
function bodyOf({ model, state, questions }: Question, nameOf: (model: ModelName) => string) {
  const members = [
    `"model":${JSON.stringify(nameOf(model))}`,
    ...(state === undefined ? [] : [`"state":${state}`]),
    ...(questions === undefined ? [] : [`"questions":${questions}`]),
  ];
  return `{${members.join(",")}}`;
}

interface Attempt extends CallLimits {
  readonly path: string;
  readonly body: string;
}

/** Posts a body until the server's queue takes it; the answer is of any other status. */
async function ask(
  { serverHttp, clock, random }: OllayaOptions,
  { origin, apiKey }: EngineServer,
  { path, body, milliseconds, signal }: Attempt,
  attemptMilliseconds: number,
): Promise<Response | CallFailure> {
  const deadline = clock.now() + milliseconds;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    const outcome = await serverHttp.send({
      method: "POST",
      url: new URL(path, origin),
      headers: authorization(apiKey),
      body,
      milliseconds: Math.max(1, Math.min(attemptMilliseconds, deadline - clock.now())),
      signal,
    });
    const response = settled(origin, outcome);
    if (!isQueueFull(response)) return response;
    const wait = retryAfter(response.headers["retry-after"], clock.now()) + pause * random();
    if (signal.aborted || clock.now() + wait >= deadline) {
      return transient(origin, "its queue stayed full (HTTP 503 QUEUE_FULL)");
    }
    await clock.after(wait, signal);
  }
}

function isQueueFull(response: Response | CallFailure): response is Response {
  return "status" in response && response.status === 503 && codeOf(response) === "QUEUE_FULL";
}

function settled(origin: string, outcome: HttpOutcome): Response | CallFailure {
  switch (outcome.state) {
    case "failed":
      return transient(origin, outcome.problem);
    case "too large":
      return refused(origin, "the answer has more than 1 MiB: ask fewer questions at once");
    default:
      return outcome;
  }
}

function readWarm({ origin }: EngineServer, response: Response | CallFailure): WarmOutcome {
  if (!("status" in response)) return response;
  if (response.status !== 200) return failure(origin, response);
  return field(parse(response), "done_reason") === "load"
    ? { state: "warm" }
    : refused(origin, 'it did not say done_reason "load": is this an Ollaya server?');
}

function readDecide({ origin }: EngineServer, response: Response | CallFailure): DecideOutcome {
  if (!("status" in response)) return response;
  const { status } = response;
  // What the case itself brings about; the others are about the caller, the moment or the server.
  if (status >= 400 && status < 500 && ![401, 403, 408, 409, 429].includes(status)) {
    return { state: "rejected", status, code: codeOf(response) };
  }
  if (status !== 200) return failure(origin, response);
  const answers = field(parse(response), "answers");
  return isRecord(answers)
    ? { state: "answered", answers }
    : refused(origin, "it gave no answers: is this an Ollaya server?");
}

function readInspect(
  origin: string,
  response: Response | CallFailure,
  defaultHost: string,
): InspectOutcome {
  if (!("status" in response)) return response;
  if (response.status !== 200) return failure(origin, response);
  const body = parse(response);
  if (!Array.isArray(field(body, "models"))) {
    return refused(origin, "/api/ps has no list of models: is this an Ollaya server?");
  }
  const loaded: LoadedModel[] = [];
  for (const [index, item] of listField(body, "models").entries()) {
    const model = readLoaded(item, defaultHost);
    if (typeof model === "string") return refused(origin, `/api/ps models[${index}].${model}`);
    loaded.push(model);
  }
  return { state: "inspected", loaded };
}

/** An entry, or which of its fields is wrong and how. */
function readLoaded(item: unknown, defaultHost: string): LoadedModel | string {
  const parsed = parseModelName(stringField(item, "name") ?? "", defaultHost);
  if (!parsed.ok) return "name is no name of a model with a tag";
  const digest = /^(?:sha256:)?([0-9a-f]{64})$/.exec(stringField(item, "digest") ?? "")?.[1];
  if (digest === undefined) return "digest is not 64 hexadecimal digits";
  const device = stringField(item, "device");
  if (device === undefined) return "device is no text";
  return {
    model: formatModelName(parsed.name, defaultHost),
    digest,
    device,
    pinned: field(item, "expires_at") === null,
    precision: stringField(item, "details", "quantization_level"),
  };
}

/** What a status other than 200 means where the request was ours and not a user's. */
function failure(origin: string, response: Response): CallFailure {
  const { status } = response;
  const code = codeOf(response);
  const shown = `HTTP ${status}${code === "" ? "" : ` ${code}`}`;
  if (status >= 300 && status < 400) {
    return refused(origin, `${shown}: it redirects, and only the server itself may answer`);
  }
  if (status === 401 || status === 403) {
    return refused(origin, `${shown}: check the key that spec.auth.apiKeySecretRef names`);
  }
  if (status === 404) return refused(origin, `${shown}: the model is not in its store`);
  if ([408, 409, 429].includes(status) || (status >= 500 && status !== 501)) {
    return transient(origin, shown);
  }
  return refused(origin, `${shown}: look at the log of its pod`);
}

/** The engine's code of an error; nothing else of a body is ever shown, since it may quote secrets. */
function codeOf(response: Response): string {
  const code = stringField(parse(response), "code") ?? "";
  return /^[A-Z_]{1,40}$/.test(code) ? code : "";
}

function parse({ body }: Response): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

function authorization(apiKey: string | undefined): Readonly<Record<string, string>> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}

const transient = (origin: string, problem: string) =>
  ({ state: "transient", message: `${origin}: ${problem}` }) as const;
const refused = (origin: string, problem: string) =>
  ({ state: "refused", message: `${origin}: ${problem}` }) as const;
