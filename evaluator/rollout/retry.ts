import { ANNOTATIONS } from "../../api/decision-model.ts";
import { policyHash } from "../evaluation/identity.ts";
import type { Pass } from "./pass.ts";
import { approvalOf, evaluationPolicy } from "./policy.ts";
import { described } from "./revision.ts";

/**
 * Takes a retry token that has not been seen before: a failed revision may be tried again, and so may
 * the recovery of a store. It is recorded either way, so that it arms nothing later.
 */
export function applyRetry(pass: Pass): void {
  const token = newRetryToken(pass);
  if (token === undefined) return;
  const { status } = pass;
  status.lastRetryToken = token;
  const failed = status.failedRevision;
  const exhausted = status.storeRecovery?.exhausted === true;
  delete status.failedRevision;
  if (exhausted) delete status.storeRecovery;
  if (failed === undefined && !exhausted) {
    pass.notice("Normal", "RetryNoop", "nothing has failed that could be tried again");
  }
}

/** The retry token that somebody has set and no pass has recorded yet. */
export function newRetryToken({ model, status }: Pass): string | undefined {
  const annotation = model.metadata.annotations?.[ANNOTATIONS.retry] ?? "";
  // What is compared is what is recorded, or a long token would be new for ever.
  const token = annotation.slice(0, MOST_TOKEN).toWellFormed();
  return token === "" || token === status.lastRetryToken ? undefined : token;
}

const MOST_TOKEN = 256;

/** Takes the approval off that the stable revision was promoted by, once that promotion is recorded. */
export function consumeApproval(pass: Pass): void {
  const stable = pass.status.stableRevision;
  const value = pass.model.metadata.annotations?.[ANNOTATIONS.promote];
  if (stable === undefined || value === undefined || value === "") return;
  if (value !== stable.hash && value !== approvalOf(stable.hash, pass.status)) return;
  pass.followUp({ type: "RemoveAnnotation", annotation: ANNOTATIONS.promote });
}

/**
 * Whether a revision that failed for want of evidence may be tried again by itself: when another
 * policy or dataset could give the evidence.
 */
export function readmits(pass: Pass): boolean {
  const { failedRevision: failed, evaluation } = pass.status;
  if (failed?.reason !== "InsufficientEvidence" || evaluation?.revision !== failed.hash)
    return false;
  const policy = evaluationPolicy(pass.spec);
  const { dataset } = pass.world;
  const isOther =
    policy === undefined ||
    policyHash(policy) !== evaluation.policyHash ||
    (dataset?.state === "found" && dataset.digest !== evaluation.datasetDigest);
  if (isOther) {
    delete pass.status.failedRevision;
    pass.notice(
      "Normal",
      "DatasetChanged",
      `${described(failed)} is tried again: what it is evaluated by changed`,
    );
  }
  return isOther;
}
