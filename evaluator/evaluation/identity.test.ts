import { describe, expect, it, test } from "vitest";
import { compare, ratio } from "./fraction.ts";
import {
  approvalId,
  datasetDigest,
  type EvaluationPolicy,
  evaluationKey,
  policyHash,
  SCORER_VERSION,
  scoreTolerance,
} from "./identity.ts";

const golden: EvaluationPolicy = {
  minAccuracy: "0.90",
  dataset: { kind: "ConfigMap", name: "golden", key: "cases.jsonl" },
};
const revision = "a1b2c3d4e5f60718";
const bytes = Buffer.from(
  '{"state":{},"questions":{"q1":{"type":"choice"}},"expected":{"q1":"billing"}}\n',
);
const digest = "79b5c9baea477c3cabe223b149e2e45fb40e42b55e253eab5462e68431085d59";

describe("policyHash", () => {
  it("is the reference's for its scorer version 1", () => {
    expect(policyHash(golden, 1)).toBe("1e1178f2fc1b80cd");
    expect(policyHash({ ...golden, minMacroF1: "0.80" }, 1)).toBe("be43a79963d4707d");
  });

  it("36: is another one for another scorer version", () => {
    expect(SCORER_VERSION).toBe(2);
    expect(policyHash(golden)).toBe(policyHash(golden, 2));
    expect(policyHash(golden)).not.toBe(policyHash(golden, 1));
  });

  test.each(["0.5", "0.50", "0.500", "00.5"])("takes a tolerance of %s for none", (tolerance) => {
    expect(policyHash({ ...golden, scoreTolerance: tolerance })).toBe(policyHash(golden));
  });

  const changes: readonly (readonly [string, Partial<EvaluationPolicy>])[] = [
    ["minAccuracy as written", { minAccuracy: "0.9" }],
    ["maxAccuracyDrop", { maxAccuracyDrop: "0.02" }],
    ["maxECE", { maxECE: "0.02" }],
    ["maxECEIncrease", { maxECEIncrease: "0.02" }],
    ["minMacroF1", { minMacroF1: "0.02" }],
    ["maxMacroF1Drop", { maxMacroF1Drop: "0.02" }],
    ["confidence", { confidence: "0.95" }],
    ["minCoverage", { minCoverage: "0.95" }],
    ["maxCases", { maxCases: 50 }],
    ["scoreTolerance", { scoreTolerance: "5" }],
    ["a tenth of it", { scoreTolerance: "50" }],
    ["the kind of the source", { dataset: { ...golden.dataset, kind: "Secret" } }],
    ["the name of the source", { dataset: { ...golden.dataset, name: "other" } }],
    ["the key of the source", { dataset: { ...golden.dataset, key: "other" } }],
  ];
  test.each(changes)("changes with %s", (_, change) => {
    const changed = { ...golden, ...change };
    expect(policyHash(changed)).not.toBe(policyHash(golden));
    const hashes = changes.map(([, other]) => policyHash({ ...golden, ...other }));
    expect(hashes.filter((hash) => hash === policyHash(changed))).toHaveLength(1);
  });
});

test("datasetDigest is the reference's, over bytes", () => {
  expect(datasetDigest(bytes)).toBe(digest);
  expect(datasetDigest(Uint8Array.of(0xff))).not.toBe(datasetDigest(Uint8Array.of(0xfe)));
});

describe("approvalId", () => {
  it("is the reference's, with and without an evaluation", () => {
    expect(approvalId(revision)).toBe("798c082a8c33");
    const evaluated = { policyHash: policyHash(golden, 1), datasetDigest: digest };
    expect(approvalId(revision, evaluated)).toBe("ecdf06f2d1ca");
  });

  it("32: is another one when the revision, the policy or the dataset is", () => {
    const evaluated = { policyHash: "p", datasetDigest: "d" };
    const ids = new Set([
      approvalId("r", evaluated),
      approvalId("s", evaluated),
      approvalId("r", { ...evaluated, policyHash: "q" }),
      approvalId("r", { ...evaluated, datasetDigest: "e" }),
      approvalId("r"),
    ]);
    expect(ids.size).toBe(5);
  });
});

test.each([
  [undefined, ratio(1, 2)],
  ["0.50", ratio(1, 2)],
  ["2", ratio(2, 1)],
  ["a bit", ratio(0, 1)],
])("a scoreTolerance of %j is exact", (text, value) => {
  const policy = text === undefined ? golden : { ...golden, scoreTolerance: text };
  expect(compare(scoreTolerance(policy), value)).toBe(0);
});

describe("evaluationKey", () => {
  const model = { namespace: "team", name: "router", revision };
  const key = (policy: Partial<EvaluationPolicy>, ofDigest = digest) =>
    evaluationKey(model, ofDigest, { ...golden, ...policy });

  it("33, 34: is another one when the dataset, its cap or the tolerance is", () => {
    expect(key({ scoreTolerance: "1" })).not.toBe(key({}));
    expect(key({ maxCases: 2 })).not.toBe(key({}));
    expect(key({}, "other")).not.toBe(key({}));
    expect(evaluationKey({ ...model, revision: "r" }, digest, golden)).not.toBe(key({}));
    expect(evaluationKey(model, digest, golden, 3)).not.toBe(key({}));
  });

  it("is the same whatever the thresholds, and for equal tolerances", () => {
    expect(key({ minAccuracy: "0.95", maxECE: "0.1" })).toBe(key({}));
    expect(key({ scoreTolerance: "0.50" })).toBe(key({}));
  });
});
