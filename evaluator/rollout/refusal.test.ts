import { describe, expect, it, test } from "vitest";
import type { DecisionModelStatus } from "../../api/gen/decisionmodels.ts";
import { ago, NOW, passOver, revision } from "../../test/support/decision-model.ts";
import { gated } from "../../test/support/serving-pods.ts";
import { type Refusal, refuse, refused } from "./refusal.ts";

const forGood = refused("until-changed", "RegistryNotAllowed", "no");
const absent = refused("until-published", "ModelNotFound", "no");
const mendable = refused("until-mended", "InvalidRuntimeVersion", "no");
const passing = refused("for-a-while", "ResolveFailed", "no");
const stable = revision("stable");

function told(refusal: Refusal, status: DecisionModelStatus) {
  const pass = passOver({ status });
  const health =
    status.stableRevision === undefined
      ? undefined
      : ({ revision: stable, deployment: undefined, pods: gated(1), phase: "Ready" } as const);
  refuse(pass, refusal, health);
  const { notices, wakeAt } = pass.decision();
  return {
    phase: pass.status.phase,
    candidate: pass.status.candidateRevision,
    failed: pass.status.failedRevision,
    notices: notices.map(({ reason }) => reason),
    blocked: pass.blocked?.reason,
    degraded: pass.degraded?.reason,
    resolved: pass.condition("Resolved"),
    wait: wakeAt === undefined ? undefined : (wakeAt - NOW) / 1000,
  };
}

describe("with nothing that serves", () => {
  test.each<readonly [string, Refusal, DecisionModelStatus, object]>([
    [
      "what only another spec mends has failed",
      forGood,
      {},
      { phase: "Failed", blocked: "RegistryNotAllowed", wait: undefined },
    ],
    [
      "so has what somebody may publish",
      absent,
      { phase: "Pending" },
      { phase: "Failed", blocked: "ModelNotFound" },
    ],
    [
      "what a person may mend is looked at every minute",
      mendable,
      {},
      { phase: "Degraded", degraded: "InvalidRuntimeVersion", wait: 60 },
    ],
    [
      "what passes is resolved meanwhile",
      passing,
      {},
      { phase: "Resolving", blocked: "ResolveFailed" },
    ],
    ["and does not queue, whatever it did", passing, { phase: "Pending" }, { phase: "Resolving" }],
  ])("%s", (_, refusal, status, expected) => {
    expect(told(refusal, status)).toMatchObject({ notices: [], ...expected });
  });

  test.each([forGood, absent, mendable, passing])(
    "a candidate is let go of, and has not failed: %j",
    (refusal) => {
      expect(
        told(refusal, { phase: "Caching", candidateRevision: revision("candidate") }),
      ).toMatchObject({
        candidate: undefined,
        failed: undefined,
        notices: ["CandidateSuperseded"],
      });
    },
  );
});

describe("84: what serves goes on serving", () => {
  const serves = (fields: DecisionModelStatus = {}): DecisionModelStatus => ({
    phase: "Ready",
    stableRevision: stable,
    ...fields,
  });
  const resolved = (reason: string): DecisionModelStatus => ({
    conditions: [
      { type: "Resolved", status: "False", reason, message: "no", lastTransitionTime: ago(60) },
    ],
  });

  test.each<readonly [string, Refusal, DecisionModelStatus, readonly string[]]>([
    ["and a refusal is told", absent, serves(), ["CandidateRejected"]],
    ["once", absent, serves(resolved("ModelNotFound")), []],
    [
      "and again for another reason",
      forGood,
      serves(resolved("ModelNotFound")),
      ["CandidateRejected"],
    ],
    ["but not where it passes", passing, serves(), []],
  ])("%s", (_, refusal, status, notices) => {
    expect(told(refusal, status)).toMatchObject({
      phase: "Ready",
      notices,
      blocked: undefined,
      resolved: { status: "False", reason: refusal.reason, message: "no" },
    });
  });

  it("and a roll-out that queued leaves the queue", () => {
    expect(told(passing, serves({ phase: "Pending" })).phase).toBe("Ready");
  });

  it("and a failure from before stands", () => {
    const failed = revision("failed", { reason: "StartTimeout" });
    expect(told(passing, serves({ phase: "RolledBack", failedRevision: failed }))).toMatchObject({
      phase: "RolledBack",
      failed,
    });
  });
});
