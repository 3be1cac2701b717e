import type { Revision } from "../../api/gen/decisionmodels.ts";
import { supersede } from "./outcome.ts";
import type { Pass } from "./pass.ts";
import { described } from "./revision.ts";
import { LIMITS } from "./settings.ts";
import { watchPromotion } from "./stabilization.ts";
import type { Health } from "./stable.ts";

/** Keeps the stable revision, which is what the spec wants, and ends whatever was under way besides. */
export function keepStable(pass: Pass, stable: Revision, health: Health): void {
  const { status } = pass;
  supersede(pass, `the spec wants ${described(stable)} again`);
  delete status.failedRevision;
  if (watchPromotion(pass, health)) return;
  pass.enter(health.phase);
}

/** Keeps what serves beside a revision that failed, until the spec changes or somebody asks for a retry. */
export function stayRejected(pass: Pass, health: Health | undefined): void {
  const { status } = pass;
  pass.drop("Cached", "Evaluated", "Promoted");
  supersede(pass, "the spec wants a revision that failed before");
  if (health === undefined || status.stableRevision === undefined) {
    pass.enter("Failed");
    return;
  }
  if (watchPromotion(pass, health)) return;
  if (status.phase === "Failed") return;
  if (status.phase === "Starting" && health.pods.ready.length < pass.spec.replicas) {
    const waits = health.pods.waiting?.message ?? "its pods are not there yet";
    pass.block("StableRestoring", `${described(status.stableRevision)} starts again: ${waits}`);
    pass.wakeAfter(LIMITS.probe);
    return;
  }
  if (status.phase === "Starting") {
    pass.notice("Normal", "StableRestored", `${described(status.stableRevision)} serves again`);
  }
  pass.enter("RolledBack");
}
