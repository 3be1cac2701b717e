import { disruptionBudgetName } from "../../api/decision-model.ts";
import { buildDisruptionBudget } from "../builders/disruption-budget.ts";
import { isControlledBy } from "../builders/owned.ts";
import { buildService, selectorPatch } from "../builders/service.ts";
import { targetOf } from "./garbage.ts";
import type { Pass } from "./pass.ts";
import { LIMITS } from "./settings.ts";

/**
 * Has the Service select the stable revision of the status that is about to be written, after the
 * budget that protects its pods is there. While a revision is brought back that can't run beside the
 * other, the Service stays where it is.
 */
export function directTraffic(pass: Pass): void {
  const { status, model, world, spec } = pass;
  const stable = status.stableRevision;
  if (stable === undefined) return;
  const budget = world.budgets.get(disruptionBudgetName(model.metadata.name ?? "", stable.hash));
  if (spec.replicas > 1 && budget === undefined) {
    const object = buildDisruptionBudget(model, stable.hash);
    pass.direct({ type: "Create", object });
    // No requests before what protects the pods is there.
    if (world.refused.has(`PodDisruptionBudget ${object.metadata?.name}`)) return;
  }
  if (spec.replicas <= 1 && budget !== undefined) {
    pass.direct({ type: "Delete", target: targetOf(budget) });
  }
  const { service } = world;
  if (service === undefined) {
    pass.direct({ type: "Create", object: buildService(model, stable.hash) });
    return;
  }
  if (!isControlledBy(service, model)) {
    const message = `Service ${service.metadata?.name} belongs to somebody else: delete it, or give the DecisionModel another name`;
    pass.block("ResourceConflict", message);
    pass.degrade("ResourceConflict", message);
    pass.wakeAfter(LIMITS.resourceConflict);
    return;
  }
  const patch = selectorPatch(service, model, stable.hash);
  if (patch !== undefined) pass.direct({ type: "Merge", target: targetOf(service), patch });
}
