import type { Clock } from "../../evaluator/engine/clock.ts";
import { catalog, DEFAULT_HOST } from "../../evaluator/engine/simulator/catalog.ts";
import { firstOption } from "../../evaluator/engine/simulator/judge.ts";
import { showReference } from "../../evaluator/engine/simulator/model-reference.ts";
import { SimulatedServer } from "../../evaluator/engine/simulator/server.ts";
import { DEFAULT_SETTINGS, type ServerSettings } from "../../evaluator/engine/simulator/state.ts";

/** A simulated server with the whole catalog in its store and in its registry. */
export function simulatedServer(clock: Clock, settings: Partial<ServerSettings> = {}) {
  return new SimulatedServer({
    ...DEFAULT_SETTINGS,
    clock,
    random: () => 0.5,
    judge: firstOption,
    registry: (asked) => catalog.find(({ name }) => showReference(name) === showReference(asked)),
    registryHost: DEFAULT_HOST,
    stored: catalog,
    ...settings,
  });
}

/** What a test sends; a body that is no text or bytes is written as JSON. */
export interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a request, `METHOD PATH`, and reads the answer's body as JSON where it is some. */
export async function send(
  server: SimulatedServer,
  line: string,
  { body, headers = {}, signal = new AbortController().signal }: Sent = {},
) {
  const [method = "", target = ""] = line.split(" ");
  const text = typeof body === "string" ? body : JSON.stringify(body ?? {});
  const answer = await server.handle({
    method,
    target,
    headers: { host: "127.0.0.1:11435", ...headers },
    body: body instanceof Uint8Array ? body : new TextEncoder().encode(text),
    signal,
  });
  if (answer === undefined) return undefined;
  const isJson = answer.headers["content-type"] === "application/json";
  return { ...answer, json: isJson ? JSON.parse(answer.body) : undefined };
}
