import { LABELS } from "../../../api/decision-model.ts";
import type { Revision } from "../../../api/gen/decisionmodels.ts";
import { jsonEqual } from "../../../kube/canonical.ts";
import { after, parseInstant } from "../../../kube/instant.ts";
import type { Verdict } from "../../evaluation/verdict.ts";
import { gatePods } from "../gate.ts";
import { type Judgement, judgement } from "../judgement.ts";
import { type Failure, reject } from "../outcome.ts";
import type { Pass } from "../pass.ts";
import { evaluationPolicy, recreates, timeoutsOf } from "../policy.ts";
import { described } from "../revision.ts";
import { serve } from "../serving.ts";
import { LIMITS } from "../settings.ts";
import { park, settle } from "./settle.ts";
import { notReady } from "./starting.ts";

/** Has the candidate answer the dataset, and lets it go on only past its gate. */
export function evaluate(pass: Pass, candidate: Revision): void {
  const pods = gatePods(pass, candidate, serve(pass, candidate));
  if (pods.ready.length < pass.spec.replicas) {
    notReady(pass, candidate, pods);
    return;
  }
  const policy = evaluationPolicy(pass.spec);
  if (policy === undefined) {
    pass.set("Evaluated", "True", "EvaluationSkipped", "no evaluation is configured any more");
    settle(pass, candidate);
    return;
  }
  const began = parseInstant(pass.status.phaseTransitionTime) ?? pass.now;
  const deadline = after(began, timeoutsOf(pass.spec).evaluating);
  const judged = judgement(pass, { policy, candidate, servers: pods.ready, deadline });
  const wait = judged === undefined ? running(pass, candidate) : conclude(pass, candidate, judged);
  if (wait === undefined) return;
  if (pass.now > deadline) reject(pass, candidate, wait);
  else pass.wakeAt(after(deadline, 1));
}

function running(pass: Pass, candidate: Revision): Failure {
  if (pass.condition("Evaluated")?.reason !== "DatasetChanged") {
    pass.set("Evaluated", "False", "EvaluationRunning", `${described(candidate)} is evaluated`);
  }
  return { reason: "EvaluationTimeout", message: "its evaluation did not end in time" };
}

/** Acts on a verdict; what it returns is the failure that waiting past the deadline comes to. */
function conclude(pass: Pass, candidate: Revision, judged: Judgement): Failure | undefined {
  const { verdict } = judged;
  const isNew = judged.record !== undefined && !jsonEqual(judged.record, pass.status.evaluation);
  if (judged.record !== undefined) pass.status.evaluation = judged.record;
  if (isNew) warnOfLabel(pass);
  switch (verdict.outcome) {
    case "passed":
      passed(pass, candidate, verdict, isNew);
      return undefined;
    case "insufficient":
      insufficient(pass, candidate, verdict.message);
      return undefined;
    case "failed":
      pass.drop("Evaluated");
      if (isNew) pass.notice("Warning", "EvaluationFailed", verdict.message);
      reject(pass, candidate, { reason: verdict.reason, message: verdict.message });
      return undefined;
    case "held": {
      const { reason, message } = verdict;
      if (pass.condition("Evaluated")?.message !== message) {
        pass.notice("Warning", "EvaluationOnHold", message);
      }
      pass.set("Evaluated", "False", reason, message);
      pass.wakeAfter(LIMITS.hold);
      return { reason: reason === "BaselineUnavailable" ? "EvaluationTimeout" : reason, message };
    }
    case "invalid": {
      const message = `the run is repeated: ${verdict.message}`;
      pass.set("Evaluated", "False", "EvaluationRunning", message);
      return { reason: "EvaluationTimeout", message: verdict.message };
    }
  }
}

/** Says once for each evaluation that its dataset is allowed by a label of another use. */
function warnOfLabel(pass: Pass): void {
  const { dataset } = pass.world;
  if (dataset?.state !== "found" || !dataset.deprecatedLabel) return;
  const name = evaluationPolicy(pass.spec)?.dataset.name;
  const message = `Secret ${name} is taken as a dataset by its label ${LABELS.apiKey}, which will no longer do: add the label ${LABELS.evalDataset}: "true"`;
  pass.notice("Warning", "DeprecatedSecretLabel", message);
}

function passed(
  pass: Pass,
  candidate: Revision,
  { message, skipped }: Extract<Verdict, { outcome: "passed" }>,
  isNew: boolean,
): void {
  const lacks = skipped.length > 0 && pass.status.stableRevision !== undefined;
  pass.set("Evaluated", "True", lacks ? "EvaluatedWithSkippedGates" : "EvaluationPassed", message);
  if (isNew) pass.notice("Normal", "EvaluationPassed", message);
  settle(pass, candidate);
}

/** Only a person may let a candidate pass of which too little is known; a stopped stable revision waits for nobody. */
function insufficient(pass: Pass, candidate: Revision, message: string): void {
  pass.set("Evaluated", "False", "InsufficientEvidence", message);
  if (recreates(pass.spec) && pass.status.stableRevision !== undefined) {
    reject(pass, candidate, { reason: "InsufficientEvidence", message });
    return;
  }
  park(pass, candidate, "InsufficientEvidence");
}
