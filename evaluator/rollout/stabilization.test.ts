import { describe, expect, it, test } from "vitest";
import type { DecisionModelStatus, Revision, Rollout } from "../../api/gen/decisionmodels.ts";
import { after } from "../../kube/instant.ts";
import { ago, NOW, passOver, revision } from "../../test/support/decision-model.ts";
import { deploymentOf, gated } from "../../test/support/serving-pods.ts";
import type { GatedPods } from "./gate.ts";
import { watchPromotion } from "./stabilization.ts";

const old = revision("aaaaaaaaaaaaaaaa", { digest: "b".repeat(64) });
const current = revision("bbbbbbbbbbbbbbbb");
type Conditions = NonNullable<DecisionModelStatus["conditions"]>;

interface Scene {
  readonly promoted?: number;
  readonly replicas?: number;
  readonly pods?: GatedPods;
  readonly deployment?: Readonly<Record<string, unknown>>;
  readonly conditions?: Conditions;
  readonly stabilization?: string;
  readonly strategy?: "BlueGreen" | "Recreate";
  readonly previous?: Revision | undefined;
}

function watched(scene: Scene) {
  const {
    promoted = 60,
    replicas = 1,
    pods = gated(replicas),
    deployment = {},
    conditions = [],
  } = scene;
  const rollout: Rollout = {
    manualPromotion: false,
    strategy: "BlueGreen",
    ...(scene.stabilization === undefined ? {} : { stabilization: scene.stabilization }),
  };
  const pass = passOver({
    spec: { replicas, rollout },
    status: {
      phase: "Ready",
      stableRevision: current,
      storeRecovery: { attempts: 1 },
      previousRevision: {
        hash: old.hash,
        promotedAt: ago(promoted),
        strategy: scene.strategy ?? "BlueGreen",
        ...("previous" in scene ? {} : { revision: old }),
      },
      conditions,
    },
  });
  const live = deploymentOf(current, deployment);
  const back = watchPromotion(pass, { revision: current, deployment: live, pods, phase: "Ready" });
  const { status, notices, wakeAt } = pass.decision();
  const found = pass.condition("Stabilizing");
  return {
    back,
    status,
    notices: notices.map(({ reason }) => reason),
    stabilizing: found === undefined ? undefined : `${found.status}/${found.reason}`,
    since: found?.lastTransitionTime,
    message: found?.message ?? status.failedRevision?.message,
    wait: wakeAt === undefined ? undefined : (wakeAt - NOW) / 1000,
  };
}

const short = (seconds: number): Conditions => [
  {
    type: "Stabilizing",
    status: "False",
    reason: "PostPromotionUnhealthy",
    message: "",
    lastTransitionTime: ago(seconds),
  },
];
const progressing = (reason: string, status = "True") => ({
  status: {
    observedGeneration: 1,
    conditions: [{ type: "Progressing", status, reason, message: "it said" }],
  },
});

describe("a promotion is watched", () => {
  it("as long as the spec says", () => {
    expect(watched({ promoted: 60 })).toMatchObject({
      back: false,
      stabilizing: "True/Stabilizing",
      wait: 240,
      status: { previousRevision: { hash: old.hash } },
      notices: [],
    });
  });

  it("to its end, and is then told once", () => {
    const end = watched({ promoted: 300 });
    expect(end).toMatchObject({ back: false, stabilizing: undefined, notices: ["Stabilized"] });
    expect(end.status.previousRevision).toBeUndefined();
  });

  test.each<readonly [string, Scene]>([
    [
      "68: where the spec wants none",
      {
        stabilization: "0",
        pods: gated(0, { mismatch: { reason: "DigestMismatch", message: "" } }),
      },
    ],
    ["where an older operator recorded no way back", { previous: undefined, pods: gated(0) }],
  ])("not %s", (_, scene) => {
    expect(watched({ ...scene, conditions: short(90) })).toMatchObject({
      back: false,
      stabilizing: undefined,
      notices: [],
    });
  });
});

describe("it goes back at once", () => {
  test.each<readonly [string, Scene, string]>([
    [
      "64: from another model",
      { pods: gated(1, { mismatch: { reason: "DigestMismatch", message: "another digest" } }) },
      "another digest",
    ],
    [
      "64: from another device",
      { pods: gated(1, { mismatch: { reason: "DeviceMismatch", message: "another device" } }) },
      "another device",
    ],
    [
      "from a container that fails again and again",
      { pods: gated(1, { crashing: "in CrashLoopBackOff" }) },
      "in CrashLoopBackOff",
    ],
    [
      "from a roll that Kubernetes has given up",
      { deployment: progressing("ProgressDeadlineExceeded", "False") },
      `Deployment support-router-${current.hash} has given up replacing its pods: it said`,
    ],
    [
      "even while its pods are replaced",
      {
        pods: gated(1, { crashing: "in CrashLoopBackOff" }),
        deployment: progressing("ReplicaSetUpdated"),
      },
      "in CrashLoopBackOff",
    ],
  ])("%s", (_, scene, message) => {
    const { back, status, notices, wait } = watched(scene);
    expect(back).toBe(true);
    expect(status).toMatchObject({
      phase: "RolledBack",
      stableRevision: old,
      failedRevision: {
        hash: current.hash,
        reason: "PostPromotionUnhealthy",
        message,
        failedAt: ago(0),
      },
    });
    expect(status.previousRevision).toBeUndefined();
    expect(status.storeRecovery).toBeUndefined();
    expect(notices).toEqual(["RolledBackAfterPromotion"]);
    expect(wait).toBeLessThanOrEqual(1);
  });

  it("step by step where only one may run, with traffic where it is", () => {
    const { back, status } = watched({
      strategy: "Recreate",
      pods: gated(0, { crashing: "down" }),
    });
    expect(back).toBe(true);
    expect(status).toMatchObject({
      phase: "Starting",
      stableRevision: current,
      failedRevision: { hash: current.hash },
      recreateRollback: { failed: { hash: current.hash }, target: old, startedAt: ago(0) },
    });
  });
});

describe("65: it needs half of the pods", () => {
  test.each([
    [1, 0, false],
    [1, 1, true],
    [2, 0, false],
    [2, 1, true],
    [3, 1, false],
    [3, 2, true],
    [5, 2, false],
    [5, 3, true],
    [0, 0, false],
  ])("of %i replicas %i are enough: %j", (replicas, ready, enough) => {
    const { stabilizing } = watched({ replicas, pods: gated(ready) });
    expect(stabilizing).toBe(enough ? "True/Stabilizing" : "False/PostPromotionUnhealthy");
  });

  test.each<readonly [string, Scene, boolean]>([
    ["waits when it begins to be short", {}, false],
    ["waits for thirty seconds", { conditions: short(30) }, false],
    ["goes back after that", { conditions: short(31) }, true],
    [
      "67: goes back at the end of the window, however short that was",
      { promoted: 300, conditions: short(1) },
      true,
    ],
  ])("%s", (_, scene, expected) => {
    const { back, notices, status } = watched({ ...scene, pods: gated(0) });
    expect(back).toBe(expected);
    expect(notices).toEqual(expected ? ["RolledBackAfterPromotion"] : []);
    expect(status.previousRevision === undefined).toBe(expected);
  });

  it("keeps its clock in the condition, which a restart does not touch", () => {
    expect(watched({ pods: gated(0), conditions: short(20) })).toMatchObject({
      since: ago(20),
      wait: 10.001,
    });
    expect(watched({ pods: gated(0) })).toMatchObject({ since: ago(0), wait: 30.001 });
  });

  it("says what the pods wait for", () => {
    const pods = gated(1, {
      waiting: { reason: "ProbeError", message: "pod x: connection refused" },
    });
    expect(watched({ replicas: 3, pods }).message).toBe(
      "1 of 3 pods of laya:en@sha256:aaaaaaaa have the model ready: pod x: connection refused",
    );
  });
});

describe("66: while its pods are replaced", () => {
  const rolling: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ["a roll that goes on", progressing("ReplicaSetUpdated")],
    ["a roll that begins", progressing("NewReplicaSetCreated")],
  ];
  test.each(rolling)("%s is no illness, whatever its length", (_, deployment) => {
    expect(
      watched({ replicas: 2, pods: gated(0), deployment, promoted: 900, conditions: short(90) }),
    ).toMatchObject({
      back: false,
      stabilizing: "False/StableRolling",
      wait: 10,
      notices: [],
    });
  });

  it("a change that its controller has not seen is one too", () => {
    const pass = passOver({
      spec: { replicas: 2 },
      status: {
        stableRevision: current,
        previousRevision: { hash: old.hash, promotedAt: ago(60), revision: old },
      },
    });
    const live = deploymentOf(current, { status: { observedGeneration: 3 } });
    const deployment = { ...live, metadata: { ...live.metadata, generation: 4 } };
    watchPromotion(pass, { revision: current, deployment, pods: gated(0), phase: "Degraded" });
    expect(pass.condition("Stabilizing")).toMatchObject({ reason: "StableRolling" });
  });

  it("and what follows has a clock of its own", () => {
    const conditions: Conditions = [
      {
        type: "Stabilizing",
        status: "False",
        reason: "StableRolling",
        message: "",
        lastTransitionTime: ago(90),
      },
    ];
    expect(
      watched({ pods: gated(0), conditions, deployment: progressing("NewReplicaSetAvailable") }),
    ).toMatchObject({
      back: false,
      since: ago(0),
    });
  });
});

it("H18: the way back is what was recorded as good, and never what failed since", () => {
  const rejected = revision("cccccccccccccccc", { reason: "EvaluationFailed" });
  const pass = passOver({
    status: {
      phase: "Ready",
      stableRevision: current,
      failedRevision: rejected,
      previousRevision: { hash: old.hash, promotedAt: ago(10), revision: old },
    },
  });
  const pods = gated(0, { crashing: "down" });
  expect(
    watchPromotion(pass, { revision: current, deployment: undefined, pods, phase: "Degraded" }),
  ).toBe(true);
  expect([pass.status.stableRevision?.hash, pass.status.failedRevision?.hash]).toEqual([
    old.hash,
    current.hash,
  ]);
  expect(pass.decision().wakeAt).toBe(after(NOW, 1000));
});
