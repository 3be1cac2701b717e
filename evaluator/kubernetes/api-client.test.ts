import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Instant } from "../../kube/instant.ts";
import type { KubeObject } from "../../kube/object.ts";
import { HttpApiServer, reply } from "../../test/support/api-server/http.ts";
import { passUntil, until } from "../../test/support/api-server/passing.ts";
import { statusOf } from "../../test/support/api-server.ts";
import { StandingClock } from "../../test/support/engine-clock.ts";
import { ApiStore } from "../simulation/api-store.ts";
import { BUILT_IN, kindOf } from "../simulation/kinds.ts";
import { ApiClient } from "./api-client.ts";
import type { Answer, ResourceKind, WatchEvent } from "./client.ts";
import { openConnection } from "./connection.ts";

const TOKEN = "eyJhbGciOiJub25lIn0.token-of-the-test.0123456789";
const CONFIG_MAP = kindOf("ConfigMap") as ResourceKind;
const POD = kindOf("Pod") as ResourceKind;

let store: ApiStore;
let server: HttpApiServer;
let client: ApiClient;
let clock: StandingClock;
let stop: AbortController;
let folder: string;
let token: string;
let meet: (before: number) => RequestListener | undefined;
/** Everything that the client said of failures. */
let said: string[];

beforeEach(async () => {
  token = TOKEN;
  meet = () => undefined;
  said = [];
  clock = new StandingClock();
  stop = new AbortController();
  store = new ApiStore({ kinds: BUILT_IN, definitions: new Map(), now: () => 0 as Instant });
  server = new HttpApiServer({
    store,
    kinds: BUILT_IN,
    token: () => token,
    meet: (_, before) => meet(before),
  });
  await server.listen();
  folder = mkdtempSync(join(tmpdir(), "sluice-api-client-"));
  client = await connect();
});
afterEach(async () => {
  stop.abort();
  await server.close();
  rmSync(folder, { recursive: true });
  expect(clock.waiting).toBe(0);
  for (const text of said) expect(text).not.toContain(TOKEN.slice(-10));
});

async function connect(): Promise<ApiClient> {
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, server.kubeconfig);
  const connection = await openConnection({ kubeconfig, clock });
  if (typeof connection === "string") throw new Error(connection);
  return new ApiClient({ connection, clock, random: () => 0, signal: stop.signal });
}

/** Waits for an answer, as long as it takes on the clock. */
async function ask<Value>(answer: Promise<Answer<Value>>): Promise<Answer<Value>> {
  const answered = await passUntil(clock, answer);
  if (!answered.ok) said.push(answered.problem.message);
  return answered;
}

const reasonOf = (answer: Answer<unknown>) => (answer.ok ? "ok" : answer.problem.reason);

const map = (name: string, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "a" },
  ...more,
});

/** Every verb, on a ConfigMap `one` that is there. */
const VERBS: readonly [string, () => Promise<Answer<unknown>>][] = [
  ["get", () => client.get(CONFIG_MAP, "a", "one")],
  ["list", () => client.list(CONFIG_MAP)],
  ["create", () => client.create(CONFIG_MAP, map("two"))],
  ["replace", () => client.replace(CONFIG_MAP, map("one", { data: { k: "w" } }))],
  ["merge", () => client.merge(CONFIG_MAP, "a", "one", { data: { k: "w" } })],
  ["mergeStatus", () => client.mergeStatus(CONFIG_MAP, "a", "one", {})],
  ["strategicMergeStatus", () => client.strategicMergeStatus(CONFIG_MAP, "a", "one", {})],
  ["delete", () => client.delete(CONFIG_MAP, "a", "one")],
];
const READS = ["get", "list"];

describe("what is asked and answered", () => {
  test("objects are made, read, changed and deleted", async () => {
    const made = await ask(client.create(CONFIG_MAP, map("one", { data: { k: "v" } })));
    const uid = made.ok ? (made.value.metadata?.uid as string) : "";
    expect(made).toMatchObject({ ok: true, value: { kind: "ConfigMap", data: { k: "v" } } });
    expect(await ask(client.get(CONFIG_MAP, "a", "one"))).toEqual(made);
    const merged = await ask(client.merge(CONFIG_MAP, "a", "one", { data: { k: null, l: "w" } }));
    expect(merged).toMatchObject({ ok: true, value: { data: { l: "w" } } });
    const replaced = await ask(client.replace(CONFIG_MAP, map("one", { data: {} })));
    expect(replaced).toMatchObject({ ok: true, value: { data: {} } });
    expect(reasonOf(await ask(client.delete(CONFIG_MAP, "a", "one", { uid: "other" })))).toBe(
      "Conflict",
    );
    expect(await ask(client.delete(CONFIG_MAP, "a", "one", { uid }))).toEqual({
      ok: true,
      value: undefined,
    });
    expect(reasonOf(await ask(client.get(CONFIG_MAP, "a", "one")))).toBe("NotFound");
    expect(server.asked.map(({ line }) => line)).toEqual([
      "POST /api/v1/namespaces/a/configmaps",
      "GET /api/v1/namespaces/a/configmaps/one",
      "PATCH /api/v1/namespaces/a/configmaps/one",
      "PUT /api/v1/namespaces/a/configmaps/one",
      "DELETE /api/v1/namespaces/a/configmaps/one",
      "DELETE /api/v1/namespaces/a/configmaps/one",
      "GET /api/v1/namespaces/a/configmaps/one",
    ]);
    expect(JSON.parse(server.asked[5]?.body ?? "")).toEqual({
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: "Background",
      preconditions: { uid },
    });
  });

  test("a status is patched alone, and each kind of patch says which it is", async () => {
    const conditions = [{ type: "Ready", status: "True" }];
    await ask(client.create(POD, { ...map("p"), kind: "Pod", spec: { containers: [] } }));
    await ask(client.mergeStatus(POD, "a", "p", { status: { conditions }, spec: { x: 1 } }));
    const gate = { status: { conditions: [{ type: "Gate", status: "True" }] } };
    const patched = await ask(client.strategicMergeStatus(POD, "a", "p", gate));
    expect(patched.ok && patched.value.status).toEqual({
      conditions: [...conditions, { type: "Gate", status: "True" }],
    });
    expect(
      server.asked.slice(1).map(({ line, headers }) => [line, headers["content-type"]]),
    ).toEqual([
      ["PATCH /api/v1/namespaces/a/pods/p/status", "application/merge-patch+json"],
      ["PATCH /api/v1/namespaces/a/pods/p/status", "application/strategic-merge-patch+json"],
    ]);
  });

  test("only the version that was read is changed", async () => {
    const made = await ask(client.create(CONFIG_MAP, map("one")));
    const { metadata } = made.ok ? made.value : map("");
    await ask(client.merge(CONFIG_MAP, "a", "one", { data: { k: "v" } }));
    const old = { ...map("one"), metadata: { ...metadata } };
    expect(reasonOf(await ask(client.replace(CONFIG_MAP, old)))).toBe("Conflict");
    const { resourceVersion } = old.metadata;
    const patch = { metadata: { resourceVersion }, data: { k: "w" } };
    expect(reasonOf(await ask(client.merge(CONFIG_MAP, "a", "one", patch)))).toBe("Conflict");
    expect(reasonOf(await ask(client.create(CONFIG_MAP, map("one"))))).toBe("AlreadyExists");
  });

  test("groups, selectors and odd names are addressed", async () => {
    const lease = kindOf("Lease") as ResourceKind;
    await ask(client.list(lease, { namespace: "a", labelSelector: "decisionmodel.io/name,b=c" }));
    await ask(client.get(CONFIG_MAP, "a", "../secrets?x"));
    expect(server.asked.map(({ line }) => line)).toEqual([
      "GET /apis/coordination.k8s.io/v1/namespaces/a/leases?labelSelector=decisionmodel.io%2Fname%2Cb%3Dc&limit=500",
      "GET /api/v1/namespaces/a/configmaps/..%2Fsecrets%3Fx",
    ]);
  });

  test("connections are kept for the next request", async () => {
    const ports = new Set<number | undefined>();
    meet = () => (request, response) => {
      ports.add(request.socket.remotePort);
      reply(response, statusOf(404, "NotFound", "no", { name: "x" }));
    };
    for (let count = 0; count < 4; count++) await ask(client.get(CONFIG_MAP, "a", "x"));
    expect(ports.size).toBe(1);
  });
});

describe("a list", () => {
  beforeEach(() => {
    for (let count = 0; count < 1100; count++) store.create(CONFIG_MAP, map(`m${count}`));
  });

  test("has the objects of all pages, with their type and without their managers", async () => {
    const listed = await ask(client.list(CONFIG_MAP));
    expect(listed.ok && listed.value.items.length).toBe(1100);
    expect(listed.ok && listed.value.resourceVersion).toBe("1100");
    expect(server.asked.length).toBe(3);
    const [first] = listed.ok ? listed.value.items : [];
    expect(first).toEqual((store.get(CONFIG_MAP, "a", "m0") as { value: unknown }).value);
  });

  test("begins again when its pages expire, and so sees what came meanwhile", async () => {
    meet = (before) => {
      if (before !== 1) return undefined;
      store.create(CONFIG_MAP, map("late"));
      server.expirePages();
      return undefined;
    };
    const listed = await ask(client.list(CONFIG_MAP));
    expect(listed.ok && listed.value.items.length).toBe(1101);
    expect(server.asked.length).toBe(2 + 3);
  });

  test("that expires every time is given up", async () => {
    meet = () => {
      server.expirePages();
      return undefined;
    };
    expect(reasonOf(await ask(client.list(CONFIG_MAP)))).toBe("Gone");
    expect(server.asked.length).toBe(3 * 2);
  });

  test("whose pages never end is given up", async () => {
    meet = () => (_, response) => {
      const body = { metadata: { resourceVersion: "1", continue: "more" }, items: [] };
      void clock.pass(20_000).then(() => reply(response, { status: 200, body }));
    };
    expect(await ask(client.list(CONFIG_MAP))).toMatchObject({
      problem: { reason: "Unavailable", message: expect.stringContaining("did not end") },
    });
  });

  test("of more than 64 MiB is not read to its end", async () => {
    meet = () => (_, response) => {
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 20, 32)));
      };
      response.on("drain", write);
      write();
    };
    expect(await ask(client.list(CONFIG_MAP))).toMatchObject({
      problem: { reason: "Unavailable", message: expect.stringContaining("67108864 bytes") },
    });
    expect(server.asked.length).toBe(1);
  });
});

describe("what a failure means", () => {
  const html = "<html>x</html>";
  const status =
    (code: number, reason: string, details: object = {}) =>
    () => {
      const { body, ...rest } = statusOf(code, reason, `said ${TOKEN}`, details);
      return { ...rest, body };
    };
  test.each<[string, () => { status: number; body: string | object }, string, string]>([
    ["400", status(400, "BadRequest"), "Invalid", "Invalid"],
    ["403", status(403, "Forbidden"), "Forbidden", "Forbidden"],
    ["404 of an object", status(404, "NotFound", { name: "one" }), "NotFound", "NotFound"],
    ["404 of a kind", status(404, "NotFound"), "Unavailable", "Unavailable"],
    [
      "404 of a path",
      () => ({ status: 404, body: "404 page not found" }),
      "Unavailable",
      "Unavailable",
    ],
    ["409", status(409, "Conflict"), "Conflict", "Conflict"],
    ["409 of a name", status(409, "AlreadyExists"), "AlreadyExists", "AlreadyExists"],
    ["413", () => ({ status: 413, body: html }), "Invalid", "Invalid"],
    ["422", status(422, "Invalid"), "Invalid", "Invalid"],
    ["500", status(500, "InternalError"), "Unavailable", "Lost"],
    ["502 of a proxy", () => ({ status: 502, body: html }), "Unavailable", "Lost"],
    ["503 of a proxy", () => ({ status: 503, body: html }), "Unavailable", "Lost"],
    ["503", status(503, "ServiceUnavailable"), "Unavailable", "Unavailable"],
    ["504", status(504, "Timeout"), "Unavailable", "Lost"],
    ["302", () => ({ status: 302, body: "" }), "Unavailable", "Unavailable"],
    ["200 without JSON", () => ({ status: 200, body: html }), "Unavailable", "Lost"],
    ["200 of something else", () => ({ status: 200, body: {} }), "Unavailable", "Lost"],
  ])("%s", async (_, answer, ofRead, ofWrite) => {
    meet = () => (_, response) => reply(response, answer());
    expect(reasonOf(await ask(client.get(CONFIG_MAP, "a", "one")))).toBe(ofRead);
    expect(reasonOf(await ask(client.create(CONFIG_MAP, map("one"))))).toBe(ofWrite);
    for (const text of said) expect(text).not.toContain("html");
  });

  test("a redirect is not followed, wherever it leads", async () => {
    meet = () => (_, response) =>
      reply(response, { status: 307, body: "", headers: { location: `${server.origin}/else` } });
    for (const [, verb] of VERBS) {
      expect(await ask(verb())).toMatchObject({
        problem: { reason: "Unavailable", message: expect.stringContaining("redirect") },
      });
    }
    expect(server.asked.length).toBe(VERBS.length);
  });

  test.each(VERBS)("no connection: %s was not done", async (_, verb) => {
    const { port } = server;
    await server.close();
    expect(await ask(verb())).toMatchObject({
      problem: { reason: "Unavailable", message: expect.stringContaining("ECONNREFUSED") },
    });
    await server.listen(port);
  });

  test.each(VERBS)("a connection that breaks: %s", async (name, verb) => {
    meet = () => (request) => request.socket.resetAndDestroy();
    const isRead = READS.includes(name);
    expect(reasonOf(await ask(verb()))).toBe(isRead ? "Unavailable" : "Lost");
    expect(server.asked.length).toBe(isRead ? 3 : 1);
  });

  test.each(VERBS)("an answer that is cut off: %s", async (name, verb) => {
    meet = () => (request, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write('{"metadata"', () => request.socket.destroy());
    };
    expect(reasonOf(await ask(verb()))).toBe(READS.includes(name) ? "Unavailable" : "Lost");
  });

  test.each(VERBS)("no answer, for 30 s: %s", async (name, verb) => {
    meet = () => () => undefined;
    expect(await ask(verb())).toMatchObject({
      problem: {
        reason: READS.includes(name) ? "Unavailable" : "Lost",
        message: expect.stringContaining("no whole answer came within 30 s"),
      },
    });
    expect(clock.now()).toBe(30_000);
    expect(server.asked.length).toBe(1);
  });

  test.each(VERBS)("an answer of a byte a minute: %s", async (_, verb) => {
    meet = () => (_, response) => void response.writeHead(200).write("{");
    expect(reasonOf(await ask(verb()))).not.toBe("ok");
    expect(clock.now()).toBe(30_000);
  });

  test("an object of more than 8 MiB is not read to its end", async () => {
    meet = () => (_, response) => reply(response, { status: 200, body: "x".repeat(9 << 20) });
    expect(reasonOf(await ask(client.get(CONFIG_MAP, "a", "one")))).toBe("Unavailable");
    expect(reasonOf(await ask(client.create(CONFIG_MAP, map("one"))))).toBe("Lost");
    expect(server.asked.length).toBe(2);
  });

  test("the end of the process ends what is under way", async () => {
    meet = () => () => undefined;
    const answers = VERBS.map(([, verb]) => verb());
    await until(() => server.asked.length === VERBS.length);
    stop.abort();
    for (const answer of answers) {
      expect(await answer).toMatchObject({
        problem: { message: expect.stringContaining("it was stopped") },
      });
    }
    expect(reasonOf(await client.create(CONFIG_MAP, map("two")))).toBe("Unavailable");
  });
});

describe("asking again", () => {
  beforeEach(() => {
    store.create(CONFIG_MAP, map("one"));
  });

  test.each(VERBS)("%s waits as long as a busy server asks", async (_, verb) => {
    const answers = [
      { ...statusOf(429, "TooManyRequests", "busy"), headers: { "retry-after": "7" } },
      { ...statusOf(503, "ServiceUnavailable", "not yet"), headers: { "retry-after": "3" } },
      statusOf(429, "TooManyRequests", "busy"),
    ];
    meet = (before) => {
      const busy = answers[before];
      return busy === undefined ? undefined : (_, response) => reply(response, busy);
    };
    expect(reasonOf(await ask(verb()))).toBe("ok");
    expect(clock.now()).toBeGreaterThanOrEqual(11_000);
    expect(clock.now()).toBeLessThan(13_000);
  });

  test.each(VERBS)("%s is not asked again where that would be too late", async (_, verb) => {
    const busy = { ...statusOf(429, "TooManyRequests", "busy"), headers: { "retry-after": "60" } };
    meet = () => (_, response) => reply(response, busy);
    expect(reasonOf(await ask(verb()))).toBe("Unavailable");
    expect(server.asked.length).toBe(1);
  });

  test.each(READS)("%s mends by itself", async (name) => {
    const mishaps: readonly RequestListener[] = [
      (request) => request.socket.resetAndDestroy(),
      (_, response) => reply(response, { status: 500, body: "" }),
    ];
    meet = (before) => mishaps[before];
    const verb = VERBS.find(([one]) => one === name)?.[1];
    expect(reasonOf(await ask(verb?.() as Promise<Answer<unknown>>))).toBe("ok");
    expect(server.asked.length).toBe(3);
  });

  test("credentials are read anew when they are refused", async () => {
    token = "another-token";
    writeFileSync(join(folder, "kubeconfig"), server.kubeconfig);
    for (const [, verb] of VERBS) expect(reasonOf(await ask(verb()))).toBe("ok");
    expect(server.asked.length).toBe(1 + VERBS.length);
  });

  test("credentials that stay refused are not tried for ever", async () => {
    token = "another-token";
    for (const [, verb] of VERBS) expect(reasonOf(await ask(verb()))).toBe("Unauthorized");
    expect(server.asked.length).toBe(2 * VERBS.length);
  });
});

describe("a watch", () => {
  let told: WatchEvent[];
  let left: AbortController;
  beforeEach(() => {
    told = [];
    left = new AbortController();
  });
  const watch = (resourceVersion = "0", selection = {}) =>
    client.watch(
      CONFIG_MAP,
      { ...selection, resourceVersion },
      (event) => told.push(event),
      left.signal,
    );
  const shown = () =>
    told.map((event) =>
      event.type === "BOOKMARK"
        ? `BOOKMARK ${event.resourceVersion}`
        : `${event.type} ${event.object.metadata?.name} ${event.object.metadata?.resourceVersion}`,
    );

  test("tells what changes, bookmarks too, until the server ends it", async () => {
    store.create(CONFIG_MAP, map("one"));
    const watching = watch("0", { namespace: "a", labelSelector: "x" });
    await until(() => server.watching === 1);
    const [{ line = "" } = {}] = server.asked;
    const query = new URL(line.split(" ")[1] ?? "", server.origin).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      labelSelector: "x",
      watch: "1",
      allowWatchBookmarks: "1",
      resourceVersion: "0",
      timeoutSeconds: "120",
    });
    store.patch(
      CONFIG_MAP,
      { namespace: "a", name: "one" },
      { metadata: { labels: { x: "y" } } },
      { part: "object", type: "merge" },
    );
    store.create(CONFIG_MAP, map("two"));
    server.bookmark();
    store.delete(CONFIG_MAP, "a", "one");
    await until(() => told.length === 3);
    server.endWatches("end");
    expect(await ask(watching)).toEqual({ ok: true, value: undefined });
    expect(shown()).toEqual(["ADDED one 2", "BOOKMARK 3", "DELETED one 4"]);
  });

  test("is not ended by the clock", async () => {
    const watching = watch();
    await until(() => server.watching === 1);
    await clock.pass(3_600_000);
    store.create(CONFIG_MAP, map("late"));
    await until(() => told.length === 1);
    left.abort();
    expect(await watching).toEqual({ ok: true, value: undefined });
    await until(() => server.watching === 0);
  });

  test("tells events of any length, however they are cut into packets", async () => {
    const watching = watch();
    await until(() => server.watching === 1);
    const long = { type: "ADDED", object: map("long", { data: { text: "é".repeat(200_000) } }) };
    Object.assign(long.object.metadata as object, { resourceVersion: "9" });
    const bytes = Buffer.from(`${JSON.stringify(long)}\n\n${JSON.stringify(long)}\n`);
    for (let from = 0; from < bytes.length; from += 65_521) {
      server.say(bytes.subarray(from, from + 65_521));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => told.length === 2);
    server.endWatches("end");
    await watching;
    expect(told).toEqual([long, long].map(({ object }) => ({ type: "ADDED", object })));
  });

  test("from a version that is forgotten is Gone", async () => {
    store.create(CONFIG_MAP, map("one"));
    store.compact();
    expect(reasonOf(await ask(watch("0")))).toBe("Gone");
  });

  test.each<[string, object | string, string]>([
    [
      "an expired version",
      { type: "ERROR", object: { ...(statusOf(410, "Expired", "too old").body as object) } },
      "Gone",
    ],
    [
      "an error",
      { type: "ERROR", object: statusOf(500, "InternalError", TOKEN).body },
      "Unavailable",
    ],
    ["no JSON", "{no\n", "Unavailable"],
    ["no event", { type: "ADDED", object: {} }, "Unavailable"],
    ["a bookmark of nothing", { type: "BOOKMARK", object: {} }, "Unavailable"],
    ["a line without end", "x".repeat((8 << 20) + 1), "Unavailable"],
  ])("ends where the server sends %s", async (_, sent, reason) => {
    const watching = watch();
    await until(() => server.watching === 1);
    server.say(sent);
    expect(reasonOf(await ask(watching))).toBe(reason);
    await until(() => server.watching === 0);
  });

  test("says that it was cut off", async () => {
    const watching = watch();
    await until(() => server.watching === 1);
    server.endWatches("break");
    expect(await ask(watching)).toMatchObject({
      problem: { reason: "Unavailable", message: "the watch was cut off" },
    });
  });

  test("that does not begin is given up, and not asked for again", async () => {
    meet = (before) =>
      before === 0 ? () => undefined : (request) => request.socket.resetAndDestroy();
    expect(reasonOf(await ask(watch()))).toBe("Unavailable");
    expect(reasonOf(await ask(watch()))).toBe("Unavailable");
    expect(server.asked.length).toBe(2);
  });

  test("that is refused says why", async () => {
    meet = () => (_, response) => reply(response, statusOf(403, "Forbidden", "may not watch"));
    expect(await ask(watch())).toMatchObject({
      problem: { reason: "Forbidden", message: expect.stringContaining("may not watch") },
    });
  });
});
