import type { Revision } from "../../api/gen/decisionmodels.ts";
import { after, parseInstant } from "../../kube/instant.ts";
import { reject, supersede } from "./outcome.ts";
import type { Pass } from "./pass.ts";
import { timeoutsOf } from "./policy.ts";
import { described } from "./revision.ts";
import { LIMITS } from "./settings.ts";
import { watchPromotion } from "./stabilization.ts";
import type { Health } from "./stable.ts";
import { admit } from "./transitions/admit.ts";
import { awaitPromotion } from "./transitions/awaiting-promotion.ts";
import { cache } from "./transitions/caching.ts";
import { evaluate } from "./transitions/evaluating.ts";
import { start } from "./transitions/starting.ts";

/** One step of the roll-out of the revision that the spec wants. */
export function rollOut(pass: Pass, wanted: Revision, stable: Health | undefined): void {
  const { status } = pass;
  if (status.candidateRevision !== undefined && status.candidateRevision.hash !== wanted.hash) {
    supersede(pass, `the spec now wants ${described(wanted)}`);
  }
  const candidate = status.candidateRevision;
  if (candidate === undefined) {
    // A stable revision that turns out bad goes back before anything new begins.
    if (stable !== undefined && watchPromotion(pass, stable)) return;
    admit(pass, wanted);
    return;
  }
  const began = parseInstant(status.rolloutStartedAt) ?? pass.now;
  const end = after(began, timeoutsOf(pass.spec).total);
  const waitsForPerson = pass.condition("Promoted")?.reason === "PromotionPending";
  if (!waitsForPerson) {
    if (pass.now > end) {
      rejectLate(pass, candidate);
      return;
    }
    pass.wakeAt(after(end, 1));
  }
  if (status.phase !== "AwaitingPromotion") pass.wakeAfter(LIMITS.probe);
  switch (status.phase) {
    case "Starting":
      start(pass, candidate);
      return;
    case "Evaluating":
      evaluate(pass, candidate);
      return;
    case "AwaitingPromotion":
      awaitPromotion(pass, candidate);
      return;
    default:
      cache(pass, candidate);
  }
}

/** A roll-out that took longer than `timeouts.total` in all, however often its phases began anew. */
function rejectLate(pass: Pass, candidate: Revision): void {
  const parked = pass.condition("Promoted");
  if (parked?.reason === "InsufficientEvidence") {
    const message = pass.status.evaluation?.reason ?? parked.message;
    reject(pass, candidate, { reason: "InsufficientEvidence", message });
    return;
  }
  const message = `not promoted within timeouts.total, last in phase ${pass.status.phase}`;
  reject(pass, candidate, { reason: "RolloutTimeout", message });
}
