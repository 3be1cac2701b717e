import { beforeEach, describe, expect, test } from "vitest";
import { type ModelName, parseModelName } from "../../../api/model-name.ts";
import { StandingClock } from "../../../test/support/engine-clock.ts";
import type { CallLimits, EngineServer } from "../engine.ts";
import { catalog, DEFAULT_HOST, makeModel, NONDESCRIPT, sha256 } from "./catalog.ts";
import { showReference } from "./model-reference.ts";
import {
  createSimulatedEngine,
  type SimulatedEngine,
  type SimulatedPod,
} from "./simulated-engine.ts";

const MINUTE = 60_000;
const DIGEST = sha256("any");
const pod: SimulatedPod = {
  id: "uid-1",
  model: "laya:en",
  digest: DIGEST,
  device: "cuda:0",
  apiKey: undefined,
};
const server: EngineServer = { origin: "http://10.0.0.7:11435", apiKey: undefined };
const limits: CallLimits = { milliseconds: 5 * MINUTE, signal: new AbortController().signal };

let clock: StandingClock;
let pods: Map<string, SimulatedPod>;
let engine: SimulatedEngine;

beforeEach(() => {
  clock = new StandingClock();
  pods = new Map([["10.0.0.7", pod]]);
  engine = createSimulatedEngine({
    clock,
    random: () => 0.5,
    registry: (asked) => catalog.find(({ name }) => showReference(name) === showReference(asked)),
    podAt: (address) => pods.get(address),
  });
});

function named(text: string): ModelName {
  const parsed = parseModelName(text, DEFAULT_HOST);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.name;
}

/** Lets time pass until a call has ended, and says when it did. */
async function ended<T>(call: Promise<T>, milliseconds = 10 * MINUTE) {
  const started = clock.now();
  let outcome: { readonly value: T; readonly after: number } | undefined;
  void call.then((value) => {
    outcome = { value, after: clock.now() - started };
  });
  await clock.pass(milliseconds);
  expect(clock.waiting).toBe(0);
  return outcome;
}

const laya = named("laya:en");
const ask = { model: laya, state: '"a charge"', questions: '{"q":{"type":"noul"}}' };

describe("a pod", () => {
  test("is warmed, inspected and asked, each in its own time", async () => {
    expect(await ended(engine.warm(server, laya, limits))).toEqual({
      value: { state: "warm" },
      after: 4200,
    });
    expect(await ended(engine.inspect(server, limits))).toEqual({
      value: {
        state: "inspected",
        loaded: [
          { model: "laya:en", digest: DIGEST, device: "cuda:0", pinned: true, precision: "F16" },
        ],
      },
      after: 0,
    });
    expect(await ended(engine.decide(server, ask, limits))).toEqual({
      value: { state: "answered", answers: { q: { type: "noul", noul: 0.0953 } } },
      after: 160,
    });
  });

  test.each([
    ["restarts", () => engine.restart("10.0.0.7")],
    ["is another one", () => pods.set("10.0.0.7", { ...pod, id: "uid-2" })],
  ])("that %s has nothing loaded, and breaks off what was asked", async (_, happens) => {
    const warm = engine.warm(server, laya, limits);
    await clock.pass(1000);
    happens();
    void engine.inspect(server, limits);
    expect((await ended(warm))?.value).toEqual({
      state: "transient",
      message: "http://10.0.0.7:11435: ECONNRESET",
    });
    expect((await ended(engine.inspect(server, limits)))?.value).toEqual({
      state: "inspected",
      loaded: [],
    });
  });

  test("that is gone refuses connections", async () => {
    pods.clear();
    expect((await ended(engine.inspect(server, limits)))?.value).toEqual({
      state: "transient",
      message: "http://10.0.0.7:11435: ECONNREFUSED",
    });
  });

  test("of IPv6 is found without brackets, and has any model that is asked for", async () => {
    pods.set("fd00::7", { ...pod, model: "example.org/team/odd:1", device: "cpu" });
    const six = { ...server, origin: "http://[fd00::7]:11435" };
    const odd = named("example.org/team/odd:1");
    expect((await ended(engine.warm(six, odd, limits)))?.after).toBe(NONDESCRIPT.loadMilliseconds);
    expect((await ended(engine.inspect(six, limits)))?.value).toMatchObject({
      loaded: [{ model: "example.org/team/odd:1", digest: DIGEST, device: "cpu" }],
    });
    expect((await ended(engine.warm(six, laya, limits)))?.value.state).toBe("refused");
  });

  test("wants its key", async () => {
    pods.set("10.0.0.7", { ...pod, apiKey: "secret" });
    const refused = await ended(engine.warm(server, laya, limits));
    expect(refused?.value).toMatchObject({
      state: "refused",
      message: expect.stringContaining("401"),
    });
    const keyed = { ...server, apiKey: "secret" };
    expect((await ended(engine.warm(keyed, laya, limits)))?.value.state).toBe("warm");
  });

  test("that is slower than the call may last is given up, and a call that nobody wants at once", async () => {
    engine.faultsAt("10.0.0.7").add({ fault: "slow", milliseconds: 60 * MINUTE });
    const late = engine.warm(server, laya, { ...limits, milliseconds: 2 * MINUTE });
    expect(await ended(late, 100 * MINUTE)).toEqual({
      value: { state: "transient", message: "http://10.0.0.7:11435: no complete answer in time" },
      after: 2 * MINUTE,
    });
    const unwanted = new AbortController();
    const call = engine.warm(server, laya, { ...limits, signal: unwanted.signal });
    await clock.pass(10);
    unwanted.abort();
    await clock.pass(0);
    expect(await call).toMatchObject({ message: "http://10.0.0.7:11435: cancelled" });
  });

  test("has faults that outlive its restarts", async () => {
    engine
      .faultsAt("10.0.0.7")
      .add({ fault: "error", status: 500, code: "INTERNAL", path: "/api/ps" });
    engine.restart("10.0.0.7");
    expect((await ended(engine.inspect(server, limits)))?.value).toEqual({
      state: "transient",
      message: "http://10.0.0.7:11435: HTTP 500 INTERNAL",
    });
  });
});

describe("a registry", () => {
  test("of any host says what a tag means now", async () => {
    const moved = makeModel({ ...NONDESCRIPT, name: "example.org/team/odd:1", revision: 2 });
    const asked: ModelName[] = [];
    const elsewhere = createSimulatedEngine({
      clock,
      random: () => 0,
      registry: (name) => {
        asked.push(name);
        return moved;
      },
      podAt: () => undefined,
    });
    const name = named("example.org/team/odd:1");
    expect((await ended(elsewhere.resolve(name, limits)))?.value).toEqual({
      state: "resolved",
      digest: moved.digest,
      manifest: Buffer.from(moved.manifest),
    });
    expect(asked).toEqual([name]);
  });

  test("has not every tag", async () => {
    expect((await ended(engine.resolve(named("laya:none"), limits)))?.value.state).toBe("absent");
  });

  test("is asked three times where it fails, and honours its faults", async () => {
    engine.registryFaults.add({ fault: "error", status: 503, code: "", times: 2 });
    expect(await ended(engine.resolve(laya, limits))).toMatchObject({
      value: { state: "resolved" },
      after: 500,
    });
    engine.registryFaults.add({ fault: "cut" });
    expect((await ended(engine.resolve(laya, limits)))?.value).toEqual({
      state: "transient",
      message: "https://ollaya.dev/v2/library/laya/manifests/en: the answer was cut off",
    });
  });
});
