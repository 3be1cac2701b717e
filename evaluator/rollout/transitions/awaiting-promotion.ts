import { ANNOTATIONS } from "../../../api/decision-model.ts";
import type { Revision } from "../../../api/gen/decisionmodels.ts";
import { after, formatInstant, parseInstant } from "../../../kube/instant.ts";
import { policyHash } from "../../evaluation/identity.ts";
import { gatePods } from "../gate.ts";
import type { Pass } from "../pass.ts";
import { approvalOf, evaluationPolicy, promotionOf } from "../policy.ts";
import { described } from "../revision.ts";
import { serve } from "../serving.ts";
import { LIMITS } from "../settings.ts";
import { parkedMessage, promoteUnlessTaken } from "./settle.ts";
import { notReady } from "./starting.ts";

/** Keeps a candidate ready that passed, until a person approves it or what it passed is no longer what is asked. */
export function awaitPromotion(pass: Pass, candidate: Revision): void {
  pass.wakeAfter(LIMITS.hold);
  const pods = gatePods(pass, candidate, serve(pass, candidate));
  if (pods.ready.length < pass.spec.replicas) {
    leave(pass);
    notReady(pass, candidate, pods);
    return;
  }
  const changed = changedSinceEvaluation(pass, candidate);
  if (changed !== undefined) {
    leave(pass);
    pass.enter("Evaluating");
    pass.set("Evaluated", "False", changed.reason, changed.message);
    if (changed.reason === "DatasetChanged")
      pass.notice("Normal", "DatasetChanged", changed.message);
    pass.wakeAfter(0);
    return;
  }
  const parkedFor =
    pass.condition("Promoted")?.reason === "InsufficientEvidence"
      ? "InsufficientEvidence"
      : "PromotionPending";
  const approved = approval(pass, candidate, parkedFor);
  // Evidence that does not suffice is not made to by a policy that asks no person.
  const asksNobody = promotionOf(pass.spec) !== "Manual" && parkedFor === "PromotionPending";
  if (!approved && !asksNobody) return;
  if (approved) pass.notice("Normal", "PromotionApproved", `${described(candidate)} is approved`);
  promoteUnlessTaken(pass, candidate);
}

/** The time that a person took to decide does not count against the roll-out. */
function leave(pass: Pass): void {
  const { status, now } = pass;
  const waited = parseInstant(status.phaseTransitionTime);
  const began = parseInstant(status.rolloutStartedAt);
  if (pass.condition("Promoted")?.reason === "PromotionPending" && waited && began) {
    status.rolloutStartedAt = formatInstant(after(began, now - waited));
  }
  pass.drop("Promoted");
}

type Change = { readonly reason: "DatasetChanged" | "EvaluationRunning"; readonly message: string };

/** What the candidate passed, if that is no longer what the policy asks of it. */
function changedSinceEvaluation(pass: Pass, candidate: Revision): Change | undefined {
  const policy = evaluationPolicy(pass.spec);
  if (policy === undefined) {
    // A person's approval is still asked for; evidence no longer is.
    return pass.condition("Promoted")?.reason === "InsufficientEvidence"
      ? { reason: "EvaluationRunning", message: "no evaluation is configured any more" }
      : undefined;
  }
  const { evaluation } = pass.status;
  const again = `${described(candidate)} is evaluated again`;
  if (evaluation?.revision !== candidate.hash || evaluation.policyHash !== policyHash(policy)) {
    return { reason: "EvaluationRunning", message: `the evaluation policy changed: ${again}` };
  }
  const { dataset } = pass.world;
  if (dataset?.state === "found" && dataset.digest === evaluation.datasetDigest) return undefined;
  const why = dataset?.state === "held" ? dataset.message : "the dataset changed";
  return { reason: "DatasetChanged", message: `${why}: ${again}` };
}

/** Tells whether the annotation approves just this candidate, and says so where it approves another. */
function approval(
  pass: Pass,
  candidate: Revision,
  parkedFor: "PromotionPending" | "InsufficientEvidence",
): boolean {
  const value = pass.model.metadata.annotations?.[ANNOTATIONS.promote] ?? "";
  const wanted = approvalOf(candidate.hash, pass.status);
  const waits = parkedMessage(pass, candidate, parkedFor);
  if (value === "" || value === wanted) {
    pass.set("Promoted", "False", parkedFor, waits);
    return value === wanted;
  }
  const isHash = value === candidate.hash;
  if (isHash && evaluationPolicy(pass.spec) === undefined) {
    const message = `the revision's hash approved it: next time use ${wanted}`;
    pass.notice("Warning", "DeprecatedApproval", message);
    return true;
  }
  const message = `${waits}; its value ${JSON.stringify(value.slice(0, 80))} approves something else`;
  if (pass.condition("Promoted")?.message !== message) {
    pass.notice("Warning", isHash ? "DeprecatedApproval" : "StaleApproval", message);
  }
  pass.set("Promoted", "False", parkedFor, message);
  return false;
}
