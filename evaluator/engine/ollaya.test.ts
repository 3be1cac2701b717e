import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ModelName, parseModelName } from "../../api/model-name.ts";
import { JumpingClock } from "../../test/support/engine-clock.ts";
import { simulatedServer } from "../../test/support/simulated-server.ts";
import { Sockets } from "../../test/support/sockets.ts";
import { systemClock } from "./clock.ts";
import type { CallLimits, Engine, Question } from "./engine.ts";
import { HttpClient, MOST_BODY_BYTES } from "./http.ts";
import { createOllaya } from "./ollaya.ts";
import { catalog } from "./simulator/catalog.ts";
import type { Fault } from "./simulator/faults.ts";
import type { SimulatedServer } from "./simulator/server.ts";

const KEY = "correct-horse-battery-staple";
const HOST = "ollaya.dev";
const sockets = new Sockets();
let http: HttpClient;
let clock: JumpingClock;
let simulated: SimulatedServer;
let engine: Engine;

beforeEach(() => {
  http = new HttpClient();
  clock = new JumpingClock();
  // Models that load and decide in no time, so that nothing here waits.
  const stored = catalog.map((model) => ({ ...model, loadMilliseconds: 0, decideMilliseconds: 0 }));
  simulated = simulatedServer(systemClock, { apiKey: KEY, stored });
  engine = createOllaya({
    registry: `https://${HOST}`,
    serverHttp: http,
    registryHttp: http,
    clock,
    random: () => 0.5,
  });
});
afterEach(async () => {
  http.close();
  await sockets.close();
});

function named(text: string): ModelName {
  const parsed = parseModelName(text, HOST);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.name;
}

const laya = named("laya:en");
const question: Question = {
  model: laya,
  state: '"two charges"',
  questions: '{"route":{"type":"choice","criteria":["billing","tech"]}}',
};
const limits: CallLimits = { milliseconds: 60_000, signal: new AbortController().signal };

const calls = {
  warm: (origin: string, apiKey?: string, within = limits) =>
    engine.warm({ origin, apiKey }, laya, within),
  inspect: (origin: string, apiKey?: string, within = limits) =>
    engine.inspect({ origin, apiKey }, within),
  decide: (origin: string, apiKey?: string, within = limits) =>
    engine.decide({ origin, apiKey }, question, within),
};
type CallName = keyof typeof calls;
const everyCall = Object.keys(calls) as CallName[];

/** What a call to the simulated server comes to, its origin left out of the message. */
async function met(call: CallName, faults: readonly Fault[] = [], key: string | undefined = KEY) {
  for (const fault of faults) simulated.faults.add(fault);
  return shown(await sockets.simulate(simulated), (origin) => calls[call](origin, key));
}

/** An outcome without its server's origin; no outcome holds the key or any part of it. */
async function shown(
  origin: string,
  call: (origin: string) => Promise<{ readonly state: string; readonly message?: string }>,
) {
  const outcome = await call(origin);
  for (const word of KEY.split("-")) expect(JSON.stringify(outcome)).not.toContain(word);
  const { message } = outcome;
  if (message === undefined) return outcome;
  expect(message.startsWith(`${origin}: `)).toBe(true);
  return { ...outcome, message: message.slice(origin.length + 2) };
}

const failing = (status: number, code = "", more: Partial<Fault> = {}): Fault =>
  ({ fault: "error", status, code, ...more }) as Fault;

describe("a server", () => {
  test("is warmed, then reports the model loaded and pinned, and answers", async () => {
    const origin = await sockets.simulate(simulated);
    expect(await calls.inspect(origin, KEY)).toEqual({ state: "inspected", loaded: [] });
    expect(await calls.warm(origin, KEY)).toEqual({ state: "warm" });
    const digest = catalog[0]?.digest;
    const entry = { model: "laya:en", digest, device: "cpu", pinned: true, precision: "F32" };
    expect(await calls.inspect(origin, KEY)).toEqual({ state: "inspected", loaded: [entry] });
    expect(await calls.decide(origin, KEY)).toMatchObject({
      state: "answered",
      answers: { route: { type: "choice", choice: "billing" } },
    });
    // The case went where no keep_alive counts, which takes the pin away.
    expect(await calls.inspect(origin, KEY)).toMatchObject({ loaded: [{ pinned: false }] });
  });

  test("gets a case as it is written, and nothing that it lacks", async () => {
    const bodies: string[] = [];
    const origin = await sockets.serve(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      bodies.push(body);
      response.end('{"answers":{}}');
    });
    const server = { origin, apiKey: undefined };
    const odd = {
      model: named("example.org/team/m:1"),
      state: '{"2":1.0, "1":12345678901234567890}',
    };
    await engine.decide(server, { ...odd, questions: undefined }, limits);
    await engine.decide(server, { ...question, state: undefined }, limits);
    expect(bodies).toEqual([
      '{"model":"example.org/team/m:1","state":{"2":1.0, "1":12345678901234567890}}',
      `{"model":"laya:en","questions":${question.questions}}`,
    ]);
  });

  test("is told no key where there is none", async () => {
    const keys: (string | undefined)[] = [];
    const origin = await sockets.serve(({ headers }, response) => {
      keys.push(headers.authorization);
      response.end('{"models":[]}');
    });
    await calls.inspect(origin);
    await calls.inspect(origin, KEY);
    expect(keys).toEqual([undefined, `Bearer ${KEY}`]);
  });
});

describe("faults that another attempt may mend", () => {
  test.each<[string, readonly Fault[], string]>([
    ["a fault of the server", [failing(500, "INTERNAL")], "HTTP 500 INTERNAL"],
    ["a gateway's", [failing(502, "not a code")], "HTTP 502"],
    ["another 503", [failing(503, "STARTING")], "HTTP 503 STARTING"],
    ["too many requests", [failing(429)], "HTTP 429"],
    [
      "an operation under way",
      [failing(409, "OPERATION_IN_PROGRESS")],
      "HTTP 409 OPERATION_IN_PROGRESS",
    ],
    ["a cut answer", [{ fault: "cut" }], "the answer was cut off"],
    ["a server that ends", [{ fault: "restart" }], "ECONNRESET"],
  ])("%s: %#", async (_, faults, message) => {
    for (const call of everyCall) {
      expect(await met(call, faults)).toEqual({ state: "transient", message });
    }
    expect(clock.waits).toEqual([]);
  });

  test("a model that does not load", async () => {
    const message = "HTTP 500 MODEL_LOAD_FAILED";
    expect(await met("warm", [failing(500, "MODEL_LOAD_FAILED")])).toEqual({
      state: "transient",
      message,
    });
  });

  test.each(everyCall)("%s: a server that is too slow, or not there", async (call) => {
    simulated.faults.add({ fault: "slow", milliseconds: 60_000 });
    const origin = await sockets.simulate(simulated);
    const slow = await shown(origin, (at) => calls[call](at, KEY, { ...limits, milliseconds: 50 }));
    expect(slow).toEqual({ state: "transient", message: "no complete answer in time" });
    await sockets.close();
    const gone = await shown(origin, (at) => calls[call](at, KEY));
    expect(gone).toEqual({ state: "transient", message: "ECONNREFUSED" });
  });

  test.each(everyCall)("%s: nobody wants it any more", async (call) => {
    const controller = new AbortController();
    const origin = await sockets.serve(() => controller.abort());
    const within = { ...limits, signal: controller.signal };
    expect(await shown(origin, (at) => calls[call](at, KEY, within))).toEqual({
      state: "transient",
      message: "cancelled",
    });
  });
});

describe("faults that somebody must mend", () => {
  test.each<[string, readonly Fault[], string]>([
    [
      "a redirect",
      [failing(307, "", { headers: { Location: "/elsewhere" } } as Partial<Fault>)],
      "HTTP 307: it redirects, and only the server itself may answer",
    ],
    [
      "no access",
      [failing(403, "FORBIDDEN")],
      "HTTP 403 FORBIDDEN: check the key that spec.auth.apiKeySecretRef names",
    ],
    [
      "nothing of the kind",
      [failing(501, "UNSUPPORTED_MODEL")],
      "HTTP 501 UNSUPPORTED_MODEL: look at the log of its pod",
    ],
  ])("%s", async (_, faults, message) => {
    for (const call of everyCall) {
      expect(await met(call, faults)).toEqual({ state: "refused", message });
    }
  });

  test.each(everyCall)("%s: a missing, a wrong and an impossible key", async (call) => {
    const refused = {
      state: "refused",
      message: "HTTP 401 UNAUTHORIZED: check the key that spec.auth.apiKeySecretRef names",
    };
    const origin = await sockets.simulate(simulated);
    expect(await shown(origin, (at) => calls[call](at))).toEqual(refused);
    expect(await shown(origin, (at) => calls[call](at, `${KEY}x`))).toEqual(refused);
    const impossible = await shown(origin, (at) => calls[call](at, `${KEY}\n`));
    expect(impossible.state).toBe("transient");
  });

  test("a model that is not in the store", async () => {
    const origin = await sockets.simulate(simulated);
    const server = { origin, apiKey: KEY };
    expect(await shown(origin, () => engine.warm(server, named("laya:none"), limits))).toEqual({
      state: "refused",
      message: "HTTP 404 MODEL_NOT_FOUND: the model is not in its store",
    });
  });

  test.each<[CallName, string, string]>([
    ["warm", "no JSON", 'it did not say done_reason "load": is this an Ollaya server?'],
    [
      "warm",
      '{"done_reason":"unload"}',
      'it did not say done_reason "load": is this an Ollaya server?',
    ],
    ["decide", "[]", "it gave no answers: is this an Ollaya server?"],
    ["decide", '{"answers":[]}', "it gave no answers: is this an Ollaya server?"],
    ["inspect", "null", "/api/ps has no list of models: is this an Ollaya server?"],
    ["inspect", '{"models":{}}', "/api/ps has no list of models: is this an Ollaya server?"],
    ["inspect", '{"models":[1]}', "/api/ps models[0].name is no name of a model with a tag"],
    [
      "inspect",
      '{"models":[{"name":"m:1","digest":"abc"}]}',
      "/api/ps models[0].digest is not 64 hexadecimal digits",
    ],
    [
      "inspect",
      `{"models":[{"name":"m:1","digest":"${"0".repeat(64)}"}]}`,
      "/api/ps models[0].device is no text",
    ],
  ])("%s of a server that answers %j", async (call, body, message) => {
    const origin = await sockets.serve((_, response) => response.end(body));
    expect(await shown(origin, (at) => calls[call](at, KEY))).toEqual({
      state: "refused",
      message,
    });
  });
});

test("what a server has loaded is read as it may be written", async () => {
  const digest = "ab".repeat(32);
  const models = [
    {
      name: "laya:en",
      digest: `sha256:${digest}`,
      device: "cuda:1",
      expires_at: "2026-12-01T00:00:00Z",
    },
    {
      name: "ollaya.dev/library/nli:latest",
      digest,
      device: "metal",
      expires_at: null,
      details: {},
    },
    { name: "m:1", digest, device: "cpu" },
  ];
  const origin = await sockets.serve((_, response) => response.end(JSON.stringify({ models })));
  expect(await calls.inspect(origin)).toEqual({
    state: "inspected",
    loaded: [
      { model: "laya:en", digest, device: "cuda:1", pinned: false, precision: undefined },
      { model: "nli:latest", digest, device: "metal", pinned: true, precision: undefined },
      { model: "m:1", digest, device: "cpu", pinned: false, precision: undefined },
    ],
  });
});

describe("a case that is not acceptable", () => {
  test.each<[string, Partial<Question>, number, string]>([
    ["no question", { questions: "{}" }, 422, "INVALID_REQUEST"],
    ["no state", { state: undefined }, 422, "INVALID_REQUEST"],
    [
      "a state that is too long",
      { state: JSON.stringify("word ".repeat(513)) },
      422,
      "STATE_TRUNCATED",
    ],
    ["another model", { model: named("laya:none") }, 404, "MODEL_NOT_FOUND"],
    [
      "more than a body may have",
      { state: `"${"x".repeat(8_388_608)}"` },
      413,
      "REQUEST_TOO_LARGE",
    ],
  ])("%s", async (_, part, status, code) => {
    const origin = await sockets.simulate(simulated);
    const server = { origin, apiKey: KEY };
    expect(
      await shown(origin, () => engine.decide(server, { ...question, ...part }, limits)),
    ).toEqual({
      state: "rejected",
      status,
      code,
    });
  });

  test("is told by its status, whatever the body holds", async () => {
    const origin = await sockets.serve((_, response) => {
      response.writeHead(400).end(JSON.stringify({ code: `x ${KEY}`, error: KEY }));
    });
    expect(await shown(origin, (at) => calls.decide(at, KEY))).toEqual({
      state: "rejected",
      status: 400,
      code: "",
    });
  });
});

describe("an answer's length", () => {
  test.each<[number, string]>([
    [MOST_BODY_BYTES, "answered"],
    [MOST_BODY_BYTES + 1, "refused"],
  ])("%i bytes: %s", async (length, state) => {
    const origin = await sockets.serve((_, response) => {
      response.end('{"answers":{}}'.padEnd(length));
    });
    const outcome = await shown(origin, (at) => calls.decide(at, KEY));
    expect(outcome.state).toBe(state);
    if (state === "refused") {
      expect(outcome).toMatchObject({
        message: "the answer has more than 1 MiB: ask fewer questions at once",
      });
    }
  });
});

describe("a full queue", () => {
  const full = (times?: number, headers?: Record<string, string>) =>
    failing(503, "QUEUE_FULL", {
      ...(times === undefined ? {} : { times }),
      ...(headers === undefined ? {} : { headers }),
    } as Partial<Fault>);

  test.each<CallName>(["warm", "decide"])("%s is tried again, each time later", async (call) => {
    const outcome = await met(call, [full(3)]);
    expect(outcome.state).toBe(call === "warm" ? "warm" : "answered");
    // Retry-After, and half of a pause that doubles.
    expect(clock.waits).toEqual([1125, 1250, 1500]);
  });

  test("is waited for as long as it asks", async () => {
    await met("decide", [full(1, { "Retry-After": "20" })]);
    expect(clock.waits).toEqual([20_125]);
  });

  test("is waited for no longer than the call may last", async () => {
    const started = clock.now();
    expect(await met("decide", [full()])).toEqual({
      state: "transient",
      message: "its queue stayed full (HTTP 503 QUEUE_FULL)",
    });
    expect(clock.waits.length).toBeGreaterThan(5);
    expect(clock.now() - started).toBeLessThan(limits.milliseconds);
    expect(Math.max(...clock.waits)).toBe(6000);
  });

  test("that asks for more time than is left ends the call", async () => {
    expect((await met("decide", [full(1, { "Retry-After": "3600" })])).state).toBe("transient");
    expect(clock.waits).toEqual([]);
  });
});

describe("what the engine is", () => {
  test("to those who run servers of it", () => {
    expect([engine.name, engine.serve]).toEqual([
      "ollaya",
      { port: 11435, livenessPath: "/", decidePath: "/v1/systemone" },
    ]);
    expect(engine.prefetch(laya)).toEqual({
      command: ["ollaya", "pull", "laya:en"],
      manifestPath: "manifests/ollaya.dev/library/laya/en",
    });
    expect(engine.prefetch(named("localhost:5000/team/m:1"))).toEqual({
      command: ["ollaya", "pull", "localhost:5000/team/m:1"],
      manifestPath: "manifests/localhost_5000/team/m/1",
    });
  });

  test("to a registry that is the default one, or named", async () => {
    const origin = await sockets.simulate(simulated);
    const { host } = new URL(origin);
    const local = createOllaya({
      registry: origin,
      serverHttp: http,
      registryHttp: http,
      clock,
      random: () => 0,
    });
    expect((await local.resolve({ ...laya, host }, limits)).state).toBe("resolved");
    // By name a registry is asked over TLS, which this one does not speak.
    const other = await engine.resolve({ ...laya, host }, limits);
    expect(other.state).toBe("transient");
    expect("message" in other && other.message.startsWith(`https://${host}/v2/`)).toBe(true);
  });
});
