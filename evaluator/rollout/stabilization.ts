import type { Revision } from "../../api/gen/decisionmodels.ts";
import { findCondition } from "../../kube/conditions.ts";
import { after, type Instant, parseInstant } from "../../kube/instant.ts";
import { type KubeObject, numberField } from "../../kube/object.ts";
import { gatePods } from "./gate.ts";
import { recordFailure } from "./outcome.ts";
import type { Pass } from "./pass.ts";
import { stabilizationOf } from "./policy.ts";
import { beginRecreateRollback } from "./recreate.ts";
import { described } from "./revision.ts";
import { serve } from "./serving.ts";
import { LIMITS } from "./settings.ts";
import type { Health } from "./stable.ts";

/**
 * Watches the stable revision for some time after its promotion, by what the status recorded then
 * and what there is now, and goes back to the previous one if it is not well. Returns whether it did.
 */
export function watchPromotion(pass: Pass, stable: Health): boolean {
  const { status, now } = pass;
  const { previousRevision: previous, stableRevision: current } = status;
  const window = stabilizationOf(pass.spec);
  if (previous?.revision === undefined || current === undefined || window === 0) {
    pass.drop("Stabilizing");
    return false;
  }
  const promotedAt = parseInstant(previous.promotedAt) ?? now;
  const end = after(promotedAt, Math.max(window, LIMITS.promotionGrace));
  const fatal = fatalIllness(stable);
  if (fatal !== undefined) return goBack(pass, current, previous, fatal);
  if (rolls(stable.deployment)) {
    const message = `${described(current)} is rolled out anew: it is judged when that is done`;
    pass.set("Stabilizing", "False", "StableRolling", message);
    pass.wakeAfter(LIMITS.probe);
    return false;
  }
  const quorum = Math.max(1, Math.ceil(pass.spec.replicas / 2));
  const ready = stable.pods.ready.length;
  if (ready < quorum) {
    const waits = stable.pods.waiting?.message ?? "its pods are not there";
    const message = `${ready} of ${pass.spec.replicas} pods of ${described(current)} have the model ready: ${waits}`;
    const limit = after(shortSince(pass), LIMITS.unhealthyDebounce);
    if (now > limit || now >= end) return goBack(pass, current, previous, message);
    pass.set("Stabilizing", "False", "PostPromotionUnhealthy", message);
    pass.wakeAt(after(limit, 1));
    return false;
  }
  if (now < end) {
    const message = `${described(current)} was promoted at ${previous.promotedAt} and is watched`;
    pass.set("Stabilizing", "True", "Stabilizing", message);
    pass.wakeAt(end);
    return false;
  }
  pass.drop("Stabilizing");
  delete status.previousRevision;
  pass.notice("Normal", "Stabilized", `${described(current)} is well`);
  return false;
}

/** What no waiting mends. */
function fatalIllness({ pods, deployment }: Health): string | undefined {
  if (pods.mismatch !== undefined) return pods.mismatch.message;
  if (pods.crashing !== undefined) return pods.crashing;
  const progress = findCondition(deployment, "Progressing");
  if (progress?.reason !== "ProgressDeadlineExceeded") return undefined;
  return `Deployment ${deployment?.metadata?.name} has given up replacing its pods: ${progress.message}`;
}

/** Whether a Deployment's pods are being replaced, so that fewer than all are no sign of illness. */
function rolls(deployment: KubeObject | undefined): boolean {
  if (deployment === undefined) return false;
  const observed = numberField(deployment, "status", "observedGeneration") ?? 0;
  if (observed < (deployment.metadata?.generation ?? 0)) return true;
  const progress = findCondition(deployment, "Progressing");
  return progress?.status === "True" && progress.reason !== "NewReplicaSetAvailable";
}

/** Since when too few pods are ready: the condition itself is the clock, so that a restart loses nothing. */
function shortSince(pass: Pass): Instant {
  const before = pass.condition("Stabilizing");
  if (before?.reason === "PostPromotionUnhealthy") {
    return parseInstant(before.lastTransitionTime) ?? pass.now;
  }
  // A new clock, even after a roll, which has the same status.
  pass.drop("Stabilizing");
  return pass.now;
}

/** Makes the previous revision stable again, at once or, where only one may run, step by step. */
function goBack(
  pass: Pass,
  current: Revision,
  previous: NonNullable<Pass["status"]["previousRevision"]>,
  message: string,
): true {
  const { status } = pass;
  const target = previous.revision ?? current;
  const failure = { reason: "PostPromotionUnhealthy", message };
  recordFailure(pass, current, failure);
  pass.drop("Stabilizing", "Promoted");
  delete status.previousRevision;
  delete status.storeRecovery;
  const back = `${described(target)} is stable again`;
  pass.notice("Warning", "RolledBackAfterPromotion", `${described(current)}: ${message}; ${back}`);
  if (previous.strategy === "Recreate") {
    beginRecreateRollback(pass, current, target);
    return true;
  }
  status.stableRevision = target;
  // What the status says of readiness is now about its pods.
  gatePods(pass, target, serve(pass, target));
  pass.enter("RolledBack");
  pass.wakeAfter(1000);
  return true;
}
