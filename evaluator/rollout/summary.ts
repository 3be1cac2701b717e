import type { FailureReason, ProgressReason } from "../../api/decision-model.ts";
import { endpointOf } from "../builders/service.ts";
import type { Cause, Pass } from "./pass.ts";
import { described } from "./revision.ts";

/**
 * Sets what follows from all that was decided: counts, endpoint, and the conditions that people and
 * tools wait for. `Ready` tells whether the stable revision serves, whatever else goes on; its
 * reason says what does.
 */
export function summarise(pass: Pass): void {
  const { status, spec, model } = pass;
  const shown = status.stableRevision ?? status.candidateRevision;
  const ready = pass.gated.get(shown?.hash ?? "")?.ready.length ?? 0;
  status.replicas = { desired: spec.replicas, modelReady: ready };
  if (status.stableRevision !== undefined) status.endpoint = endpointOf(model);
  sayModelReady(pass, ready);
  sayReady(pass, ready);
  sayDegraded(pass);
  sayProgress(pass);
}

/** While a candidate starts, the condition is about its pods. */
function sayModelReady(pass: Pass, ready: number): void {
  const { status, spec } = pass;
  const stable = status.stableRevision;
  if (stable === undefined || status.candidateRevision !== undefined) return;
  const counted = `${ready} of ${spec.replicas} pods of ${described(stable)} have the model ready`;
  if (ready >= spec.replicas) {
    pass.set("ModelReady", "True", "ModelReady", counted);
    return;
  }
  const waits = pass.gated.get(stable.hash)?.waiting;
  const message = waits === undefined ? counted : `${counted}: ${waits.message}`;
  const reason = ready === 0 ? "NoModelReadyPods" : "ReplicasNotModelReady";
  pass.set("ModelReady", "False", reason, message);
}

function sayReady(pass: Pass, ready: number): void {
  const { stableRevision: stable, phase = "Pending" } = pass.status;
  const told = pass.blocked ?? rejection(pass);
  if (stable === undefined) {
    const message = told?.message ?? `no revision serves yet: phase ${phase}`;
    pass.set("Ready", "False", told?.reason ?? "NoModelReadyPods", message);
    return;
  }
  if (ready > 0) {
    const serves = `${described(stable)} serves`;
    const message = told === undefined ? serves : `${serves}; ${told.message}`;
    pass.set("Ready", "True", told?.reason ?? "Ready", message);
    return;
  }
  const none = `no pod of ${described(stable)} has the model ready`;
  const message = told === undefined ? none : `${none}; ${told.message}`;
  const restores = told?.reason === "StableRestoring";
  pass.set("Ready", "False", restores ? "StableRestoring" : "NoModelReadyPods", message);
}

/** Says that what the spec wants was tried and failed, or can't be judged by what is known. */
function rejection(pass: Pass): Cause<"Ready"> | undefined {
  const { failedRevision: failed, candidateRevision: candidate } = pass.status;
  const promoted = pass.condition("Promoted");
  if (candidate !== undefined) {
    return promoted?.reason === "InsufficientEvidence"
      ? { reason: "InsufficientEvidence", message: promoted.message }
      : undefined;
  }
  if (failed === undefined) return undefined;
  const why = `${failed.reason ?? "RevisionFailed"}: ${failed.message ?? ""}`;
  return { reason: "CandidateRejected", message: `${described(failed)} was rejected: ${why}` };
}

/** A recorded reason; only this operator and older ones write it. */
const failureReason = (reason: string | undefined) => (reason || "RevisionFailed") as FailureReason;

/** Whatever is wrong, first what this pass has found, then the failure that stands. */
function sayDegraded(pass: Pass): void {
  const { failedRevision: failed, candidateRevision: candidate } = pass.status;
  const stands =
    failed === undefined || candidate !== undefined
      ? undefined
      : { reason: failureReason(failed.reason), message: failed.message ?? "" };
  const found = pass.degraded ?? stands ?? unready(pass);
  if (found === undefined) {
    pass.set("Degraded", "False", "AsExpected", "nothing is wrong");
    return;
  }
  pass.set("Degraded", "True", found.reason, found.message);
}

function unready(pass: Pass): Cause<"Degraded"> | undefined {
  const said = pass.condition("ModelReady");
  const { stableRevision, candidateRevision } = pass.status;
  if (stableRevision === undefined || candidateRevision !== undefined) return undefined;
  if (said?.reason !== "NoModelReadyPods" && said?.reason !== "ReplicasNotModelReady") {
    return undefined;
  }
  return { reason: said.reason, message: said.message };
}

/** What tools that follow kstatus read: whether to wait, or whether waiting is in vain. */
function sayProgress(pass: Pass): void {
  const { failedRevision } = pass.status;
  const { phase = "Pending" } = pass;
  const ended = phase === "RolledBack" || phase === "Failed";
  const stalls = pass.refusal === undefined ? ended : pass.refusal.lasts !== "for-a-while";
  const settled = phase === "Ready" && pass.condition("Stabilizing") === undefined;
  const works = pass.refusal === undefined ? !ended && !settled : !stalls;
  const failure = failedRevision === undefined ? undefined : failureReason(failedRevision.reason);
  const why: ProgressReason = pass.refusal?.reason ?? (ended ? (failure ?? phase) : phase);
  const message = pass.refusal?.message ?? pass.condition("Ready")?.message ?? "";
  const stabilizes = phase === "Ready" && !settled;
  pass.set("Reconciling", works ? "True" : "False", stabilizes ? "Stabilizing" : why, message);
  pass.set("Stalled", stalls ? "True" : "False", why, message);
}
