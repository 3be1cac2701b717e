import { describe, expect, it, test } from "vitest";
import { after, type Instant } from "../../kube/instant.ts";
import { NOW } from "../../test/support/decision-model.ts";
import type { Run } from "../rollout/decision.ts";
import type { RunResult } from "../rollout/world.ts";
import { Runs } from "./runs.ts";

const KEY = "default/support-router";
const work: Run["work"] = {
  type: "WarmUp",
  server: { uid: "p", address: "10.0.0.1" },
  model: "laya:en",
  milliseconds: 1,
};
const run = (id: string, since?: Instant): Run => ({
  id,
  work,
  ...(since === undefined ? {} : { since }),
});
const warm: RunResult = { type: "WarmUp", problem: undefined };
const cold: RunResult = { type: "WarmUp", problem: "503" };

/** Work that ends when the test says so. */
function scene() {
  let now = NOW;
  const begun: {
    readonly id: string;
    readonly signal: AbortSignal;
    readonly end: (result: RunResult) => Promise<void>;
    readonly fail: (error: Error) => Promise<void>;
  }[] = [];
  const ended: string[] = [];
  const broke: string[] = [];
  const runs = new Runs({
    now: () => now,
    perform: (_, { id }, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<RunResult>();
      const end = async (result: RunResult) => {
        resolve(result);
        await promise;
        await Promise.resolve();
      };
      const fail = async (error: Error) => {
        reject(error);
        await promise.catch(() => undefined);
        await Promise.resolve();
      };
      begun.push({ id, signal, end, fail });
      return promise;
    },
    ended: (key) => ended.push(key),
    broke: (key, error) => broke.push(`${key}: ${error}`),
  });
  const begin = (index: number) => {
    const one = begun[index];
    if (one === undefined) throw new Error(`run ${index} was not begun`);
    return one;
  };
  return {
    runs,
    begun,
    ended,
    broke,
    begin,
    state: (id: string) => runs.of(KEY).get(id),
    pass: (milliseconds: number) => {
      now = after(now, milliseconds);
    },
  };
}

describe("work that is wanted", () => {
  it("is begun once, and its result is kept while it is wanted", async () => {
    const { runs, begun, begin, ended, state } = scene();
    runs.want(KEY, [run("a")]);
    runs.want(KEY, [run("a")]);
    expect(begun).toHaveLength(1);
    expect(state("a")).toEqual({ running: true });
    await begin(0).end(warm);
    expect(state("a")).toEqual({ running: false, latest: { at: NOW, result: warm, failures: 0 } });
    expect(ended).toEqual([KEY]);
    runs.want(KEY, [run("a", NOW)]);
    expect(begun).toHaveLength(1);
  });

  it("is begun again where its result is too old, and the old one stands until then", async () => {
    const { runs, begun, begin, state, pass } = scene();
    runs.want(KEY, [run("a")]);
    await begin(0).end(warm);
    pass(10_000);
    const later = after(NOW, 10_000);
    runs.want(KEY, [run("a", later)]);
    runs.want(KEY, [run("a", later)]);
    expect(begun).toHaveLength(2);
    expect(state("a")).toMatchObject({ running: true, latest: { at: NOW } });
    await begin(1).end(cold);
    expect(state("a")).toEqual({
      running: false,
      latest: { at: later, result: cold, failures: 1 },
    });
  });

  it("that throws ends nothing but itself, and is begun again by the next pass alone", async () => {
    const { runs, begun, begin, broke, ended, state } = scene();
    runs.want(KEY, [run("a")]);
    await begin(0).fail(new Error("a bug"));
    expect([broke, ended]).toEqual([[`${KEY}: Error: a bug`], []]);
    expect(state("a")).toEqual({ running: false });
    runs.want(KEY, [run("a")]);
    expect(begun).toHaveLength(2);
  });

  it("is of one DecisionModel alone", () => {
    const { runs, begun } = scene();
    runs.want(KEY, [run("a")]);
    runs.want("default/other", [run("a")]);
    expect(begun).toHaveLength(2);
    runs.forget("default/other");
    expect(begun.map(({ signal }) => signal.aborted)).toEqual([false, true]);
  });
});

describe("results that say nothing are counted", () => {
  const unreachable = { state: "unreachable", message: "" } as const;
  test.each<readonly [string, RunResult, number]>([
    ["a warm-up that failed", cold, 1],
    ["a warm-up", warm, 0],
    ["a server that was not reached", { type: "Inspect", outcome: unreachable }, 1],
    [
      "a server that has nothing loaded",
      { type: "Inspect", outcome: { state: "inspected", loaded: [] } },
      0,
    ],
    ["a registry that was not reached", { type: "Resolve", outcome: unreachable }, 1],
    ["a registry that refuses", { type: "Resolve", outcome: { state: "refused", message: "" } }, 0],
    ["a run that broke", { type: "Evaluate", outcome: { state: "broken", message: "" } }, 1],
  ])("%s", async (_, result, failures) => {
    const { runs, begin, state } = scene();
    runs.want(KEY, [run("a")]);
    await begin(0).end(result);
    expect(state("a")?.latest?.failures).toBe(failures);
  });

  it("as long as they come one after another", async () => {
    const { runs, begin, state, pass } = scene();
    const failures: (number | undefined)[] = [];
    for (const [index, result] of [cold, cold, warm, cold].entries()) {
      pass(1);
      runs.want(KEY, [run("a", after(NOW, index + 1))]);
      await begin(index).end(result);
      failures.push(state("a")?.latest?.failures);
    }
    expect(failures).toEqual([1, 2, 0, 1]);
  });
});

describe("work that is no longer wanted", () => {
  it("is cancelled, forgotten and told to nobody", async () => {
    const { runs, begin, ended, state } = scene();
    runs.want(KEY, [run("a"), run("b")]);
    runs.want(KEY, [run("b")]);
    expect([begin(0).signal.aborted, begin(1).signal.aborted]).toEqual([true, false]);
    await begin(0).end(warm);
    expect([state("a"), ended]).toEqual([undefined, []]);
  });

  it("is begun anew if it is wanted again", async () => {
    const { runs, begun, begin, state } = scene();
    runs.want(KEY, [run("a")]);
    runs.forget(KEY);
    runs.want(KEY, [run("a")]);
    expect(begun).toHaveLength(2);
    await begin(0).end(cold);
    expect(state("a")).toEqual({ running: true });
    await begin(1).end(warm);
    expect(state("a")?.latest?.result).toBe(warm);
  });

  it("is all of it once everything stops", () => {
    const { runs, begun } = scene();
    runs.want(KEY, [run("a")]);
    runs.want("default/other", [run("b")]);
    runs.stop();
    expect(begun.every(({ signal }) => signal.aborted)).toBe(true);
    expect(runs.of(KEY).size).toBe(0);
  });
});
