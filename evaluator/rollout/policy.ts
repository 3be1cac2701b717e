import { parseDuration } from "../../api/decision-model.ts";
import type {
  DecisionModel,
  DecisionModelSpec,
  DecisionModelStatus,
} from "../../api/gen/decisionmodels.ts";
import { approvalId, type EvaluationPolicy } from "../evaluation/identity.ts";
import { LIMITS } from "./settings.ts";

/** Who decides that a candidate which is ready becomes stable. */
export type Promotion = "Automatic" | "EvaluationGated" | "Manual";

/** The promotion policy that a spec comes to; `Automatic` with an evaluation still waits for its gate. */
export function promotionOf({ rollout }: DecisionModelSpec): Promotion {
  if (rollout?.promotion !== undefined) return rollout.promotion;
  if (rollout?.manualPromotion === true) return "Manual";
  return rollout?.evaluation === undefined ? "Automatic" : "EvaluationGated";
}

/** Whether a roll-out stops the stable revision before it starts the candidate. */
export function recreates({ rollout }: DecisionModelSpec): boolean {
  return rollout?.strategy === "Recreate";
}

/** The evaluation policy of a spec, if it has one. */
export function evaluationPolicy({ rollout }: DecisionModelSpec): EvaluationPolicy | undefined {
  if (rollout?.evaluation === undefined) return undefined;
  const { datasetRef, parallelism: _how, ...thresholds } = rollout.evaluation;
  const { configMapRef, secretRef } = datasetRef;
  const dataset =
    secretRef === undefined
      ? { kind: "ConfigMap" as const, name: "", key: "", ...configMapRef }
      : { kind: "Secret" as const, ...secretRef };
  return { ...thresholds, dataset };
}

/** Whether a pass may look at the dataset: while it is asked, and while its change would matter. */
export function needsDataset({ spec, status }: DecisionModel): boolean {
  if (spec.rollout?.evaluation === undefined) return false;
  const { phase, failedRevision } = status ?? {};
  return (
    phase === "Evaluating" ||
    phase === "AwaitingPromotion" ||
    failedRevision?.reason === "InsufficientEvidence"
  );
}

/** How long the phases of a roll-out may take, in milliseconds. */
export interface Timeouts {
  readonly caching: number;
  readonly starting: number;
  readonly evaluating: number;
  /** From admission to the end, but for the time that a person took to approve. */
  readonly total: number;
}

/** The timeouts of a spec. */
export function timeoutsOf({ rollout }: DecisionModelSpec): Timeouts {
  const set = rollout?.timeouts;
  const caching = parseDuration(set?.caching) ?? LIMITS.cachingTimeout;
  const starting = parseDuration(set?.starting) ?? LIMITS.startingTimeout;
  const evaluating = parseDuration(set?.evaluating) ?? LIMITS.evaluatingTimeout;
  const sum = caching + starting + evaluating;
  const total = parseDuration(set?.total) ?? Math.max(LIMITS.totalTimeout, sum);
  return { caching, starting, evaluating, total };
}

/** How long a promoted revision is watched, in milliseconds; 0 for not at all. */
export function stabilizationOf({ rollout }: DecisionModelSpec): number {
  return parseDuration(rollout?.stabilization) ?? LIMITS.stabilization;
}

/** What an approval of a revision must name, by what the status records of its evaluation. */
export function approvalOf(revision: string, status: DecisionModelStatus): string {
  const { evaluation } = status;
  const evaluated =
    evaluation?.revision === revision &&
    evaluation.policyHash !== undefined &&
    evaluation.datasetDigest !== undefined
      ? { policyHash: evaluation.policyHash, datasetDigest: evaluation.datasetDigest }
      : undefined;
  return approvalId(revision, evaluated);
}
