import type { Revision } from "../../api/gen/decisionmodels.ts";
import { after, parseInstant } from "../../kube/instant.ts";
import { gatePods } from "./gate.ts";
import { recordFailure } from "./outcome.ts";
import type { Pass } from "./pass.ts";
import { timeoutsOf } from "./policy.ts";
import { described } from "./revision.ts";
import { serve, stop } from "./serving.ts";
import { LIMITS } from "./settings.ts";

/** Whether no pod of the stable revision is left where the candidate needs its place; true where it needs none. */
export function stableIsStopped(pass: Pass): boolean {
  const { stableRevision: stable, stableStoppedForRevision: stoppedFor } = pass.status;
  if (stable === undefined || stoppedFor === undefined) return true;
  return stop(pass, stable);
}

/** Begins to go back to a revision whose pods can't run beside those of the one that failed. */
export function beginRecreateRollback(pass: Pass, failed: Revision, target: Revision): void {
  pass.status.recreateRollback = { failed, target, startedAt: pass.stamp };
  pass.enter("Starting");
  pass.wakeAfter(0);
}

/**
 * Goes on going back: stops the failed revision, waits until none of its pods is left, starts the
 * other one, and calls it stable when it is ready. The Service stays where it is until then.
 */
export function continueRecreateRollback(
  pass: Pass,
  { failed, target, startedAt }: NonNullable<Pass["status"]["recreateRollback"]>,
): void {
  const { status, now } = pass;
  pass.wakeAfter(LIMITS.probe);
  const deadline = after(parseInstant(startedAt) ?? now, timeoutsOf(pass.spec).starting);
  if (!stop(pass, failed)) {
    pass.block("StableRestoring", `${described(failed)} stops before ${described(target)} starts`);
  } else {
    const pods = gatePods(pass, target, serve(pass, target));
    if (pods.ready.length >= pass.spec.replicas) {
      delete status.recreateRollback;
      status.stableRevision = target;
      pass.enter("RolledBack");
      pass.notice("Normal", "StableRestored", `${described(target)} serves again`);
      return;
    }
    const waits = pods.waiting?.message ?? "its pods are not there yet";
    pass.block("StableRestoring", `${described(target)} starts: ${waits}`);
  }
  if (now <= deadline) return;
  const message = `${described(target)} did not start in time`;
  delete status.recreateRollback;
  // It stays the way back: a person can mend what keeps it from starting.
  status.stableRevision = target;
  recordFailure(pass, failed, { reason: "RecreateRollbackTimeout", message });
  pass.enter("Failed");
  pass.notice("Warning", "RecreateRollbackTimeout", message);
}
