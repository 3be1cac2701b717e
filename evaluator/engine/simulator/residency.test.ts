import { describe, expect, test } from "vitest";
import { JumpingClock, StandingClock } from "../../../test/support/engine-clock.ts";
import { send, simulatedServer } from "../../../test/support/simulated-server.ts";
import { parseKeepAlive } from "./keep-alive.ts";
import type { SimulatedServer } from "./server.ts";

test.each([
  [0, 0],
  [1.5, 1500],
  [-1, Number.POSITIVE_INFINITY],
  ["30", 30_000],
  ["-1", Number.POSITIVE_INFINITY],
  [" 1h30m ", 5_400_000],
  ["300ms", 300],
  ["1.5s", 1500],
  ["-5m", Number.POSITIVE_INFINITY],
  ["0s", 0],
  [1e300, Number.POSITIVE_INFINITY],
  ["9999999999h", Number.POSITIVE_INFINITY],
  ["", undefined],
  ["soon", undefined],
  ["1d", undefined],
  ["5 m", undefined],
  [true, undefined],
  [null, undefined],
])("keep_alive %j means %s ms", (value, milliseconds) => {
  expect(parseKeepAlive(value)).toBe(milliseconds);
});

const load = (server: SimulatedServer, model: string, keep_alive?: unknown) =>
  send(server, "POST /api/decide", { body: { model, keep_alive } });
const decide = (server: SimulatedServer, path: string, keep_alive?: unknown) =>
  send(server, `POST ${path}`, {
    body: { model: "laya:en", state: "s", questions: { q: { type: "noul" } }, keep_alive },
  });
async function loaded(server: SimulatedServer) {
  const models: { name: string; expires_at: string | null }[] = (await send(server, "GET /api/ps"))
    ?.json.models;
  return models.map(({ name, expires_at }) => [name, expires_at]);
}

describe("a model", () => {
  test("is loaded without a decision, and pinned by a negative time", async () => {
    const server = simulatedServer(new JumpingClock(), { device: "cuda:0" });
    const answer = await load(server, "laya:en", -1);
    expect(answer?.json).toEqual({
      model: "laya:en",
      answers: {},
      usage: { input_tokens: 0, output_tokens: 0 },
      routing: null,
      state_truncated: false,
      done_reason: "load",
      created_at: "2026-12-01T00:00:04.200Z",
      total_duration: 4_200_000_000,
      load_duration: 4_200_000_000,
      eval_duration: 0,
    });
    expect((await send(server, "GET /api/ps"))?.json.models).toEqual([
      {
        name: "laya:en",
        model: "laya:en",
        size: 853_000_000,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        details: expect.objectContaining({ format: "onnx", quantization_level: "F16" }),
        expires_at: null,
        size_vram: 853_000_000,
        context_length: 512,
        device: "cuda:0",
      },
    ]);
  });

  test("goes when nobody has asked for so long, at the next tick of the reaper", async () => {
    const clock = new JumpingClock();
    const server = simulatedServer(clock);
    await load(server, "laya:en");
    expect(await loaded(server)).toEqual([["laya:en", "2026-12-01T00:05:04.200Z"]]);
    clock.pass(300_499);
    expect(await loaded(server)).toHaveLength(1);
    clock.pass(1);
    expect(await loaded(server)).toEqual([]);
  });

  test.each(["/v1/systemone", "/v1/decisions"])("%s takes the pin away", async (path) => {
    const server = simulatedServer(new JumpingClock());
    await load(server, "laya:en", -1);
    await decide(server, path, -1);
    expect(await loaded(server)).toEqual([["laya:en", "2026-12-01T00:05:04.360Z"]]);
  });

  test("stays pinned where the server keeps all for ever, and by the native path's own time", async () => {
    const server = simulatedServer(new JumpingClock(), { keepAlive: Number.POSITIVE_INFINITY });
    await decide(server, "/v1/systemone");
    expect(await loaded(server)).toEqual([["laya:en", null]]);
    await decide(server, "/api/decide", "1m");
    expect(await loaded(server)).toEqual([["laya:en", "2026-12-01T00:01:04.520Z"]]);
  });

  test("is unloaded by a time of zero, loaded or not", async () => {
    const server = simulatedServer(new JumpingClock());
    await load(server, "laya:en", -1);
    for (const zero of [0, "0", "0s"]) {
      expect((await load(server, "laya:en", zero))?.json.done_reason).toBe("unload");
      expect(await loaded(server)).toEqual([]);
    }
    await decide(server, "/api/decide", 0);
    expect(await loaded(server)).toEqual([]);
  });

  test("that is busy expires now", async () => {
    const clock = new StandingClock();
    const server = simulatedServer(clock);
    void decide(server, "/v1/systemone");
    await clock.pass(4300);
    expect(await loaded(server)).toEqual([["laya:en", "1970-01-01T00:00:04.300Z"]]);
    await clock.pass(100);
  });
});

describe("several models", () => {
  test("of a router are all loaded, and the router itself is not listed", async () => {
    const server = simulatedServer(new JumpingClock());
    expect((await load(server, "laya", -1))?.json.model).toBe("laya:latest");
    expect(await loaded(server)).toEqual([
      ["laya:en", null],
      ["laya:multilingual", null],
    ]);
  });

  test("load one after the other, those asked for twice once", async () => {
    const clock = new StandingClock();
    const server = simulatedServer(clock);
    const ended: number[] = [];
    for (const model of ["laya:en", "decima:small", "laya:en"]) {
      void load(server, model).then(() => ended.push(clock.now()));
    }
    await clock.pass(10_000);
    expect(ended).toEqual([4200, 4200, 4900]);
  });

  test("beyond the limit: the one that has been idle longest makes room", async () => {
    const server = simulatedServer(new JumpingClock(), { mostLoaded: 2 });
    await load(server, "laya:en");
    await load(server, "decima:small");
    await load(server, "laya:en");
    await load(server, "nli:latest");
    expect((await loaded(server)).map(([name]) => name)).toEqual(["laya:en", "nli:latest"]);
  });

  test("beyond the limit, all busy: loaded all the same", async () => {
    const clock = new StandingClock();
    const server = simulatedServer(clock, { mostLoaded: 1 });
    void decide(server, "/v1/systemone");
    await clock.pass(4250);
    void load(server, "decima:small", -1);
    await clock.pass(0);
    expect(await loaded(server)).toHaveLength(1);
    await clock.pass(700);
    expect((await loaded(server)).map(([name]) => name)).toEqual(["decima:small", "laya:en"]);
  });
});
