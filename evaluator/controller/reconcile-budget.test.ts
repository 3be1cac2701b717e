import { describe, expect, it, test } from "vitest";
import { reconcilerScene } from "../../test/support/reconciler.ts";
import { KINDS } from "./kinds.ts";

describe("the budget", () => {
  const NAMES = ["a", "b", "c", "d", "e"];
  const fleet = (limit: number) => {
    const all = reconcilerScene({ maxConcurrentRollouts: limit });
    for (const name of NAMES) all.model({ metadata: { name } });
    const phases = () => NAMES.map((name) => all.status(name)?.phase);
    return {
      ...all,
      phases,
      passAll: () => Promise.all(NAMES.map((name) => all.pass(`default/${name}`))),
    };
  };

  test.each([1, 2, 4])("59: lets %i in at a time, though all ask at once", async (limit) => {
    const { passAll, phases, api } = fleet(limit);
    await passAll();
    expect(phases().filter((phase) => phase === "Caching")).toHaveLength(limit);
    expect(phases().filter((phase) => phase === "Pending")).toHaveLength(NAMES.length - limit);
    // Nothing is made for those that wait.
    expect(api.requests.filter((request) => request.startsWith("create Job"))).toHaveLength(limit);
    await passAll();
    expect(phases().filter((phase) => phase === "Caching")).toHaveLength(limit);
  });

  it("59: holds by what is really recorded, whatever copies show", async () => {
    const { passAll, phases, freeze } = fleet(1);
    freeze();
    await passAll();
    expect(phases().filter((phase) => phase === "Caching")).toHaveLength(1);
  });

  it("61: has room again when one is deleted", async () => {
    const { api, pass, passAll, phases, status } = fleet(1);
    await passAll();
    const holder = NAMES.find((name) => status(name)?.phase === "Caching") ?? "";
    api.store.delete(KINDS.DecisionModel, "default", holder);
    await pass(`default/${holder}`);
    await passAll();
    expect(phases().filter((phase) => phase === "Caching")).toHaveLength(1);
  });

  it("62: a place that was not written down is another's", async () => {
    const { api, pass, status } = fleet(1);
    api.meet(({ isStatus, name }) =>
      isStatus && name === "a"
        ? { type: "refuse", problem: { reason: "Conflict", message: "" } }
        : undefined,
    );
    expect(await pass("default/a")).toEqual({ state: "behind" });
    expect(api.requests.filter((request) => request.startsWith("create"))).toEqual([]);
    await pass("default/b");
    expect([status("a")?.phase, status("b")?.phase]).toEqual([undefined, "Caching"]);
  });

  it("holds a place whose admission may have been written", async () => {
    const { api, pass, status } = fleet(1);
    api.meet(({ isStatus, name }) =>
      isStatus && name === "a"
        ? { type: "refuse", problem: { reason: "Lost", message: "" } }
        : undefined,
    );
    expect(await pass("default/a")).toMatchObject({ state: "failed" });
    await pass("default/b");
    expect(status("b")?.phase).toBe("Pending");
  });

  it("lets nobody in where it can't be read", async () => {
    const { api, pass, status } = fleet(1);
    api.meet(({ verb }) =>
      verb === "list"
        ? { type: "refuse", problem: { reason: "Unavailable", message: "" } }
        : undefined,
    );
    expect(await pass("default/a")).toMatchObject({
      state: "failed",
      problem: { reason: "Unavailable" },
    });
    expect(status("a")).toBeUndefined();
  });
});
