import { disruptionBudgetName } from "../../api/decision-model.ts";
import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import type { KubeObject } from "../../kube/object.ts";
import { ownedMetadata, servingLabels } from "./owned.ts";

/** Builds the budget by which drains take one pod of a revision at a time; with one replica it would block them all. */
export function buildDisruptionBudget(model: DecisionModel, revision: string): KubeObject {
  const labels = servingLabels(model, revision);
  const name = disruptionBudgetName(model.metadata.name ?? "", revision);
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: ownedMetadata(model, name, labels),
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
}
