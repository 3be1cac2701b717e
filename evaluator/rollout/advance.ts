import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import { rollOut } from "./candidate.ts";
import { credentialsFail } from "./credentials.ts";
import type { Decision } from "./decision.ts";
import { collectGarbage, retirePrevious } from "./garbage.ts";
import { Pass } from "./pass.ts";
import { type Preflight, preflight } from "./preflight.ts";
import { continueRecreateRollback } from "./recreate.ts";
import { refuse } from "./refusal.ts";
import { applyRetry, consumeApproval, readmits } from "./retry.ts";
import { described } from "./revision.ts";
import { noteUpdate } from "./runtime.ts";
import type { Settings } from "./settings.ts";
import { keepStable, stayRejected } from "./settled.ts";
import { watchPromotion } from "./stabilization.ts";
import { type Health, maintainStable } from "./stable.ts";
import { summarise } from "./summary.ts";
import { directTraffic } from "./traffic.ts";
import type { World } from "./world.ts";

/**
 * Decides what a DecisionModel's roll-out does next: one transition at most, by the spec, the status
 * and what there is. Equal arguments give equal decisions; where nothing is to be done the decision
 * has no action and its status is the one that was read.
 */
export function advance(model: DecisionModel, world: World, settings: Settings): Decision {
  const pass = new Pass(model, world, settings);
  pass.status.observedGeneration = model.metadata.generation ?? 0;
  consumeApproval(pass);
  const identity = preflight(pass);
  const health = maintainStable(pass);
  step(pass, identity, health);
  retirePrevious(pass);
  noteUpdate(pass);
  directTraffic(pass);
  collectGarbage(pass);
  summarise(pass);
  return pass.decision();
}

/** The guards in their order; the first that holds decides. */
function step(pass: Pass, identity: Preflight, health: Health | undefined): void {
  const { status } = pass;
  if (status.recreateRollback !== undefined) {
    continueRecreateRollback(pass, status.recreateRollback);
    return;
  }
  if (identity.state === "refused") {
    refuse(pass, identity, health);
    return;
  }
  if (identity.state === "resolving") {
    if (status.phase === undefined) pass.enter("Resolving");
    if (health !== undefined) watchPromotion(pass, health);
    return;
  }
  const wanted = identity.revision;
  pass.set("Resolved", "True", "Resolved", `the spec means ${described(wanted)}`);
  if (credentialsFail(pass)) {
    if (health !== undefined) watchPromotion(pass, health);
    return;
  }
  applyRetry(pass);
  if (health !== undefined && health.revision.hash === wanted.hash) {
    status.stableRevision = { ...health.revision, ...wanted };
    keepStable(pass, wanted, health);
    return;
  }
  if (status.failedRevision?.hash === wanted.hash && !readmits(pass)) {
    stayRejected(pass, health);
    return;
  }
  rollOut(pass, wanted, health);
}
