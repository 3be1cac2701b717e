import { ANNOTATIONS } from "../../api/decision-model.ts";
import type { Revision } from "../../api/gen/decisionmodels.ts";
import type { Pass } from "./pass.ts";
import { approvalOf } from "./policy.ts";
import { described } from "./revision.ts";
import { LIMITS } from "./settings.ts";

/**
 * Makes the candidate the stable revision. The Service follows only after this status is written, so
 * it never names a revision that no status calls stable.
 */
export function promote(pass: Pass, candidate: Revision): void {
  const { status } = pass;
  const before = status.stableRevision;
  status.stableRevision = candidate;
  status.lastPromotionTime = pass.stamp;
  delete status.failedRevision;
  delete status.storeRecovery;
  delete status.stableStoppedForRevision;
  endRollout(pass);
  delete status.previousRevision;
  if (before !== undefined) {
    const strategy = pass.spec.rollout?.strategy ?? "BlueGreen";
    status.previousRevision = {
      hash: before.hash,
      promotedAt: pass.stamp,
      revision: before,
      strategy,
    };
  }
  pass.set("Promoted", "True", "Promoted", `${described(candidate)} is the stable revision`);
  pass.notice("Normal", "Promoted", `${described(candidate)} is promoted`);
  pass.enter("Ready");
  pass.wakeAfter(LIMITS.promotionGrace);
}

/** Why a revision failed: the reason as the condition Degraded has it. */
export interface Failure {
  readonly reason: string;
  readonly message: string;
}

/**
 * Records that the candidate failed. Its workloads are deleted only after this status is written, so
 * that a restart finds either all of it or the failure.
 */
export function reject(pass: Pass, candidate: Revision, { reason, message }: Failure): void {
  const { status } = pass;
  recordFailure(pass, candidate, { reason, message });
  dropApproval(pass, candidate);
  endRollout(pass);
  pass.drop("Cached", "Promoted");
  const serves = status.stableRevision;
  if (serves === undefined) {
    pass.enter("Failed");
    pass.notice("Warning", "Failed", `${described(candidate)}: ${reason}: ${message}`);
    return;
  }
  // A stable revision that was stopped for the candidate has to come up again first.
  const wasStopped = status.stableStoppedForRevision !== undefined;
  delete status.stableStoppedForRevision;
  pass.enter(wasStopped ? "Starting" : "RolledBack");
  const stays = `${described(serves)} stays`;
  pass.notice("Warning", "RolledBack", `${described(candidate)}: ${reason}: ${message}; ${stays}`);
}

/** Records a failed revision; `failedAt` is now. */
export function recordFailure(pass: Pass, failed: Revision, failure: Failure): void {
  const { reason, message } = failure;
  pass.status.failedRevision = {
    ...failed,
    reason,
    message: message.slice(0, MOST_MESSAGE).toWellFormed(),
    failedAt: pass.stamp,
  };
}

const MOST_MESSAGE = 1024;

/** Gives the candidate up because the spec wants another one, or none. */
export function supersede(pass: Pass, reason: string): void {
  const { status } = pass;
  const candidate = status.candidateRevision;
  if (candidate === undefined) return;
  dropApproval(pass, candidate);
  endRollout(pass);
  delete status.stableStoppedForRevision;
  pass.drop("Cached", "Evaluated", "Promoted");
  pass.notice("Normal", "CandidateSuperseded", `${described(candidate)}: ${reason}`);
}

function endRollout({ status }: Pass): void {
  delete status.candidateRevision;
  delete status.rolloutStartedAt;
}

/** An approval that stayed could approve the same revision another day, for other reasons. */
function dropApproval(pass: Pass, candidate: Revision): void {
  const value = pass.model.metadata.annotations?.[ANNOTATIONS.promote];
  if (value !== approvalOf(candidate.hash, pass.status) && value !== candidate.hash) return;
  pass.followUp({ type: "RemoveAnnotation", annotation: ANNOTATIONS.promote });
}
