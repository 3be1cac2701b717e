import { describe, expect, it, test } from "vitest";
import type { Revision, Rollout } from "../../api/gen/decisionmodels.ts";
import { after, type Instant } from "../../kube/instant.ts";
import { NOW, passOver, revision } from "../../test/support/decision-model.ts";
import { loaded, probed } from "../../test/support/serving-pods.ts";
import { type Probee, probe } from "./probe.ts";
import type { Inspection, LoadedModel, RunState } from "./world.ts";

const secondsAgo = (seconds: number): Instant => after(NOW, -seconds * 1000);
const rev = revision("a");

function asked(
  runs: readonly (readonly [string, RunState])[],
  {
    isOpen = false,
    since = secondsAgo(60),
    of = rev,
    rollout,
  }: Partial<Probee> & { readonly of?: Revision; readonly rollout?: Rollout } = {},
) {
  const spec = rollout === undefined ? {} : { rollout };
  const pass = passOver({ spec, world: { runs: new Map(runs) } });
  const server = { uid: "uid-p", address: "10.0.0.1" };
  const found = probe(pass, of, { server, podName: "p", since, isOpen });
  const { runs: wanted, wakeAt } = pass.decision();
  const [warmUp, inspect] = ["warm-up/uid-p", "inspect/uid-p"].map((id) =>
    wanted.find((run) => run.id === id),
  );
  return {
    found,
    reason: found.reading?.reason,
    message: found.reading?.message,
    warmUp,
    inspect,
    wakeAt,
  };
}

const warmedUp = (seconds: number, problem?: string): readonly (readonly [string, RunState])[] => [
  [
    "warm-up/uid-p",
    {
      running: false,
      latest: { at: secondsAgo(seconds), result: { type: "WarmUp", problem }, failures: 0 },
    },
  ],
];

describe("the warm-up", () => {
  it("is wanted of a pod that is up, for two minutes, and makes nothing known", () => {
    const { warmUp, inspect, reason, message } = asked([]);
    expect(warmUp).toEqual({
      id: "warm-up/uid-p",
      work: {
        type: "WarmUp",
        server: { uid: "uid-p", address: "10.0.0.1" },
        model: "laya:en",
        milliseconds: 120_000,
      },
      since: secondsAgo(60),
    });
    expect([inspect, reason, message]).toEqual([undefined, "Starting", "pod p loads laya:en"]);
  });

  it("may take as long as the spec lets a start take", () => {
    const rollout: Rollout = {
      manualPromotion: false,
      strategy: "BlueGreen",
      timeouts: { starting: "7m" },
    };
    expect(asked([], { rollout }).warmUp?.work).toMatchObject({ milliseconds: 420_000 });
  });

  it("that goes on closes no gate that is open", () => {
    expect(asked([], { isOpen: true }).found).toEqual({ reading: undefined });
  });

  it("of containers that are gone says nothing", () => {
    const { inspect, reason } = asked(warmedUp(90), { since: secondsAgo(60) });
    expect([inspect, reason]).toEqual([undefined, "Starting"]);
  });

  test.each([
    ["not yet begun again, nine seconds after it failed", 9, secondsAgo(9)],
    ["begun again, ten seconds after it failed", 10, NOW],
  ])("is %s", (_, seconds, since) => {
    expect(asked(warmedUp(seconds, "503")).warmUp?.since).toBe(since);
  });
});

describe("an inspection says", () => {
  test.each<readonly [string, Partial<LoadedModel>, string, string]>([
    ["that the model is ready", {}, "ModelReady", "pod p serves laya:en"],
    [
      "so of its digest in another form",
      { digest: `sha256:${"a".repeat(64)}` },
      "ModelReady",
      "pod p serves laya:en",
    ],
    [
      "so of its full name",
      { model: "ollaya.dev/library/laya:en" },
      "ModelReady",
      "pod p serves laya:en",
    ],
    [
      "that it is another model of that name",
      { digest: "b".repeat(64) },
      "DigestMismatch",
      "pod p serves laya:en with digest bbbbbbbbbbbb instead of aaaaaaaaaaaa",
    ],
    [
      "that it runs elsewhere",
      { device: "cuda:0" },
      "DeviceMismatch",
      "pod p runs laya:en on cuda:0 instead of cpu",
    ],
    [
      "that it may be unloaded",
      { pinned: false },
      "NotPinned",
      "pod p may unload laya:en when nobody asks: its keep-alive is not -1",
    ],
    [
      "first what is worse",
      { digest: "b".repeat(64), device: "metal", pinned: false },
      "DigestMismatch",
      "pod p serves laya:en with digest bbbbbbbbbbbb instead of aaaaaaaaaaaa",
    ],
    ["that it is loading still", { model: "other:1" }, "Starting", "pod p loads laya:en"],
  ])("%s", (_, fields, reason, message) => {
    const result = asked(probed("p", [loaded({ model: "other:2" }), loaded(fields)]));
    expect([result.reason, result.message]).toEqual([reason, message]);
  });

  test.each([
    ["cuda:0", "cuda", "ModelReady"],
    ["cuda:15", "cuda", "ModelReady"],
    ["cuda", "cuda", "ModelReady"],
    ["cpu", "cuda", "DeviceMismatch"],
    ["cuda:x", "cuda", "DeviceMismatch"],
    ["cuda:0", "cpu", "DeviceMismatch"],
  ])("that a model on %s, wanted on %s, is %s", (device, wanted, reason) => {
    expect(
      asked(probed("p", [loaded({ device })]), { of: revision("a", { device: wanted }) }).reason,
    ).toBe(reason);
  });

  it("its precision, which nobody is judged by", () => {
    expect(asked(probed("p", [loaded({ precision: "Q8_0" })])).found).toMatchObject({
      reading: { reason: "ModelReady" },
      precision: "Q8_0",
    });
  });

  test.each<readonly [string, readonly LoadedModel[]]>([
    ["is not pinned", [loaded({ pinned: false })]],
    ["is not loaded", []],
  ])(
    "that a model %s, which closes the gate at once and is mended by loading it again",
    (_, models) => {
      const { warmUp, reason } = asked(probed("p", models), { isOpen: true });
      expect(reason).not.toBe("ModelReady");
      // A warm-up from before this inspection does not count any more.
      expect(warmUp?.since).toBe(secondsAgo(5));
    },
  );
});

describe("the next inspection", () => {
  test.each([
    ["of a closed gate is after ten seconds", false, 5, false, 5],
    ["of a closed gate is now", false, 10, true, 10],
    ["of an open gate is after a minute", true, 59, false, 1],
    ["of an open gate is now", true, 60, true, 10],
  ])("%s", (_, isOpen, seconds, isDue, wait) => {
    const { inspect, wakeAt } = asked(probed("p", [loaded()], { seconds }), {
      isOpen,
      since: secondsAgo(600),
    });
    expect(inspect?.since).toBe(isDue ? NOW : secondsAgo(seconds));
    expect(wakeAt).toBe(after(NOW, wait * 1000));
  });

  it("comes at once after a warm-up that is newer than the last", () => {
    const older = probed("p", [loaded({ pinned: false })], { seconds: 30 });
    const { inspect } = asked([...older, ...warmedUp(2)]);
    expect(inspect?.since).toBe(NOW);
  });
});

describe("a server that does not answer", () => {
  const unreachable: Inspection = { state: "unreachable", message: "connection refused" };
  test.each([
    [true, 1, undefined],
    [true, 3, undefined],
    [true, 4, "ProbeError"],
    [false, 1, "ProbeError"],
  ])("behind a gate that is open: %s, for the %s. time: %s", (isOpen, failures, reason) => {
    const result = asked(probed("p", unreachable, { failures }), { isOpen });
    expect(result.reason).toBe(reason);
    if (reason !== undefined) expect(result.message).toBe("pod p: connection refused");
  });

  it("to a warm-up either is an error, unless the model is loaded nevertheless", () => {
    const failed = warmedUp(8, "no answer within 120 s");
    const inspection = (models: readonly LoadedModel[]) => probed("p", models).slice(1);
    expect(asked([...failed, ...inspection([])])).toMatchObject({
      reason: "ProbeError",
      message: "pod p: no answer within 120 s",
    });
    expect(asked([...failed, ...inspection([loaded()])]).reason).toBe("ModelReady");
  });
});
