import { describe, expect, it, test } from "vitest";
import type { DecisionModelStatus, Rollout } from "../../../api/gen/decisionmodels.ts";
import { ago, byName, NOW, passOver, revision } from "../../../test/support/decision-model.ts";
import { deploymentOf, loaded, probed, servingPod } from "../../../test/support/serving-pods.ts";
import { decodeDataset } from "../../evaluation/dataset.ts";
import { ratio } from "../../evaluation/fraction.ts";
import type { ConcludedRun } from "../../evaluation/run.ts";
import { concludeRun } from "../../evaluation/run.ts";
import type { WorldDataset } from "../world.ts";
import { evaluate } from "./evaluating.ts";

const candidate = revision("0123456789abcdef");
const deployment = deploymentOf(candidate);
const line = { state: {}, questions: { q: { type: "noul" } }, expected: { q: true } };
const decoded = decodeDataset(Buffer.from(`${JSON.stringify(line)}\n`), 500);
if (!decoded.ok) throw new Error("the dataset of this test is no dataset");
const { cases, digest } = decoded.dataset;

const concluded = (noul: number): ConcludedRun =>
  concludeRun(cases, [{ state: "answered", answers: { q: { type: "noul", noul } } }], ratio(1, 2));
const dataset = (deprecatedLabel: boolean): WorldDataset => ({
  state: "found",
  digest,
  deprecatedLabel,
  decoded,
});

const rollout: Rollout = {
  manualPromotion: false,
  strategy: "BlueGreen",
  evaluation: {
    datasetRef: { secretRef: { name: "golden", key: "cases.jsonl" } },
    minAccuracy: "0.90",
    maxCases: 500,
    parallelism: 4,
  },
};
const beginning: DecisionModelStatus = {
  phase: "Evaluating",
  phaseTransitionTime: ago(60),
  rolloutStartedAt: ago(300),
  candidateRevision: candidate,
};
// A Service of somebody else keeps a candidate that passed from being promoted, so that it is judged again.
const service = { apiVersion: "v1", kind: "Service", metadata: { name: "support-router" } };

function evaluated(status: DecisionModelStatus, found: WorldDataset, outcome?: ConcludedRun) {
  const id = `evaluate/default/support-router/${candidate.hash}/${digest}/500/0.5/scorer-2`;
  const result =
    outcome === undefined
      ? undefined
      : { at: NOW, failures: 0, result: { type: "Evaluate", outcome } as const };
  const pass = passOver({
    spec: { rollout },
    status,
    world: {
      service,
      dataset: found,
      deployments: byName(deployment),
      pods: new Map([[deployment.metadata.uid as string, [servingPod("a")]]]),
      runs: new Map([
        ...probed("a", [loaded()]),
        ...(result === undefined ? [] : ([[id, { running: false, latest: result }]] as const)),
      ]),
    },
  });
  evaluate(pass, candidate);
  const { notices, runs, status: after } = pass.decision();
  return {
    notices: notices.map(({ type, reason }) => `${type} ${reason}`),
    asks: runs.filter((run) => run.work.type === "Evaluate").map((run) => run.id),
    status: after,
    id,
  };
}

describe("a candidate that is evaluated", () => {
  it("is asked every case, by an id that says what it is asked", () => {
    const { notices, asks, id, status } = evaluated(beginning, dataset(false));
    expect([notices, asks, status.phase]).toEqual([[], [id], "Evaluating"]);
  });

  test.each<readonly [string, ConcludedRun, readonly string[]]>([
    ["that passes", concluded(0.9), ["Normal EvaluationPassed"]],
    ["that fails", concluded(0.1), ["Warning EvaluationFailed", "Warning Failed"]],
  ])("%s is told of", (_, outcome, notices) => {
    expect(evaluated(beginning, dataset(false), outcome).notices).toEqual(notices);
  });
});

describe("30: a Secret that is a dataset by its older label alone", () => {
  const warning = "Warning DeprecatedSecretLabel";

  test.each([0.9, 0.1])("is warned of with the verdict, whatever that is (%j)", (noul) => {
    expect(evaluated(beginning, dataset(true), concluded(noul)).notices).toContain(warning);
  });

  it("is warned of once, though the verdict stands for many passes", () => {
    const first = evaluated(beginning, dataset(true), concluded(0.9));
    expect(first.notices).toEqual([warning, "Normal EvaluationPassed"]);
    expect(evaluated(first.status, dataset(true), concluded(0.9)).notices).toEqual([]);
  });

  it("is not warned of before there is one", () => {
    expect(evaluated(beginning, dataset(true)).notices).toEqual([]);
  });
});
