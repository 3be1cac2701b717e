import { ANNOTATIONS } from "../../../api/decision-model.ts";
import type { Revision } from "../../../api/gen/decisionmodels.ts";
import { isControlledBy } from "../../builders/owned.ts";
import { promote } from "../outcome.ts";
import type { Pass } from "../pass.ts";
import { approvalOf, promotionOf } from "../policy.ts";
import { described } from "../revision.ts";
import { LIMITS } from "../settings.ts";

/**
 * Promotes a candidate that passed whatever was asked of it, or has it wait for a person's approval.
 * A first revision waits for nobody, since there is no traffic to protect.
 */
export function settle(pass: Pass, candidate: Revision): void {
  if (promotionOf(pass.spec) === "Manual" && pass.status.stableRevision !== undefined) {
    park(pass, candidate, "PromotionPending");
    return;
  }
  promoteUnlessTaken(pass, candidate);
}

/** Promotes, unless an object of somebody else has the Service's name: then the candidate stays. */
export function promoteUnlessTaken(pass: Pass, candidate: Revision): void {
  const { service } = pass.world;
  if (service === undefined || isControlledBy(service, pass.model)) {
    promote(pass, candidate);
    return;
  }
  const message = `Service ${service.metadata?.name} belongs to somebody else: delete it, or give the DecisionModel another name`;
  pass.block("ResourceConflict", message);
  pass.wakeAfter(LIMITS.resourceConflict);
}

/** Has a candidate wait for a person, and says for what. */
export function park(
  pass: Pass,
  candidate: Revision,
  reason: "PromotionPending" | "InsufficientEvidence",
): void {
  const arrives = pass.status.phase !== "AwaitingPromotion";
  pass.enter("AwaitingPromotion");
  const message = parkedMessage(pass, candidate, reason);
  pass.set("Promoted", "False", reason, message);
  if (arrives) pass.notice("Normal", "AwaitingPromotion", message);
  pass.wakeAfter(LIMITS.hold);
}

/** Says what a parked candidate waits for, and what a person can do. */
export function parkedMessage(
  pass: Pass,
  candidate: Revision,
  reason: "PromotionPending" | "InsufficientEvidence",
): string {
  const approval = `set the annotation ${ANNOTATIONS.promote} to ${approvalOf(candidate.hash, pass.status)}`;
  return reason === "PromotionPending"
    ? `${described(candidate)} waits for approval: ${approval}`
    : `${pass.status.evaluation?.reason}; to promote ${described(candidate)} nevertheless, ${approval}`;
}
