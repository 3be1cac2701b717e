import { describe, expect, it, test } from "vitest";
import type {
  DecisionModelSpec,
  DecisionModelStatus,
  EvaluationSpec,
} from "../../api/gen/decisionmodels.ts";
import { passOver, revision } from "../../test/support/decision-model.ts";
import { policyHash } from "../evaluation/identity.ts";
import { approvalOf, evaluationPolicy } from "./policy.ts";
import { applyRetry, consumeApproval, readmits } from "./retry.ts";
import type { WorldDataset } from "./world.ts";

const failed = revision("bad", { reason: "StartTimeout", message: "late" });
const annotated = (name: string, value: string) => ({
  annotations: { [`decisionmodel.io/${name}`]: value },
});

describe("a retry token", () => {
  function applied(token: string | undefined, status: DecisionModelStatus) {
    const metadata = token === undefined ? {} : annotated("retry", token);
    const pass = passOver({ status, metadata });
    applyRetry(pass);
    return { status: pass.status, notices: pass.decision().notices.map(({ reason }) => reason) };
  }

  test.each<readonly [string, string | undefined, DecisionModelStatus]>([
    ["that is not there", undefined, { failedRevision: failed }],
    ["that is empty", "", { failedRevision: failed }],
    ["that was seen", "1", { failedRevision: failed, lastRetryToken: "1" }],
  ])("%s changes nothing", (_, token, status) => {
    expect(applied(token, status)).toEqual({ status, notices: [] });
  });

  it("that is new lets a failed revision be tried again", () => {
    expect(applied("2", { failedRevision: failed, lastRetryToken: "1" })).toEqual({
      status: { lastRetryToken: "2" },
      notices: [],
    });
  });

  it("58: lets a store be filled again that was given up", () => {
    const storeRecovery = { attempts: 3, exhausted: true };
    expect(applied("1", { storeRecovery })).toEqual({
      status: { lastRetryToken: "1" },
      notices: [],
    });
  });

  it("does not reset the count of a store that is being filled", () => {
    const storeRecovery = { attempts: 2 };
    expect(applied("1", { failedRevision: failed, storeRecovery }).status).toEqual({
      lastRetryToken: "1",
      storeRecovery,
    });
  });

  it("57: with nothing to try again is recorded and said, so that it arms nothing later", () => {
    const first = applied("1", {});
    expect(first).toEqual({ status: { lastRetryToken: "1" }, notices: ["RetryNoop"] });
    const later = { ...first.status, failedRevision: failed };
    expect(applied("1", later)).toEqual({ status: later, notices: [] });
  });

  test.each(["x".repeat(1000), `${"x".repeat(255)}😀`])("of any length is seen once", (token) => {
    const first = applied(token, { failedRevision: failed });
    expect(
      applied(token, { ...first.status, failedRevision: failed }).status.failedRevision,
    ).toEqual(failed);
  });
});

describe("39: the approval of what is stable is taken off", () => {
  const status = { stableRevision: revision("a1b2c3d4e5f60718") };
  const taken = (value: string, of: DecisionModelStatus) => {
    const pass = passOver({ status: of, metadata: annotated("promote", value) });
    consumeApproval(pass);
    return pass.decision().followUp;
  };

  test.each(["798c082a8c33", "a1b2c3d4e5f60718"])("if it is %s", (value) => {
    expect(approvalOf("a1b2c3d4e5f60718", status)).toBe("798c082a8c33");
    expect(taken(value, status)).toEqual([
      { type: "RemoveAnnotation", annotation: "decisionmodel.io/promote" },
    ]);
  });

  test.each<readonly [string, string, DecisionModelStatus]>([
    ["if it is another's", "ecdf06f2d1ca", status],
    ["if it is none", "", status],
    [
      "before the promotion is recorded",
      "798c082a8c33",
      { candidateRevision: status.stableRevision },
    ],
  ])("not %s", (_, value, of) => {
    expect(taken(value, of)).toEqual([]);
  });
});

describe("what failed for want of evidence is tried again", () => {
  const evaluation: EvaluationSpec = {
    datasetRef: { configMapRef: { name: "golden", key: "cases.jsonl" } },
    minAccuracy: "0.90",
    maxCases: 500,
    parallelism: 4,
  };
  const specOf = (one: EvaluationSpec | undefined): Partial<DecisionModelSpec> => ({
    rollout: {
      manualPromotion: false,
      strategy: "BlueGreen",
      ...(one === undefined ? {} : { evaluation: one }),
    },
  });
  const policy = evaluationPolicy(passOver({ spec: specOf(evaluation) }).spec);
  const hash = policy === undefined ? "" : policyHash(policy);
  const insufficient = { ...failed, reason: "InsufficientEvidence" };
  const record = { revision: "bad", policyHash: hash, datasetDigest: "d" };
  const dataset = (digest: string): WorldDataset => ({
    state: "found",
    digest,
    deprecatedLabel: false,
    decoded: { ok: true, dataset: { cases: [] } } as never,
  });

  test.each<
    readonly [
      string,
      DecisionModelStatus,
      EvaluationSpec | undefined,
      WorldDataset | undefined,
      boolean,
    ]
  >([
    [
      "not by the same policy and dataset",
      { failedRevision: insufficient, evaluation: record },
      evaluation,
      dataset("d"),
      false,
    ],
    [
      "not while the dataset is not there",
      { failedRevision: insufficient, evaluation: record },
      evaluation,
      undefined,
      false,
    ],
    [
      "by another dataset",
      { failedRevision: insufficient, evaluation: record },
      evaluation,
      dataset("e"),
      true,
    ],
    [
      "by another policy",
      { failedRevision: insufficient, evaluation: record },
      { ...evaluation, minAccuracy: "0.80" },
      dataset("d"),
      true,
    ],
    [
      "by no policy at all",
      { failedRevision: insufficient, evaluation: record },
      undefined,
      undefined,
      true,
    ],
    [
      "not if it failed of something else",
      { failedRevision: failed, evaluation: record },
      evaluation,
      dataset("e"),
      false,
    ],
    [
      "not if what is recorded is another's",
      { failedRevision: insufficient, evaluation: { ...record, revision: "x" } },
      evaluation,
      dataset("e"),
      false,
    ],
  ])("%s", (_, status, of, found, expected) => {
    const pass = passOver({ spec: specOf(of), status, world: { dataset: found } });
    expect(readmits(pass)).toBe(expected);
    expect(pass.status.failedRevision === undefined).toBe(expected);
    expect(pass.decision().notices).toHaveLength(expected ? 1 : 0);
  });
});
