import type { RefusalReason } from "../../api/decision-model.ts";
import { supersede } from "./outcome.ts";
import type { Pass } from "./pass.ts";
import { LIMITS } from "./settings.ts";
import { watchPromotion } from "./stabilization.ts";
import type { Health } from "./stable.ts";

/** Why a spec makes no revision. */
export interface Refusal {
  readonly state: "refused";
  /** What must change before it can. */
  readonly lasts: "until-changed" | "until-published" | "for-a-while" | "until-mended";
  readonly reason: RefusalReason;
  readonly message: string;
}

/** Writes a refusal down. */
export function refused(
  lasts: Refusal["lasts"],
  reason: Refusal["reason"],
  message: string,
): Refusal {
  return { state: "refused", lasts, reason, message };
}

/**
 * Lets go of a candidate that the spec no longer means, and says why the spec means nothing. What
 * serves goes on serving, and nothing becomes a failed revision, since nothing was tried.
 */
export function refuse(pass: Pass, refusal: Refusal, health: Health | undefined): void {
  const { lasts, reason, message } = refusal;
  pass.refusal = refusal;
  const before = pass.condition("Resolved");
  pass.set("Resolved", "False", reason, message);
  supersede(pass, "the spec means no revision any more");
  if (lasts === "until-mended") pass.wakeAfter(LIMITS.hold);
  if (health !== undefined) {
    const isNew = before?.status !== "False" || before.reason !== reason;
    if (lasts !== "for-a-while" && isNew) pass.notice("Warning", "CandidateRejected", message);
    if (pass.status.phase !== "RolledBack" && pass.status.phase !== "Failed") {
      pass.enter(health.phase);
    }
    watchPromotion(pass, health);
    return;
  }
  pass.block(reason, message);
  switch (lasts) {
    case "until-changed":
    case "until-published":
      pass.enter("Failed");
      return;
    case "for-a-while":
      // Not Pending: who waits for the budget has a place in its queue.
      pass.enter("Resolving");
      return;
    case "until-mended":
      pass.enter("Degraded");
      pass.degrade(reason, message);
  }
}
