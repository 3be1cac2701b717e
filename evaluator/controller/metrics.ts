import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { PHASES } from "../../api/decision-model.ts";
import type { DecisionModel, DecisionModelStatus } from "../../api/gen/decisionmodels.ts";
import { type Instant, parseInstant } from "../../kube/instant.ts";
import type { Notice } from "../rollout/decision.ts";

/** What a pass's reason says of how a roll-out ended. */
const RESULTS: Readonly<Record<string, string>> = {
  Promoted: "promoted",
  RolledBack: "rolled_back",
  Failed: "failed",
  RolledBackAfterPromotion: "rolled_back_after_promotion",
  CandidateSuperseded: "superseded",
  CandidateRejected: "refused",
};

const PROBES: Readonly<Record<string, string>> = {
  ModelReady: "ready",
  DigestMismatch: "digest_mismatch",
  DeviceMismatch: "device_mismatch",
  NotPinned: "not_pinned",
  ProbeError: "error",
};

const PHASE_SECONDS = [5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600];
const PASS_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** How a pass ended, for counting. */
export type PassResult = "done" | "behind" | "gone" | "failed" | "bug";

/** The evaluator's Prometheus metrics. Those of a DecisionModel say what its status says, and go with it. */
export interface Metrics {
  readonly registry: Registry;
  /** Takes over what a status that was written says, and counts what it told. */
  told(
    before: DecisionModel,
    after: DecisionModelStatus,
    notices: readonly Notice[],
    now: Instant,
  ): void;
  /** Takes over what a status says that was found, as after a start. */
  found(model: DecisionModel): void;
  /** Counts that the gate of a pod was set for a reason. */
  gated(reason: string): void;
  resolved(seconds: number): void;
  passed(result: PassResult, seconds: number): void;
  removed(namespace: string, name: string): void;
}

/** Builds the metrics on a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ["namespace", "name"];
  const gauge = (name: string, help: string, more: readonly string[] = []) =>
    new Gauge({ name, help, labelNames: [...labelNames, ...more], registers });
  const phase = gauge("decisionmodel_phase", "1 for the phase that a DecisionModel is in", [
    "phase",
  ]);
  const ready = gauge(
    "decisionmodel_model_ready_replicas",
    "Pods that have the model of the stable revision ready",
  );
  const desired = gauge("decisionmodel_desired_replicas", "spec.replicas");
  const accuracy = gauge(
    "decisionmodel_evaluation_accuracy",
    "Accuracy of the candidate evaluated last",
  );
  const ece = gauge(
    "decisionmodel_evaluation_ece",
    "Expected calibration error of the candidate evaluated last",
  );
  const f1 = gauge("decisionmodel_evaluation_macro_f1", "Macro-F1 of the candidate evaluated last");
  const revision = gauge("decisionmodel_revision_info", "1 for each revision there is, by role", [
    "role",
    "model",
    "digest",
  ]);
  const own = [phase, ready, desired, accuracy, ece, f1, revision];
  const rollouts = new Counter({
    name: "decisionmodel_rollouts_total",
    help: "Roll-outs that ended, by result",
    labelNames: ["result"],
    registers,
  });
  const phaseSeconds = new Histogram({
    name: "decisionmodel_phase_duration_seconds",
    help: "How long DecisionModels were in a phase that they left",
    labelNames: ["phase"],
    buckets: PHASE_SECONDS,
    registers,
  });
  const probes = new Counter({
    name: "decisionmodel_probe_results_total",
    help: "Pods whose readiness gate changed, by what their server said",
    labelNames: ["result"],
    registers,
  });
  const resolve = new Histogram({
    name: "decisionmodel_registry_resolve_duration_seconds",
    help: "How long it took a registry to say what a tag means",
    registers,
  });
  const passes = new Histogram({
    name: "decisionmodel_reconcile_duration_seconds",
    help: "Passes over a DecisionModel, by how they ended",
    labelNames: ["result"],
    buckets: PASS_SECONDS,
    registers,
  });
  /** The labels of each DecisionModel's series: to remove one, all its labels must be known. */
  const series = new Map<string, Map<string, () => void>>();

  function show(key: string, of: Gauge, labels: Record<string, string>, value: number): void {
    of.set(labels, value);
    const known = series.get(key) ?? new Map<string, () => void>();
    series.set(key, known);
    known.set(JSON.stringify([own.indexOf(of), labels]), () => of.remove(labels));
  }

  function removed(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    for (const remove of series.get(key)?.values() ?? []) remove();
    series.delete(key);
  }

  function showStatus({ metadata }: DecisionModel, status: DecisionModelStatus): void {
    const { namespace = "", name = "" } = metadata;
    const key = `${namespace}/${name}`;
    removed(namespace, name);
    const of = { namespace, name };
    for (const one of PHASES) {
      show(key, phase, { ...of, phase: one }, status.phase === one ? 1 : 0);
    }
    show(key, ready, of, status.replicas?.modelReady ?? 0);
    show(key, desired, of, status.replicas?.desired ?? 0);
    const { accuracy: right, ece: error, macroF1 } = status.evaluation ?? {};
    if (right !== undefined) show(key, accuracy, of, Number(right));
    if (error !== undefined) show(key, ece, of, Number(error));
    if (macroF1 !== undefined) show(key, f1, of, Number(macroF1));
    const roles = { stable: status.stableRevision, candidate: status.candidateRevision };
    for (const [role, known] of Object.entries(roles)) {
      if (known === undefined) continue;
      show(key, revision, { ...of, role, model: known.model, digest: known.digest }, 1);
    }
  }

  return {
    registry,
    found: (model) => {
      if (model.status !== undefined) showStatus(model, model.status);
    },
    told(before, after, notices, now) {
      showStatus(before, after);
      const left = before.status?.phase;
      const since = parseInstant(before.status?.phaseTransitionTime);
      if (left !== undefined && left !== after.phase && since !== undefined) {
        phaseSeconds.observe({ phase: left }, Math.max(0, now - since) / 1000);
      }
      for (const { reason } of notices) {
        const result = RESULTS[reason];
        if (result !== undefined) rollouts.inc({ result });
      }
    },
    gated(reason) {
      const result = PROBES[reason];
      if (result !== undefined) probes.inc({ result });
    },
    resolved: (seconds) => resolve.observe(seconds),
    passed: (result, seconds) => passes.observe({ result }, seconds),
    removed,
  };
}
