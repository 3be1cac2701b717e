import { describe, expect, it, test } from "vitest";
import type { DecisionModelStatus } from "../../api/gen/decisionmodels.ts";
import { ago, decisionModel, NOW, revision } from "../../test/support/decision-model.ts";
import type { Notice } from "../rollout/decision.ts";
import { createMetrics, type Metrics } from "./metrics.ts";

/** The series of a metric as a scrape has them, without those that are 0. */
async function series(metrics: Metrics, name: string): Promise<readonly string[]> {
  const text = await metrics.registry.metrics();
  return text
    .split("\n")
    .filter(
      (line) =>
        (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && !line.endsWith(" 0"),
    )
    .map((line) => line.slice(name.length).trim());
}

const status: DecisionModelStatus = {
  phase: "Evaluating",
  phaseTransitionTime: ago(90),
  replicas: { desired: 3, modelReady: 2 },
  stableRevision: revision("stable"),
  candidateRevision: revision("candidate", { model: "laya:2" }),
  evaluation: { revision: "candidate", accuracy: "0.9250", ece: "0.0500", macroF1: "0.4444" },
};
const OF = 'namespace="default",name="support-router"';

describe("the series of a DecisionModel", () => {
  const metrics = () => {
    const made = createMetrics();
    made.found(decisionModel({ status }));
    return made;
  };

  test.each([
    ["decisionmodel_phase", [`{${OF},phase="Evaluating"} 1`]],
    ["decisionmodel_model_ready_replicas", [`{${OF}} 2`]],
    ["decisionmodel_desired_replicas", [`{${OF}} 3`]],
    ["decisionmodel_evaluation_accuracy", [`{${OF}} 0.925`]],
    ["decisionmodel_evaluation_ece", [`{${OF}} 0.05`]],
    ["decisionmodel_evaluation_macro_f1", [`{${OF}} 0.4444`]],
    [
      "decisionmodel_revision_info",
      [
        `{${OF},role="stable",model="laya:en",digest="${"a".repeat(64)}"} 1`,
        `{${OF},role="candidate",model="laya:2",digest="${"a".repeat(64)}"} 1`,
      ],
    ],
  ])("%s", async (name, expected) => {
    expect(await series(metrics(), name)).toEqual(expected);
  });

  it("have one phase at a time, and no revision of another time", async () => {
    const made = metrics();
    made.told(
      decisionModel({ status }),
      { phase: "Ready", stableRevision: revision("candidate", { model: "laya:2" }) },
      [],
      NOW,
    );
    expect(await series(made, "decisionmodel_phase")).toEqual([`{${OF},phase="Ready"} 1`]);
    expect(await series(made, "decisionmodel_revision_info")).toHaveLength(1);
    expect(await series(made, "decisionmodel_evaluation_accuracy")).toEqual([]);
  });

  it("go with it, and with nobody else", async () => {
    const made = metrics();
    made.found(decisionModel({ status, metadata: { name: "other" } }));
    made.removed("default", "support-router");
    const text = await made.registry.metrics();
    expect(text).not.toContain('name="support-router"');
    expect(text).toContain('name="other"');
    made.removed("default", "unknown");
  });

  it("are none before its first status", async () => {
    const made = createMetrics();
    made.found(decisionModel());
    expect(await made.registry.metrics()).not.toContain('name="support-router"');
  });
});

describe("how long a phase took", () => {
  const sums = async (before: DecisionModelStatus | undefined, later: DecisionModelStatus) => {
    const made = createMetrics();
    made.told(decisionModel(before === undefined ? {} : { status: before }), later, [], NOW);
    return series(made, "decisionmodel_phase_duration_seconds_sum");
  };
  test.each<
    readonly [string, DecisionModelStatus | undefined, DecisionModelStatus, readonly string[]]
  >([
    ["is counted when it is left", status, { phase: "Ready" }, ['{phase="Evaluating"} 90']],
    ["not while it goes on", status, { phase: "Evaluating" }, []],
    ["not for the first", undefined, { phase: "Pending" }, []],
    ["not without its beginning", { phase: "Caching" }, { phase: "Starting" }, []],
  ])("%s", async (_, before, later, expected) => {
    expect(await sums(before, later)).toEqual(expected);
  });
});

describe("counters", () => {
  it("count how roll-outs end, and nothing else that is told", async () => {
    const made = createMetrics();
    const notices: readonly Notice[] = [
      "Promoted",
      "RolledBack",
      "Failed",
      "RolledBackAfterPromotion",
      "CandidateSuperseded",
      "CandidateRejected",
      "Cached",
    ].map((reason) => ({ type: "Normal", reason, message: "" }));
    made.told(decisionModel(), { phase: "Ready" }, notices, NOW);
    expect(await series(made, "decisionmodel_rollouts_total")).toEqual([
      '{result="promoted"} 1',
      '{result="rolled_back"} 1',
      '{result="failed"} 1',
      '{result="rolled_back_after_promotion"} 1',
      '{result="superseded"} 1',
      '{result="refused"} 1',
    ]);
  });

  it("count what gates were set to", async () => {
    const made = createMetrics();
    for (const reason of [
      "ModelReady",
      "ModelReady",
      "DigestMismatch",
      "DeviceMismatch",
      "NotPinned",
      "ProbeError",
      "Starting",
    ]) {
      made.gated(reason);
    }
    expect(await series(made, "decisionmodel_probe_results_total")).toEqual([
      '{result="ready"} 2',
      '{result="digest_mismatch"} 1',
      '{result="device_mismatch"} 1',
      '{result="not_pinned"} 1',
      '{result="error"} 1',
    ]);
  });

  it("count passes by how they ended, and what registries took", async () => {
    const made = createMetrics();
    made.passed("done", 0.25);
    made.passed("bug", 0.5);
    made.resolved(1.5);
    expect(await series(made, "decisionmodel_reconcile_duration_seconds_sum")).toEqual([
      '{result="done"} 0.25',
      '{result="bug"} 0.5',
    ]);
    expect(await series(made, "decisionmodel_registry_resolve_duration_seconds_sum")).toEqual([
      "1.5",
    ]);
  });
});
