import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Instant } from "../../kube/instant.ts";
import type { KubeObject } from "../../kube/object.ts";
import { HttpApiServer } from "../../test/support/api-server/http.ts";
import { passSlowly } from "../../test/support/api-server/passing.ts";
import { statusOf } from "../../test/support/api-server.ts";
import { StandingClock } from "../../test/support/engine-clock.ts";
import { ApiStore } from "../simulation/api-store.ts";
import { BUILT_IN, kindOf } from "../simulation/kinds.ts";
import { type Fate, MemoryClient } from "../simulation/memory-client.ts";
import { VirtualClock } from "../simulation/virtual-clock.ts";
import { ApiClient } from "./api-client.ts";
import type { Answer, Problem, ResourceKind } from "./client.ts";
import { openConnection } from "./connection.ts";
import { Reflector, type ReflectorOptions } from "./reflector.ts";

const CONFIG_MAP = kindOf("ConfigMap") as ResourceKind;
const ofOwner = (owner: string) => ({ metadata: { labels: { owner } } });
const owner = ({ metadata }: KubeObject) => metadata?.labels?.owner ?? "";

const map = (name: string, labels: object = { owner: "x" }): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "a", labels: labels as Readonly<Record<string, string>> },
});

function makeStore(): ApiStore {
  return new ApiStore({ kinds: BUILT_IN, definitions: new Map(), now: () => 0 as Instant });
}

function label(store: ApiStore, name: string, to: string): void {
  const how = { part: "object", type: "merge" } as const;
  store.patch(CONFIG_MAP, { namespace: "a", name }, ofOwner(to), how);
}

function listed(store: ApiStore): readonly KubeObject[] {
  const list = store.list(CONFIG_MAP);
  return list.ok ? list.value.items : [];
}

/** A reflector of ConfigMaps, and what it tells: names with versions, and reasons of failures. */
function reflect(options: Pick<ReflectorOptions, "client" | "clock" | "random">) {
  const changes: string[] = [];
  const failures: Problem[] = [];
  const version = (object: KubeObject | undefined) => object?.metadata?.resourceVersion ?? "-";
  const reflector = new Reflector({
    ...options,
    kind: CONFIG_MAP,
    selection: {},
    index: owner,
    changed: (before, after) => {
      const { name } = (after ?? before)?.metadata ?? {};
      changes.push(`${name} ${version(before)}>${version(after)}`);
    },
    failed: (problem) => failures.push(problem),
  });
  return { reflector, changes, failures };
}

describe("over HTTP", () => {
  let store: ApiStore;
  let server: HttpApiServer;
  let clock: StandingClock;
  let stop: AbortController;
  let folder: string;
  let running: Promise<void>;
  let reflector: Reflector;
  let changes: string[];
  let failures: Problem[];
  let meet: (request: IncomingMessage, before: number) => RequestListener | undefined;

  beforeEach(async () => {
    meet = () => undefined;
    store = makeStore();
    clock = new StandingClock();
    stop = new AbortController();
    server = new HttpApiServer({
      store,
      kinds: BUILT_IN,
      token: () => "t",
      meet: (request, before) => meet(request, before),
    });
    await server.listen();
    folder = mkdtempSync(join(tmpdir(), "sluice-reflector-"));
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, server.kubeconfig);
    const connection = await openConnection({ kubeconfig, clock });
    if (typeof connection === "string") throw new Error(connection);
    const random = () => 0;
    const client = new ApiClient({ connection, clock, random, signal: stop.signal });
    ({ reflector, changes, failures } = reflect({ client, clock, random }));
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await server.close();
    rmSync(folder, { recursive: true });
    expect(clock.waiting).toBe(0);
  });

  /** Starts, and lets everything that is there be read. */
  async function start(): Promise<void> {
    running = reflector.run(stop.signal);
    await passSlowly(clock, 2000);
  }

  const pass = (milliseconds: number, step?: number) => passSlowly(clock, milliseconds, step);
  const requests = () =>
    server.asked.map(({ line }) => (line.includes("watch=1") ? "watch" : "list"));

  test("objects are read, then watched, and found by name and by index", async () => {
    store.create(CONFIG_MAP, map("one"));
    store.create(CONFIG_MAP, map("two", { owner: "y" }));
    await start();
    await reflector.synced;
    store.create(CONFIG_MAP, map("three", { owner: "y" }));
    label(store, "one", "y");
    label(store, "two", "x");
    store.delete(CONFIG_MAP, "a", "three");
    await pass(500);
    expect(changes).toEqual(["one ->1", "two ->2", "three ->3", "one 1>4", "two 2>5", "three 3>-"]);
    expect(requests()).toEqual(["list", "watch"]);
    expect(reflector.all()).toEqual(listed(store));
    expect(reflector.get("a", "one")).toEqual(listed(store)[0]);
    expect(reflector.get("a", "three")).toBeUndefined();
    const named = (text: string) => reflector.indexed(text).map(({ metadata }) => metadata?.name);
    expect([named("x"), named("y"), named("z")]).toEqual([["two"], ["one"], []]);
  });

  test("it goes on from where the last watch came to, bookmarks too", async () => {
    await start();
    store.create(CONFIG_MAP, map("one"));
    store.create(kindOf("Secret") as ResourceKind, { ...map("s"), kind: "Secret" });
    await pass(500);
    server.bookmark();
    await pass(500);
    server.endWatches("end");
    await pass(2000);
    const versions = server.asked.map(({ line }) => /resourceVersion=(\d+)/.exec(line)?.[1]);
    expect(versions).toEqual([undefined, "0", "2"]);
    expect(failures).toEqual([]);
  });

  test("it ends at once, also where a list hangs", async () => {
    meet = () => () => undefined;
    await start();
    expect(requests()).toEqual(["list"]);
    expect(reflector.all()).toEqual([]);
  });

  describe("H27: watches that fall silent, and reconnect storms", () => {
    test("a watch that says no more: changes are seen within the bound of 152 s", async () => {
      await start();
      store.create(CONFIG_MAP, map("one"));
      await pass(500);
      expect(changes).toEqual(["one ->1"]);
      // From here on the connection is half open: nothing of it arrives, and nothing ends it.
      meet = (request) =>
        request.url?.includes("resourceVersion=1&") === true && server.asked.length < 4
          ? (_, response) => response.writeHead(200).flushHeaders()
          : undefined;
      server.endWatches("end");
      await pass(2000);
      expect(requests()).toEqual(["list", "watch", "watch"]);
      label(store, "one", "y");
      await pass(140_000);
      expect(changes.length).toBe(1);
      await pass(12_000);
      expect(changes).toEqual(["one ->1", "one 1>2"]);
      expect(requests()).toEqual(["list", "watch", "watch", "watch"]);
      expect(failures).toMatchObject([{ reason: "Unavailable", message: "the watch fell silent" }]);
    });

    test("bookmarks are enough to keep a watch", async () => {
      await start();
      for (let minute = 0; minute < 10; minute++) {
        await pass(60_000, 5000);
        server.bookmark();
      }
      expect(requests()).toEqual(["list", "watch"]);
    });

    test("an expired version in the stream: a list, then a watch; what was deleted meanwhile is gone", async () => {
      store.create(CONFIG_MAP, map("one"));
      store.create(CONFIG_MAP, map("two"));
      await start();
      meet = (request) =>
        request.url?.includes("watch=1") === true
          ? (_, response) => {
              response.writeHead(200);
              const object = statusOf(410, "Expired", "too old resource version").body;
              response.end(`${JSON.stringify({ type: "ERROR", object })}\n`);
            }
          : undefined;
      server.endWatches("break");
      store.delete(CONFIG_MAP, "a", "one");
      await pass(2000);
      meet = () => undefined;
      await pass(5000);
      expect(failures.map(({ reason }) => reason)).toEqual(["Unavailable", "Gone"]);
      expect(requests()).toEqual(["list", "watch", "watch", "list", "watch"]);
      expect(changes).toEqual(["one ->1", "two ->2", "one 1>-"]);
    });

    test("an outage of 60 s: a handful of tries, and no burst after it", async () => {
      store.create(CONFIG_MAP, map("one"));
      await start();
      const { port } = server;
      await server.close();
      await pass(60_000);
      expect(failures.length).toBeGreaterThanOrEqual(4);
      expect(failures.length).toBeLessThanOrEqual(8);
      const before = requests().length;
      await server.listen(port);
      await pass(60_000);
      label(store, "one", "y");
      await pass(60_000);
      expect(requests().slice(before)).toEqual(["watch"]);
      expect(changes).toEqual(["one ->1", "one 1>2"]);
    });

    test("the same outage from the start", async () => {
      const { port } = server;
      await server.close();
      await start();
      await pass(60_000);
      expect(failures.length).toBeLessThanOrEqual(8);
      await server.listen(port);
      await pass(60_000);
      expect(requests()).toEqual(["list", "watch"]);
    });

    test("a watch that is closed every 5 s: nothing is told twice", async () => {
      store.create(CONFIG_MAP, map("one"));
      await start();
      for (let count = 0; count < 20; count++) {
        server.endWatches("end");
        await pass(6000);
      }
      expect(changes).toEqual(["one ->1"]);
      expect(failures).toEqual([]);
      expect(requests().length).toBe(22);
    });

    test.each<[string, RequestListener]>([
      ["ends at once", (_, response) => response.writeHead(200).end()],
      ["breaks at once", (request) => request.socket.resetAndDestroy()],
      ["is refused", (_, response) => response.writeHead(403).end()],
    ])("a watch that %s is begun ever more rarely", async (_, listener) => {
      meet = (request) => (request.url?.includes("watch=1") === true ? listener : undefined);
      await start();
      await pass(600_000, 1000);
      // 1, 2, 4 … 32 s, then every minute.
      expect(requests().length).toBeGreaterThan(10);
      expect(requests().length).toBeLessThan(20);
    });

    test("a server that knows no version, even just listed, is not listed in a storm", async () => {
      meet = (request) =>
        request.url?.includes("watch=1") === true
          ? (_, response) => response.writeHead(410).end()
          : undefined;
      await start();
      await pass(600_000, 1000);
      expect(requests().filter((one) => one === "list").length).toBeLessThan(20);
    });

    test("a list of 3 pages is read to its end", async () => {
      for (let count = 0; count < 1100; count++) store.create(CONFIG_MAP, map(`m${count}`));
      await start();
      expect(requests()).toEqual(["list", "list", "list", "watch"]);
      expect(reflector.all()).toEqual(listed(store));
    });
  });
});

describe("whatever happens", () => {
  type Step =
    | { readonly type: "create" | "label" | "delete"; readonly name: string }
    | { readonly type: "compact" }
    | { readonly type: "fail"; readonly reason: Problem["reason"]; readonly times: number }
    | { readonly type: "pass"; readonly seconds: number };
  const name = fc.constantFrom("a", "b", "c", "d");
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ type: fc.constantFrom("create", "label", "delete"), name }),
    },
    { weight: 1, arbitrary: fc.constant({ type: "compact" } as const) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("fail"),
        reason: fc.constantFrom("Unavailable", "Gone", "Forbidden"),
        times: fc.integer({ min: 1, max: 4 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("pass"), seconds: fc.nat(500) }) },
  ) as fc.Arbitrary<Step>;

  test("in the end the copies are the objects, and what was told leads to them", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.nat(3),
        fc.infiniteStream(fc.integer({ min: 0, max: 99 })),
        async (steps, repeats, chances) => {
          const clock = new VirtualClock(0 as Instant);
          const store = makeStore();
          const fates: Fate[] = [];
          const random = () => (chances.next().value ?? 0) / 100;
          const client = new MemoryClient({
            store,
            clock,
            meet: () => fates.shift(),
            delay: () => random() * 1000,
            repeats: ({ version }) => version % 4 < repeats,
          });
          const { reflector, changes } = reflect({ client, clock, random });
          const stop = new AbortController();
          const running = reflector.run(stop.signal);
          for (const one of steps) {
            switch (one.type) {
              case "create":
                store.create(CONFIG_MAP, map(one.name));
                break;
              case "label":
                label(store, one.name, String(store.version));
                break;
              case "delete":
                store.delete(CONFIG_MAP, "a", one.name);
                break;
              case "compact":
                store.compact();
                break;
              case "fail": {
                const problem = { reason: one.reason, message: "as the test says" };
                for (let count = 0; count < one.times; count++) {
                  fates.push({ type: "refuse", problem });
                }
                break;
              }
              case "pass":
                await clock.advanceTo(clock.now() + one.seconds * 1000);
            }
          }
          await clock.advanceTo(clock.now() + 3_600_000);
          const byName = (objects: readonly KubeObject[]) =>
            new Map(objects.map((object) => [object.metadata?.name, object]));
          expect(byName(reflector.all())).toEqual(byName(listed(store)));
          for (const object of listed(store)) {
            expect(reflector.indexed(owner(object))).toContainEqual(object);
          }
          const told = new Map<string, string>();
          for (const change of changes) {
            const [of = "", versions = ""] = change.split(" ");
            const [before = "", after = ""] = versions.split(">");
            expect(told.get(of) ?? "-").toBe(before);
            expect(after).not.toBe(before);
            told.set(of, after);
          }
          stop.abort();
          await running;
          await clock.advanceTo(clock.now());
          expect(clock.next).toBeUndefined();
        },
      ),
      { seed: 27, numRuns: 200 },
    );
  });

  test("a client that hangs holds neither the copies up nor the end", async () => {
    const clock = new VirtualClock(0 as Instant);
    const store = makeStore();
    const memory = new MemoryClient({ store, clock });
    let watches = 0;
    const client = Object.assign(Object.create(memory), {
      list: memory.list.bind(memory),
      watch: () => {
        watches += 1;
        return new Promise<Answer<undefined>>(() => undefined);
      },
    });
    const { reflector, failures } = reflect({ client, clock, random: () => 0 });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    await clock.advanceTo(460_000);
    expect(watches).toBe(4);
    expect(failures.length).toBe(3);
    stop.abort();
    await running;
  });
});
