import { describe, expect, it, test } from "vitest";
import type { ConditionType, Phase } from "../../api/decision-model.ts";
import type { DecisionModelStatus } from "../../api/gen/decisionmodels.ts";
import { ago, passOver, revision } from "../../test/support/decision-model.ts";
import { gated } from "../../test/support/serving-pods.ts";
import type { GatedPods } from "./gate.ts";
import type { Pass } from "./pass.ts";
import { type Refusal, refused } from "./refusal.ts";
import { summarise } from "./summary.ts";

const stable = revision("stable");
const candidate = revision("candidate", { digest: "b".repeat(64) });
const failed = revision("failed", {
  digest: "c".repeat(64),
  reason: "StartTimeout",
  message: "not started in time",
});

interface Scene {
  readonly replicas?: number;
  readonly pods?: GatedPods;
  readonly refusal?: Refusal;
  readonly prepare?: (pass: Pass) => void;
}

function summed(
  status: DecisionModelStatus,
  { replicas = 1, pods = gated(replicas), refusal, prepare }: Scene = {},
) {
  const pass = passOver({ spec: { replicas }, status });
  const shown = status.stableRevision ?? status.candidateRevision;
  if (shown !== undefined) pass.gated.set(shown.hash, pods);
  pass.refusal = refusal;
  prepare?.(pass);
  summarise(pass);
  const says = (type: ConditionType) => {
    const found = pass.condition(type);
    return found === undefined ? "absent" : `${found.status}/${found.reason}`;
  };
  return { pass, says, message: (type: ConditionType) => pass.condition(type)?.message };
}

describe("Reconciling and Stalled, as kstatus reads them", () => {
  const stabilizing: DecisionModelStatus = {
    conditions: [
      {
        type: "Stabilizing",
        status: "True",
        reason: "Stabilizing",
        message: "",
        lastTransitionTime: ago(1),
      },
    ],
  };
  const rolled: DecisionModelStatus = { failedRevision: failed, stableRevision: stable };
  test.each<readonly [Phase, DecisionModelStatus, string, string]>([
    ["Pending", {}, "True/Pending", "False/Pending"],
    ["Resolving", {}, "True/Resolving", "False/Resolving"],
    ["Caching", { candidateRevision: candidate }, "True/Caching", "False/Caching"],
    ["Starting", { candidateRevision: candidate }, "True/Starting", "False/Starting"],
    ["Evaluating", { candidateRevision: candidate }, "True/Evaluating", "False/Evaluating"],
    [
      "AwaitingPromotion",
      { candidateRevision: candidate },
      "True/AwaitingPromotion",
      "False/AwaitingPromotion",
    ],
    ["Degraded", { stableRevision: stable }, "True/Degraded", "False/Degraded"],
    ["Ready", { stableRevision: stable }, "False/Ready", "False/Ready"],
    ["Ready", { stableRevision: stable, ...stabilizing }, "True/Stabilizing", "False/Ready"],
    ["RolledBack", rolled, "False/StartTimeout", "True/StartTimeout"],
    ["Failed", { failedRevision: failed }, "False/StartTimeout", "True/StartTimeout"],
    [
      "Failed",
      { failedRevision: revision("failed") },
      "False/RevisionFailed",
      "True/RevisionFailed",
    ],
    ["Failed", {}, "False/Failed", "True/Failed"],
  ])("in phase %s with %j", (phase, status, reconciling, stalled) => {
    const { says } = summed({ phase, ...status });
    expect([says("Reconciling"), says("Stalled")]).toEqual([reconciling, stalled]);
  });

  test.each<readonly [Refusal, Phase, string, string]>([
    [
      refused("until-changed", "InvalidModelName", "no"),
      "Ready",
      "False/InvalidModelName",
      "True/InvalidModelName",
    ],
    [
      refused("until-published", "ModelNotFound", "no"),
      "Ready",
      "False/ModelNotFound",
      "True/ModelNotFound",
    ],
    [
      refused("until-mended", "UnpinnedRuntimeImage", "no"),
      "Degraded",
      "False/UnpinnedRuntimeImage",
      "True/UnpinnedRuntimeImage",
    ],
    [
      refused("for-a-while", "ResolveFailed", "no"),
      "Ready",
      "True/ResolveFailed",
      "False/ResolveFailed",
    ],
    [
      refused("for-a-while", "ResolveFailed", "no"),
      "RolledBack",
      "True/ResolveFailed",
      "False/ResolveFailed",
    ],
  ])(
    "whatever the phase, where a spec is refused: %j in %s",
    (refusal, phase, reconciling, stalled) => {
      // A failure from before says nothing of what is refused now.
      const { says, message } = summed(
        { phase, stableRevision: stable, failedRevision: failed },
        { refusal },
      );
      expect([says("Reconciling"), says("Stalled")]).toEqual([reconciling, stalled]);
      expect(message("Stalled")).toBe("no");
    },
  );
});

describe("Ready tells whether the stable revision serves", () => {
  const queued = (pass: Pass) => pass.block("RolloutQueued", "laya:2 waits");
  const insufficient: DecisionModelStatus = {
    candidateRevision: candidate,
    conditions: [
      {
        type: "Promoted",
        status: "False",
        reason: "InsufficientEvidence",
        message: "12 more cases",
        lastTransitionTime: ago(1),
      },
    ],
  };
  test.each<readonly [string, DecisionModelStatus, Scene, string, string]>([
    ["as it does", { stableRevision: stable }, {}, "True/Ready", "laya:en@sha256:aaaaaaaa serves"],
    [
      "with some of its pods",
      { stableRevision: stable },
      { replicas: 3, pods: gated(1) },
      "True/Ready",
      "laya:en@sha256:aaaaaaaa serves",
    ],
    [
      "while it queues for another",
      { stableRevision: stable },
      { prepare: queued },
      "True/RolloutQueued",
      "laya:en@sha256:aaaaaaaa serves; laya:2 waits",
    ],
    [
      "beside one that failed",
      { stableRevision: stable, failedRevision: failed },
      {},
      "True/CandidateRejected",
      "laya:en@sha256:aaaaaaaa serves; laya:en@sha256:cccccccc was rejected: StartTimeout: not started in time",
    ],
    [
      "beside another try",
      { stableRevision: stable, failedRevision: failed, candidateRevision: candidate },
      {},
      "True/Ready",
      "laya:en@sha256:aaaaaaaa serves",
    ],
    [
      "beside one of which too little is known",
      { stableRevision: stable, ...insufficient },
      {},
      "True/InsufficientEvidence",
      "laya:en@sha256:aaaaaaaa serves; 12 more cases",
    ],
    [
      "not",
      { stableRevision: stable },
      { pods: gated(0) },
      "False/NoModelReadyPods",
      "no pod of laya:en@sha256:aaaaaaaa has the model ready",
    ],
    [
      "not, whatever else goes on",
      { stableRevision: stable },
      { pods: gated(0), prepare: queued },
      "False/NoModelReadyPods",
      "no pod of laya:en@sha256:aaaaaaaa has the model ready; laya:2 waits",
    ],
    [
      "not yet again",
      { stableRevision: stable },
      { pods: gated(0), prepare: (pass) => pass.block("StableRestoring", "it starts again") },
      "False/StableRestoring",
      "no pod of laya:en@sha256:aaaaaaaa has the model ready; it starts again",
    ],
    [
      "which there is not yet",
      { phase: "Caching", candidateRevision: candidate },
      {},
      "False/NoModelReadyPods",
      "no revision serves yet: phase Caching",
    ],
    [
      "which can't begin",
      { phase: "Pending" },
      { prepare: queued },
      "False/RolloutQueued",
      "laya:2 waits",
    ],
    [
      "of which the first failed",
      { phase: "Failed", failedRevision: failed },
      {},
      "False/CandidateRejected",
      "laya:en@sha256:cccccccc was rejected: StartTimeout: not started in time",
    ],
  ])("%s", (_, status, scene, ready, said) => {
    const { says, message } = summed(status, scene);
    expect([says("Ready"), message("Ready")]).toEqual([ready, said]);
  });
});

describe("ModelReady counts the stable revision's pods", () => {
  const waiting = { reason: "ProbeError", message: "pod x: no answer" } as const;
  test.each<readonly [number, number, string, string]>([
    [2, 2, "True/ModelReady", "2 of 2 pods of laya:en@sha256:aaaaaaaa have the model ready"],
    [2, 3, "True/ModelReady", "3 of 2 pods of laya:en@sha256:aaaaaaaa have the model ready"],
    [
      2,
      1,
      "False/ReplicasNotModelReady",
      "1 of 2 pods of laya:en@sha256:aaaaaaaa have the model ready: pod x: no answer",
    ],
    [
      2,
      0,
      "False/NoModelReadyPods",
      "0 of 2 pods of laya:en@sha256:aaaaaaaa have the model ready: pod x: no answer",
    ],
  ])("of %i wanted %i are ready", (replicas, ready, condition, said) => {
    const pods = gated(ready, ready < replicas ? { waiting } : {});
    const { says, message, pass } = summed(
      { phase: "Ready", stableRevision: stable },
      { replicas, pods },
    );
    expect([says("ModelReady"), message("ModelReady")]).toEqual([condition, said]);
    expect(pass.status.replicas).toEqual({ desired: replicas, modelReady: ready });
  });

  it("but is about the candidate's while there is one, and about none before", () => {
    const both = { stableRevision: stable, candidateRevision: candidate };
    expect(summed(both, { pods: gated(0) }).says("ModelReady")).toBe("absent");
    expect(summed({}).says("ModelReady")).toBe("absent");
  });
});

describe("Degraded says what is wrong", () => {
  test.each<readonly [string, DecisionModelStatus, Scene, string]>([
    ["nothing", { stableRevision: stable }, {}, "False/AsExpected"],
    [
      "pods that are missing",
      { stableRevision: stable },
      { replicas: 2, pods: gated(1) },
      "True/ReplicasNotModelReady",
    ],
    [
      "a failure that stands",
      { stableRevision: stable, failedRevision: failed },
      {},
      "True/StartTimeout",
    ],
    [
      "a failure of which no reason is recorded",
      { failedRevision: revision("failed") },
      {},
      "True/RevisionFailed",
    ],
    [
      "no failure while another try goes on",
      { stableRevision: stable, failedRevision: failed, candidateRevision: candidate },
      {},
      "False/AsExpected",
    ],
    [
      "first what this pass has found",
      { stableRevision: stable, failedRevision: failed },
      {
        pods: gated(0),
        prepare: (pass) => {
          pass.degrade("StoreLost", "gone");
          pass.degrade("CacheNotShareable", "shared");
        },
      },
      "True/StoreLost",
    ],
    [
      "no pods while a candidate starts",
      { stableRevision: stable, candidateRevision: candidate },
      { pods: gated(0) },
      "False/AsExpected",
    ],
  ])("%s", (_, status, scene, expected) => {
    expect(summed(status, scene).says("Degraded")).toBe(expected);
  });
});

it("the endpoint is said once something serves", () => {
  expect(summed({ candidateRevision: candidate }).pass.status.endpoint).toBeUndefined();
  expect(summed({ stableRevision: stable }).pass.status.endpoint).toBe(
    "http://support-router.default.svc:11435/v1/systemone",
  );
});

it("a summary of what did not change is no change", () => {
  const first = summed({ phase: "Ready", stableRevision: stable }).pass.status;
  expect(summed(first).pass.status).toEqual(first);
});

it("a message is cut, and never within a character", () => {
  const { message } = summed(
    {},
    { prepare: (pass) => pass.degrade("StoreLost", `${"x".repeat(2046)}😀y`) },
  );
  expect(message("Degraded")).toBe(`${"x".repeat(2046)}\ufffd…`);
});
