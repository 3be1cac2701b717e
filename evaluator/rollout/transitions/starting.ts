import type { Revision } from "../../../api/gen/decisionmodels.ts";
import { after, parseInstant } from "../../../kube/instant.ts";
import { type GatedPods, gatePods } from "../gate.ts";
import { reject } from "../outcome.ts";
import type { Pass } from "../pass.ts";
import { evaluationPolicy, timeoutsOf } from "../policy.ts";
import { stableIsStopped } from "../recreate.ts";
import { described } from "../revision.ts";
import { serve } from "../serving.ts";
import { settle } from "./settle.ts";

/** Has the candidate's pods started, until as many as will serve have the model ready. */
export function start(pass: Pass, candidate: Revision): void {
  pass.enter("Starting");
  const { starting } = timeoutsOf(pass.spec);
  const began = parseInstant(pass.status.phaseTransitionTime) ?? pass.now;
  const late = pass.now > after(began, starting);
  if (!stableIsStopped(pass)) {
    pass.set("ModelReady", "False", "Starting", "the stable revision's pods stop first");
    if (late) rejectLate(pass, candidate, "the stable revision's pods did not stop");
    return;
  }
  const pods = gatePods(pass, candidate, serve(pass, candidate));
  const known = recordPrecision(pass, candidate, pods);
  if (pods.mismatch !== undefined) {
    const { reason, message } = pods.mismatch;
    pass.notice("Warning", "ProbeMismatch", message);
    reject(pass, candidate, { reason, message });
    return;
  }
  const desired = pass.spec.replicas;
  if (pods.ready.length >= desired) {
    pass.set("ModelReady", "True", "ModelReady", readyMessage(candidate, pods, desired));
    if (evaluationPolicy(pass.spec) === undefined) {
      const message = `no evaluation is configured for ${described(candidate)}`;
      pass.set("Evaluated", "True", "EvaluationSkipped", message);
      settle(pass, known);
      return;
    }
    // The phase comes first, so that whatever holds the evaluation is bounded by its deadline.
    pass.enter("Evaluating");
    pass.set("Evaluated", "False", "EvaluationRunning", `${described(candidate)} is evaluated`);
    pass.notice("Normal", "EvaluationStarted", `${described(candidate)} is evaluated`);
    pass.wakeAfter(0);
    return;
  }
  notReady(pass, candidate, pods);
  if (late) rejectLate(pass, candidate, pass.condition("ModelReady")?.message ?? "");
}

/** Says why a candidate's pods are fewer than will serve; the roll-out goes back to starting them. */
export function notReady(pass: Pass, candidate: Revision, pods: GatedPods): void {
  pass.enter("Starting");
  const waits = pods.crashing ?? pods.waiting?.message ?? "its pods are not there yet";
  const reason = pods.waiting?.reason ?? "Starting";
  const message = `${readyMessage(candidate, pods, pass.spec.replicas)}: ${waits}`;
  pass.set("ModelReady", "False", reason === "ModelReady" ? "Starting" : reason, message);
}

function readyMessage(revision: Revision, { ready }: GatedPods, desired: number): string {
  return `${ready.length} of ${desired} pods of ${described(revision)} have the model ready`;
}

/** Notes the precision that the model was loaded with, which nobody is judged by. */
function recordPrecision(pass: Pass, revision: Revision, { precision }: GatedPods): Revision {
  if (precision === undefined || revision.precision === precision) return revision;
  pass.status.candidateRevision = { ...revision, precision };
  return pass.status.candidateRevision;
}

function rejectLate(pass: Pass, candidate: Revision, message: string): void {
  reject(pass, candidate, { reason: "StartTimeout", message: `not started in time: ${message}` });
}
