import { describe, expect, test } from "vitest";
import { JumpingClock, StandingClock } from "../../../test/support/engine-clock.ts";
import { send, simulatedServer } from "../../../test/support/simulated-server.ts";
import { type Fault, readFault } from "./faults.ts";

const body = { model: "laya:en", state: "s", questions: { q: { type: "noul" } } };

describe("a fault", () => {
  test("meets its path, so many times", async () => {
    const server = simulatedServer(new JumpingClock());
    const fault = {
      path: "/v1/",
      times: 2,
      fault: "error",
      status: 503,
      code: "QUEUE_FULL",
    } as const;
    server.faults.add(fault);
    const ask = async () => (await send(server, "POST /v1/systemone", { body }))?.status;
    expect((await send(server, "GET /api/ps"))?.status).toBe(200);
    expect(await ask()).toBe(503);
    expect(server.faults.list()).toEqual([{ ...fault, times: 1 }]);
    expect([await ask(), await ask()]).toEqual([503, 200]);
    expect(server.faults.list()).toEqual([]);
  });

  test("of decisions comes after their validation", async () => {
    const server = simulatedServer(new JumpingClock());
    server.faults.add({ fault: "error", status: 500, code: "MODEL_LOAD_FAILED" });
    expect((await send(server, "POST /api/decide", { body: {} }))?.status).toBe(422);
    expect((await send(server, "POST /api/decide", { body }))?.json.code).toBe("MODEL_LOAD_FAILED");
    expect((await send(server, "GET /api/ps"))?.status).toBe(500);
  });

  test.each<[string, string | undefined]>([
    ["QUEUE_FULL", "1"],
    ["INTERNAL", undefined],
  ])("%s has Retry-After %s", async (code, expected) => {
    const server = simulatedServer(new JumpingClock());
    server.faults.add({ fault: "error", status: 503, code });
    const answer = await send(server, "POST /v1/systemone", { body });
    expect(answer?.headers["Retry-After"]).toBe(expected);
  });

  test("slow takes time before anything else", async () => {
    const clock = new JumpingClock();
    const server = simulatedServer(clock);
    server.faults.add({ fault: "slow", milliseconds: 70 });
    await send(server, "GET /");
    expect(clock.waits).toEqual([70]);
  });

  test("cut marks the answer", async () => {
    const server = simulatedServer(new JumpingClock());
    server.faults.add({ fault: "cut" });
    expect(await send(server, "GET /")).toMatchObject({ status: 200, cut: true });
  });

  test("restart leaves no answer and nothing loaded, and breaks off what was under way", async () => {
    const clock = new StandingClock();
    const server = simulatedServer(clock);
    let underWay: unknown = "nothing yet";
    void send(server, "POST /api/decide", { body: { model: "laya:en", keep_alive: -1 } }).then(
      (answer) => {
        underWay = answer;
      },
    );
    await clock.pass(100);
    server.faults.add({ fault: "restart", times: 1 });
    expect(await send(server, "GET /")).toBeUndefined();
    await clock.pass(0);
    expect(underWay).toBeUndefined();
    expect(clock.waiting).toBe(0);
    await clock.pass(10_000);
    expect((await send(server, "GET /api/ps"))?.json.models).toEqual([]);
  });

  test("wrong-digest changes what ps and the registry say", async () => {
    const server = simulatedServer(new JumpingClock());
    await send(server, "POST /api/decide", { body: { model: "laya:en" } });
    const ask = async () => [
      (await send(server, "GET /api/ps"))?.json.models[0].digest,
      (await send(server, "GET /v2/library/laya/manifests/en"))?.body,
    ];
    const right = await ask();
    server.faults.add({ fault: "wrong-digest" });
    const wrong = await ask();
    expect(wrong[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(wrong[0]).not.toBe(right[0]);
    expect(wrong[1]).not.toBe(right[1]);
  });
});

describe("faults over the wire", () => {
  const fault = { fault: "slow", milliseconds: 5 };

  test("are added, listed and cleared", async () => {
    const server = simulatedServer(new JumpingClock(), { controllable: true });
    const add = await send(server, "POST /simulator/faults", { body: fault });
    expect(add?.json).toEqual({ faults: [fault] });
    expect((await send(server, "GET /simulator/faults"))?.json).toEqual({ faults: [fault] });
    expect((await send(server, "DELETE /simulator/faults"))?.status).toBe(204);
    expect((await send(server, "GET /simulator/faults"))?.json).toEqual({ faults: [] });
  });

  test("need the key, and are met by no fault themselves", async () => {
    const server = simulatedServer(new JumpingClock(), { controllable: true, apiKey: "secret" });
    server.faults.add({ fault: "restart" });
    expect((await send(server, "GET /simulator/faults"))?.status).toBe(401);
    const headers = { authorization: "Bearer secret" };
    expect((await send(server, "GET /simulator/faults", { headers }))?.status).toBe(200);
  });

  test("that are none are refused with what to write", async () => {
    const server = simulatedServer(new JumpingClock(), { controllable: true });
    const answer = await send(server, "POST /simulator/faults", { body: { fault: "fire" } });
    expect(answer?.status).toBe(422);
    expect(answer?.json.error).toContain("slow, error, cut, restart, wrong-digest");
  });
});

test.each<[unknown, string]>([
  [[], "a fault is an object"],
  [{}, "fault is missing"],
  [{ fault: "slow" }, "milliseconds is missing"],
  [{ fault: "slow", milliseconds: -1 }, "milliseconds is -1"],
  [{ fault: "slow", milliseconds: 1, path: "v1" }, 'path is "v1"'],
  [{ fault: "cut", times: 0 }, "times is 0"],
  [{ fault: "error", status: 200 }, "status is 200"],
  [{ fault: "error", status: 500, code: 1 }, "code is 1"],
  [{ fault: "error", status: 500, headers: { "X-A": "\n" } }, "headers is"],
])("%j is no fault", (value, message) => {
  expect(readFault(value)).toContain(message);
});

test.each<Fault>([
  { fault: "slow", milliseconds: 5, path: "/v2/", times: 3 },
  { fault: "error", status: 302, code: "", headers: { Location: "http://127.0.0.1/" } },
  { fault: "cut" },
  { fault: "restart", times: 1 },
  { fault: "wrong-digest", path: "/api/ps" },
])("%j is read as it is", (fault) => {
  expect(readFault({ ...fault })).toEqual(fault);
});
