import { describe, expect, it, test } from "vitest";
import type { DecisionModelStatus, EvaluationSpec, Rollout } from "../../api/gen/decisionmodels.ts";
import { decisionModel, revision } from "../../test/support/decision-model.ts";
import { policyHash } from "../evaluation/identity.ts";
import {
  approvalOf,
  evaluationPolicy,
  needsDataset,
  promotionOf,
  recreates,
  stabilizationOf,
  timeoutsOf,
} from "./policy.ts";

const MINUTE = 60_000;
const evaluation: EvaluationSpec = {
  datasetRef: { configMapRef: { name: "golden", key: "cases.jsonl" } },
  minAccuracy: "0.90",
  maxCases: 500,
  parallelism: 4,
};
const withRollout = (rollout?: Partial<Rollout>) =>
  decisionModel({
    spec:
      rollout === undefined
        ? {}
        : { rollout: { manualPromotion: false, strategy: "BlueGreen", ...rollout } },
  });
const specOf = (rollout?: Partial<Rollout>) => withRollout(rollout).spec;

describe("who promotes", () => {
  test.each<readonly [Partial<Rollout> | undefined, string]>([
    [undefined, "Automatic"],
    [{}, "Automatic"],
    [{ evaluation }, "EvaluationGated"],
    [{ manualPromotion: true }, "Manual"],
    [{ manualPromotion: true, evaluation }, "Manual"],
    [{ promotion: "Manual", evaluation }, "Manual"],
    [{ promotion: "Automatic", evaluation }, "Automatic"],
    [{ promotion: "EvaluationGated", evaluation }, "EvaluationGated"],
  ])("under %j: %s", (rollout, expected) => {
    expect(promotionOf(specOf(rollout))).toBe(expected);
  });
});

it("only the strategy Recreate stops what serves", () => {
  expect(
    [undefined, {}, { strategy: "Recreate" as const }].map((one) => recreates(specOf(one))),
  ).toEqual([false, false, true]);
});

describe("the timeouts", () => {
  test.each<readonly [Rollout["timeouts"], readonly [number, number, number, number]]>([
    [undefined, [30, 10, 10, 120]],
    [{ caching: "1h30m", starting: "90s", evaluating: "5m" }, [90, 1.5, 5, 120]],
    [{ caching: "2h" }, [120, 10, 10, 140]],
    [{ total: "20m" }, [30, 10, 10, 20]],
    [{ caching: "24h", total: "1h" }, [1440, 10, 10, 60]],
  ])("of %j are %j minutes", (timeouts, minutes) => {
    const [caching, starting, evaluating, total] = minutes.map((one) => one * MINUTE);
    const rollout = timeouts === undefined ? {} : { timeouts };
    expect(timeoutsOf(specOf(rollout))).toEqual({ caching, starting, evaluating, total });
  });
});

describe("a promoted revision is watched", () => {
  test.each([
    [undefined, 5 * MINUTE],
    ["0", 0],
    ["0s", 0],
    ["1m", MINUTE],
    ["1.5h", 90 * MINUTE],
  ])("for stabilization %s: %s ms", (stabilization, expected) => {
    expect(stabilizationOf(specOf(stabilization === undefined ? {} : { stabilization }))).toBe(
      expected,
    );
  });
});

describe("the evaluation policy", () => {
  const hashOf = (one: EvaluationSpec) => {
    const policy = evaluationPolicy(specOf({ evaluation: one }));
    return policy === undefined ? undefined : policyHash(policy, 1);
  };

  it("is none where nothing is evaluated", () => {
    expect([evaluationPolicy(specOf()), evaluationPolicy(specOf({}))]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("of a spec has the hash that operators agree on", () => {
    expect(hashOf(evaluation)).toBe("1e1178f2fc1b80cd");
    expect(hashOf({ ...evaluation, minMacroF1: "0.80" })).toBe("be43a79963d4707d");
  });

  it("is no other for another parallelism", () => {
    expect(hashOf({ ...evaluation, parallelism: 16 })).toBe(hashOf(evaluation));
  });

  it("is another for a dataset of the same name in a Secret", () => {
    const secretRef = { name: "golden", key: "cases.jsonl" };
    expect(hashOf({ ...evaluation, datasetRef: { secretRef } })).not.toBe(hashOf(evaluation));
    expect(
      evaluationPolicy(specOf({ evaluation: { ...evaluation, datasetRef: { secretRef } } })),
    ).toMatchObject({
      dataset: { kind: "Secret", ...secretRef },
      minAccuracy: "0.90",
    });
  });
});

describe("the dataset is read", () => {
  const failed = (reason: string): DecisionModelStatus => ({
    phase: "RolledBack",
    failedRevision: revision("new", { reason }),
  });
  test.each<readonly [DecisionModelStatus, boolean]>([
    [{}, false],
    [{ phase: "Ready" }, false],
    [{ phase: "Caching" }, false],
    [{ phase: "Starting" }, false],
    [{ phase: "Evaluating" }, true],
    [{ phase: "AwaitingPromotion" }, true],
    [failed("EvaluationFailed"), false],
    [failed("InsufficientEvidence"), true],
  ])("with status %j: %j", (status, expected) => {
    expect(needsDataset({ ...withRollout({ evaluation }), status })).toBe(expected);
    expect(needsDataset({ ...withRollout({}), status })).toBe(false);
  });
});

describe("an approval names the revision and what it was evaluated by", () => {
  const datasetDigest = "79b5c9ba".padEnd(64, "0");
  const evaluated = { revision: "a1b2c3d4e5f60718", policyHash: "1e1178f2fc1b80cd", datasetDigest };
  const plain = approvalOf("a1b2c3d4e5f60718", {});

  it("without an evaluation by the revision alone", () => {
    expect(plain).toBe("798c082a8c33");
  });

  test.each<readonly [string, DecisionModelStatus["evaluation"], boolean]>([
    ["its own", evaluated, true],
    ["that of another revision", { ...evaluated, revision: "other" }, false],
    ["one without a policy", { revision: evaluated.revision, datasetDigest }, false],
    ["one without a dataset", { revision: evaluated.revision, policyHash: "x" }, false],
  ])("with %s", (_, record, counts) => {
    const id = approvalOf("a1b2c3d4e5f60718", record === undefined ? {} : { evaluation: record });
    expect(id).toMatch(/^[0-9a-f]{12}$/);
    expect(id !== plain).toBe(counts);
  });
});
