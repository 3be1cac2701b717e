import { describe, expect, it, test } from "vitest";
import { formatInstant } from "../../kube/instant.ts";
import { NOW } from "../../test/support/decision-model.ts";
import { KEY, reconcilerScene } from "../../test/support/reconciler.ts";
import { KINDS } from "./kinds.ts";

const FIRST = [
  "patch DecisionModel/status support-router",
  "create PersistentVolumeClaim",
  "create Job",
];
const kindsOf = (writes: readonly string[]) =>
  writes.map((write) =>
    write.startsWith("create") ? write.split(" ").slice(0, 2).join(" ") : write,
  );

describe("a pass", () => {
  it("writes the status before anything that follows from it, and tells people then", async () => {
    const { pass, model, writes, told, status } = reconcilerScene();
    model();
    expect(await pass()).toMatchObject({ state: "done" });
    expect(kindsOf(writes())).toEqual(FIRST);
    expect(told).toEqual(["PrefetchStarted"]);
    expect(status()?.phase).toBe("Caching");
  });

  it("83: that has nothing to do does nothing", async () => {
    const { pass, model, writes, told } = reconcilerScene();
    model();
    await pass();
    writes();
    told.splice(0);
    for (let again = 0; again < 30; again++) await pass();
    expect([writes(), told]).toEqual([[], []]);
  });

  test.each([false, true])(
    "of a DecisionModel that is gone (%j: or going) ends what was under way",
    async (going) => {
      const { pass, runs, writes, model, freeze } = reconcilerScene();
      if (going) {
        const object = model();
        const deletionTimestamp = formatInstant(NOW);
        freeze([{ ...object, metadata: { ...object.metadata, deletionTimestamp } }]);
      }
      const work = {
        type: "WarmUp",
        server: { uid: "p", address: "" },
        model: "",
        milliseconds: 1,
      } as const;
      runs.want(KEY, [{ id: "a", work }]);
      expect(await pass()).toEqual({ state: "gone" });
      expect([runs.of(KEY).size, writes()]).toEqual([0, []]);
    },
  );
});

describe("a copy that is behind", () => {
  it("is waited for: what follows from an old status is not done", async () => {
    const { pass, model, writes, freeze, thaw } = reconcilerScene();
    model();
    freeze();
    await pass();
    writes();
    expect(await pass()).toEqual({ state: "behind" });
    expect(writes()).toEqual([]);
    thaw();
    expect(await pass()).toMatchObject({ state: "done" });
  });

  it("after a start is compared with what there is", async () => {
    const { api, pass, model, writes, freeze } = reconcilerScene();
    model();
    freeze();
    api.store.patch(
      KINDS.DecisionModel,
      { namespace: "default", name: "support-router" },
      { status: { lastRetryToken: "1" } },
      { part: "status", type: "merge" },
    );
    expect(await pass()).toEqual({ state: "behind" });
    expect(writes()).toEqual([]);
  });

  it("50: a status that somebody else wrote meanwhile is not written over, and nothing follows", async () => {
    const { api, pass, model, writes, told } = reconcilerScene();
    model();
    api.meet(({ isStatus }) =>
      isStatus ? { type: "refuse", problem: { reason: "Conflict", message: "" } } : undefined,
    );
    expect(await pass()).toEqual({ state: "behind" });
    expect([writes(), told]).toEqual([["patch DecisionModel/status support-router"], []]);
  });
});

describe("a status write whose answer was lost", () => {
  test.each([true, false])(
    "is asked about before anything else (it was done: %j)",
    async (done) => {
      const { api, pass, model, writes, told, status, freeze, thaw } = reconcilerScene();
      model();
      freeze();
      api.meet(({ isStatus }) => {
        if (!isStatus) return undefined;
        return done
          ? { type: "lose-answer" }
          : { type: "refuse", problem: { reason: "Lost", message: "" } };
      });
      expect(await pass()).toMatchObject({ state: "failed", problem: { reason: "Lost" } });
      expect([kindsOf(writes()), told]).toEqual([
        ["patch DecisionModel/status support-router"],
        [],
      ]);
      api.meet(() => undefined);
      // The copy does not show it: if it was done, there is a newer one to wait for.
      expect(await pass()).toMatchObject({ state: done ? "behind" : "done" });
      thaw();
      await pass();
      expect(status()?.phase).toBe("Caching");
      expect(kindsOf(writes()).filter((write) => write.startsWith("create"))).toEqual([
        "create PersistentVolumeClaim",
        "create Job",
      ]);
    },
  );
});

describe("a later status write whose answer was lost", () => {
  it("is asked about as well, since the copy only seems to be newer than the last", async () => {
    const { api, pass, model, writes, freeze, thaw } = reconcilerScene();
    model();
    await pass();
    const of = { namespace: "default", name: "support-router" };
    const how = { part: "object", type: "merge" } as const;
    api.store.patch(KINDS.DecisionModel, of, { spec: { replicas: 2 } }, how);
    freeze();
    api.meet(({ isStatus }) => (isStatus ? { type: "lose-answer" } : undefined));
    expect(await pass()).toMatchObject({ state: "failed", problem: { reason: "Lost" } });
    api.meet(() => undefined);
    writes();
    expect(await pass()).toEqual({ state: "behind" });
    expect(writes()).toEqual([]);
    thaw();
    expect(await pass()).toMatchObject({ state: "done" });
  });
});

describe("a write that is refused", () => {
  const refusing = (reason: "Forbidden" | "Invalid") => {
    const all = reconcilerScene();
    all.model();
    all.api.meet(({ verb, kind }) =>
      verb === "create" && kind === "Job"
        ? { type: "refuse", problem: { reason, message: "exceeded quota" } }
        : undefined,
    );
    return all;
  };

  test.each(["Forbidden", "Invalid"] as const)(
    "(%s) is said, and left alone for thirty seconds",
    async (reason) => {
      const { api, pass, writes, status } = refusing(reason);
      await pass();
      writes();
      await pass();
      expect(writes()).toEqual(["patch DecisionModel/status support-router"]);
      expect(status()?.conditions).toContainEqual(
        expect.objectContaining({
          type: "Degraded",
          status: "True",
          reason: "ResourceConflict",
          message: expect.stringMatching(/^Job support-router-pf-\S+: exceeded quota$/),
        }),
      );
      await pass();
      expect(writes()).toEqual([]);
      await api.clock.advanceTo(NOW + 30_000);
      await pass();
      expect(kindsOf(writes())).toEqual(["create Job"]);
    },
  );

  it("is tried again at once when the spec changes", async () => {
    const { api, pass, writes } = refusing("Forbidden");
    await pass();
    await pass();
    writes();
    api.store.patch(
      KINDS.DecisionModel,
      { namespace: "default", name: "support-router" },
      { spec: { replicas: 2 } },
      { part: "object", type: "merge" },
    );
    await pass();
    expect(kindsOf(writes())).toContain("create Job");
  });

  it("is forgotten once it goes through", async () => {
    const { api, pass, status } = refusing("Forbidden");
    await pass();
    await pass();
    api.meet(() => undefined);
    await api.clock.advanceTo(NOW + 30_000);
    await pass();
    await pass();
    expect(status()?.conditions).toContainEqual(
      expect.objectContaining({ type: "Degraded", status: "False" }),
    );
  });

  it("keeps what builds on it from being made", async () => {
    const { api, pass, model, writes } = reconcilerScene();
    model();
    const problem = { reason: "Forbidden", message: "exceeded quota" } as const;
    api.meet(({ verb, kind }) =>
      verb === "create" && kind === "PersistentVolumeClaim"
        ? { type: "refuse", problem }
        : undefined,
    );
    await pass();
    expect(kindsOf(writes())).toEqual(FIRST.slice(0, 2));
  });

  it("because the API server is away fails the pass, which is tried again as a whole", async () => {
    const { api, pass, model, writes } = reconcilerScene();
    model();
    api.meet(({ verb }) =>
      verb === "create"
        ? { type: "refuse", problem: { reason: "Unavailable", message: "" } }
        : undefined,
    );
    expect(await pass()).toMatchObject({ state: "failed", problem: { reason: "Unavailable" } });
    writes();
    api.meet(() => undefined);
    await pass();
    expect(kindsOf(writes())).toEqual(["create PersistentVolumeClaim", "create Job"]);
  });
});

it("the key of the servers is that which was read last, and none once it is gone", async () => {
  const { api, pass, model, reconciler } = reconcilerScene();
  model({ spec: { auth: { apiKeySecretRef: { name: "engine", key: "token" } } } });
  await pass();
  expect(reconciler.apiKey(KEY)).toBeUndefined();
  const labels = { "decisionmodel.io/api-key": "true" };
  api.put({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "engine", namespace: "default", labels },
    data: { token: Buffer.from("sk-1").toString("base64") },
  });
  await pass();
  expect(reconciler.apiKey(KEY)).toBe("sk-1");
  api.store.delete(KINDS.Secret, "default", "engine");
  await pass();
  expect(reconciler.apiKey(KEY)).toBeUndefined();
});
