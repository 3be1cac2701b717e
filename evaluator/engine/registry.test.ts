import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { JumpingClock } from "../../test/support/engine-clock.ts";
import { simulatedServer } from "../../test/support/simulated-server.ts";
import { Sockets } from "../../test/support/sockets.ts";
import { HttpClient, MOST_BODY_BYTES } from "./http.ts";
import { fetchManifest } from "./registry.ts";
import type { Fault } from "./simulator/faults.ts";
import type { SimulatedServer } from "./simulator/server.ts";

const PATH = "/v2/library/laya/manifests/en";
const sockets = new Sockets();
let http: HttpClient;
let clock: JumpingClock;
let server: SimulatedServer;

beforeEach(() => {
  http = new HttpClient();
  clock = new JumpingClock();
  server = simulatedServer(new JumpingClock());
});
afterEach(async () => {
  http.close();
  await sockets.close();
});

function resolve(origin: string, milliseconds = 60_000, path = PATH) {
  const signal = new AbortController().signal;
  return fetchManifest(http, clock, new URL(path, origin), { milliseconds, signal });
}

/** What a simulated registry comes to, its origin left out of the message. */
async function met(...faults: readonly Fault[]) {
  for (const fault of faults) server.faults.add(fault);
  const origin = await sockets.simulate(server);
  const outcome = await resolve(origin);
  return "message" in outcome
    ? { ...outcome, message: outcome.message.replace(`${origin}${PATH}: `, "") }
    : outcome;
}

const failing = (status: number, times?: number, headers?: Record<string, string>): Fault => ({
  fault: "error",
  status,
  code: "",
  ...(times === undefined ? {} : { times }),
  ...(headers === undefined ? {} : { headers }),
});

test("a digest is the SHA-256 of the bytes", async () => {
  const outcome = await met();
  if (outcome.state !== "resolved") throw new Error(outcome.message);
  expect(outcome.digest).toBe(createHash("sha256").update(outcome.manifest).digest("hex"));
  expect(JSON.parse(Buffer.from(outcome.manifest).toString()).schemaVersion).toBe(2);
  expect(clock.waits).toEqual([]);
});

test("a tag that was moved has another digest", async () => {
  const origin = await sockets.simulate(server);
  const before = await resolve(origin);
  server.faults.add({ fault: "wrong-digest" });
  const after = await resolve(origin);
  expect([before.state, after.state]).toEqual(["resolved", "resolved"]);
  expect(after).not.toEqual(before);
});

describe("what may pass is tried three times", () => {
  test.each<[string, readonly Fault[], string, readonly number[]]>([
    ["500 twice", [failing(500, 2)], "resolved", [100, 400]],
    ["500 always", [failing(500)], "transient", [100, 400]],
    ["429 once", [failing(429, 1)], "resolved", [100]],
    ["a cut answer", [{ fault: "cut", times: 1 }], "resolved", [100]],
    ["a server that ends", [{ fault: "restart", times: 1 }], "resolved", [100]],
    ["asked to wait", [failing(503, 1, { "Retry-After": "7" })], "resolved", [7000]],
    ["asked for less than the pause", [failing(503, 1, { "Retry-After": "0" })], "resolved", [100]],
    ["30 s is waited", [failing(503, 1, { "Retry-After": "30" })], "resolved", [30_000]],
    ["31 s is not", [failing(503, 1, { "Retry-After": "31" })], "transient", []],
    [
      "a date",
      [failing(429, 1, { "Retry-After": "Tue, 01 Dec 2026 00:00:05 GMT" })],
      "resolved",
      [5000],
    ],
    ["no date", [failing(429, 1, { "Retry-After": "soon" })], "resolved", [100]],
    ["404", [failing(404)], "absent", []],
    ["400", [failing(400)], "refused", []],
  ])("%s: %#", async (_, faults, state, waits) => {
    expect((await met(...faults)).state).toBe(state);
    expect(clock.waits).toEqual(waits);
  });

  test("but not where the time that is left is shorter than the wait", async () => {
    server.faults.add(failing(503, 1, { "Retry-After": "7" }));
    const outcome = await resolve(await sockets.simulate(server), 7000);
    expect(outcome.state).toBe("transient");
    expect((await resolve("http://127.0.0.1:1", 0)).state).toBe("transient");
  });
});

describe("messages", () => {
  test.each<[readonly Fault[], string, string]>([
    [[failing(404)], "absent", "the registry has no such model or tag: check spec.model"],
    [[failing(500)], "transient", "HTTP 500"],
    [
      [failing(401)],
      "refused",
      "HTTP 401: the registry wants credentials, which models can't have",
    ],
    [[failing(418)], "refused", "HTTP 418: is this a registry of models?"],
    [[failing(302)], "refused", "it redirects to no URL"],
    [[{ fault: "cut" }], "transient", "the answer was cut off"],
  ])("%j", async (faults, state, message) => {
    expect(await met(...faults)).toEqual({ state, message });
  });

  test.each<[string, string]>([
    ["", "it is no manifest with schemaVersion 2: is this a registry of models?"],
    ["[2]", "it is no manifest with schemaVersion 2: is this a registry of models?"],
    [
      '{"schemaVersion":1}',
      "it is no manifest with schemaVersion 2: is this a registry of models?",
    ],
    [`{"schemaVersion":2}`.padEnd(MOST_BODY_BYTES + 1), "the manifest is larger than 1 MiB"],
  ])("about a body that begins with %.20j", async (body, message) => {
    const origin = await sockets.serve((_, response) => response.end(body));
    expect(await resolve(origin)).toEqual({
      state: "refused",
      message: `${origin}${PATH}: ${message}`,
    });
  });

  test("79: a manifest of exactly 1 MiB is one", async () => {
    const body = '{"schemaVersion":2}'.padEnd(MOST_BODY_BYTES);
    const origin = await sockets.serve((_, response) => response.end(body));
    expect((await resolve(origin)).state).toBe("resolved");
  });
});

describe("redirects", () => {
  /** A registry that redirects so often before it answers; what else it is asked for is kept. */
  async function redirecting(times: number, location: (origin: string, left: number) => string) {
    const asked: string[] = [];
    const origin: string = await sockets.serve(({ url = "" }, response) => {
      asked.push(url);
      const left = times + 1 - asked.length;
      if (left > 0) response.writeHead(307, { location: location(origin, left) }).end();
      else response.end('{"schemaVersion":2}');
    });
    return { origin, asked };
  }

  test.each<[number, string]>([
    [1, "resolved"],
    [10, "resolved"],
    [11, "refused"],
  ])("%i within the origin: %s", async (times, state) => {
    const { origin } = await redirecting(times, (_, left) => `/v2/${left}`);
    expect((await resolve(origin)).state).toBe(state);
  });

  test.each<[string, (origin: string) => string]>([
    ["port", () => "http://127.0.0.1:1/v2/"],
    ["scheme", (origin) => origin.replace("http:", "https:")],
    ["host", (origin) => origin.replace("127.0.0.1", "localhost")],
    ["user", (origin) => origin.replace("127.0.0.1", "user:word@127.0.0.1")],
  ])("to another %s are not followed", async (_, location) => {
    const { origin, asked } = await redirecting(1, location);
    expect(await resolve(origin)).toEqual({
      state: "refused",
      message: `${origin}${PATH}: it redirects to another origin: name that registry in spec.model`,
    });
    expect(asked).toEqual([PATH]);
  });

  test("nor is the realm of a challenge asked for a token", async () => {
    const asked: string[] = [];
    const realm = await sockets.serve(({ url = "" }, response) => {
      asked.push(url);
      response.end('{"token":"t"}');
    });
    const challenge = { "WWW-Authenticate": `Bearer realm="${realm}/token",service="x"` };
    expect((await met(failing(401, undefined, challenge))).state).toBe("refused");
    expect(asked).toEqual([]);
  });
});
