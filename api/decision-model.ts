import { parseDuration as parseGoDuration } from "../cel/libraries/time.ts";
import type { Condition } from "./condition.ts";

/** The API version and kind that the evaluator owns. */
export const DECISION_MODEL = {
  apiVersion: "decisionmodel.io/v1alpha1",
  kind: "DecisionModel",
} as const;

/** The labels of a DecisionModel's objects, and those by which a Secret allows one use of it. */
export const LABELS = {
  /** On every object, the name of its DecisionModel. */
  name: "decisionmodel.io/name",
  /** On what serves a revision, its hash; a Service selects pods by it. */
  revision: "decisionmodel.io/revision",
  /** On what downloads a revision, its hash; never beside `revision`, or requests would go there. */
  prefetchRevision: "decisionmodel.io/prefetch-revision",
  /** `"true"` on a Secret: it may be the API key of an engine. */
  apiKey: "decisionmodel.io/api-key",
  /** `"true"` on a Secret: it may be a dataset. */
  evalDataset: "decisionmodel.io/eval-dataset",
  /** `"true"` on a Secret: it may be the token of a download. */
  downloadToken: "decisionmodel.io/download-token",
} as const;

/** The annotations that people set on a DecisionModel, and those that the evaluator sets on its objects. */
export const ANNOTATIONS = {
  /** On a DecisionModel: every new value tries a failed revision again. */
  retry: "decisionmodel.io/retry",
  /** On a DecisionModel: the approval id of the candidate that may be promoted. */
  promote: "decisionmodel.io/promote",
  /** On a Deployment: a hash of what it was built as. */
  specHash: "decisionmodel.io/spec-hash",
  /** On a Deployment and its pods: what changes with the API key. */
  apiKeyChecksum: "decisionmodel.io/apikey-checksum",
  /** On a claim that was made again because it was lost. */
  storeRecovering: "decisionmodel.io/store-recovering",
} as const;

/** The readiness gate of serving pods. */
export const READINESS_GATE = "decisionmodel.io/model-ready";

/** The most characters of a DecisionModel's name: those of its Jobs and claims have at most 63. */
export const MOST_NAME = 43;

/** Hexadecimal digits of a revision's hash; an older operator wrote fewer. */
const HASH_LENGTH = 16;

/** Names the Deployment of a revision. */
export function deploymentName(model: string, revision: string): string {
  return `${model}-${revision}`;
}

/** Names the PodDisruptionBudget of a revision. */
export function disruptionBudgetName(model: string, revision: string): string {
  return `${model}-${revision}`;
}

/** Names the claim of a revision's store. */
export function storeName(model: string, revision: string): string {
  return `${model}-store-${revision}`;
}

/** Names the claim that all revisions shared before each had its own. */
export function sharedStoreName(model: string): string {
  return `${model}-store`;
}

/** Names the Job that downloads a revision; with a longer hash the older form would be too long. */
export function prefetchJobName(model: string, revision: string): string {
  return `${model}-${revision.length === HASH_LENGTH ? "pf" : "prefetch"}-${revision}`;
}

/** Names the ConfigMap that keeps the manifest of a revision. */
export function manifestName(model: string, revision: string): string {
  return `${model}-manifest-${revision}`;
}

/**
 * Reads a duration as Go does, `90s`, `1h30m`, `1.5h` or `0`: in milliseconds, which a fraction may
 * follow; `undefined` where there is none, or text that is none.
 */
export function parseDuration(text: string | undefined): number | undefined {
  const duration = text === undefined ? undefined : parseGoDuration(text);
  return duration === undefined ? undefined : Number(duration.nanos) / 1e6;
}

/** How far a roll-out may be. */
export const PHASES = [
  "Pending",
  "Resolving",
  "Caching",
  "Starting",
  "Evaluating",
  "AwaitingPromotion",
  "Ready",
  "Degraded",
  "RolledBack",
  "Failed",
] as const;

/** How far a roll-out is; `Promoting` is known to tools that read the API, and never set. */
export type Phase = (typeof PHASES)[number] | "Promoting";

/** Why a spec makes no revision. */
export type RefusalReason =
  | "UnknownEngine"
  | "ResolveFailed"
  | "ModelNotFound"
  | "InvalidModelName"
  | "RegistryNotAllowed"
  | "ImageOverrideNotAllowed"
  | "InvalidRuntimeVersion"
  | "RuntimeVersionUnsupported"
  | "UnpinnedRuntimeImage";

/** Why a Secret that the spec names can't be used. */
export type CredentialReason = "SecretNotAllowed" | "APIKeyInvalid" | "DownloadTokenInvalid";

/** Why a dataset can't be read, or holds no cases that can be asked. */
export type DatasetReason =
  | "DatasetNotFound"
  | "DatasetKeyNotFound"
  | "SecretNotAllowed"
  | "DatasetInvalid";

/** What a pod serves that it should not. */
export type MismatchReason = "DigestMismatch" | "DeviceMismatch" | "NotPinned";

/** Why a revision failed. */
export type FailureReason =
  | "PrefetchFailed"
  | "CacheTimeout"
  | "StartTimeout"
  | MismatchReason
  | DatasetReason
  | "EvaluationFailed"
  | "EvaluationTimeout"
  | "EvaluationUnsupported"
  | "CalibrationUnavailable"
  | "ClassificationUnavailable"
  | "InsufficientEvidence"
  | "RolloutTimeout"
  | "PostPromotionUnhealthy"
  | "RecreateRollbackTimeout"
  /** For a failure that an older operator recorded without a reason. */
  | "RevisionFailed";

/** Whether the spec means a revision. */
export type Resolved = Condition<"Resolved", "Resolved", RefusalReason>;

/** Whether the candidate's model is in its store. */
export type Cached = Condition<"Cached", "Cached", "Caching" | "PrefetchFailed" | "CacheTimeout">;

/** Whether every pod that is wanted has its model loaded, and just that model. */
export type ModelReady = Condition<
  "ModelReady",
  "ModelReady",
  "Starting" | MismatchReason | "ProbeError" | "ReplicasNotModelReady" | "NoModelReadyPods"
>;

/** Whether the candidate has passed its evaluation. */
export type Evaluated = Condition<
  "Evaluated",
  "EvaluationPassed" | "EvaluationSkipped" | "EvaluatedWithSkippedGates",
  | "EvaluationRunning"
  | "EvaluationFailed"
  | "BaselineUnavailable"
  | "InsufficientEvidence"
  | "DatasetChanged"
  | DatasetReason
>;

/** Whether the candidate has become the stable revision, or what it waits for. */
export type Promoted = Condition<
  "Promoted",
  "Promoted",
  "PromotionPending" | "InsufficientEvidence"
>;

/** Whether a revision that was just promoted keeps well; absent at other times. */
export type Stabilizing = Condition<
  "Stabilizing",
  "Stabilizing" | "StableRolling",
  "StableRolling" | "PostPromotionUnhealthy"
>;

/** The telling reason of `Ready`, whatever its status: a stable revision serves while another fails. */
export type ReadyReason =
  | "Ready"
  | "CandidateRejected"
  | "RolloutQueued"
  | "InsufficientEvidence"
  | "NoModelReadyPods"
  | "ResourceConflict"
  | "StableRestoring"
  | Phase
  | RefusalReason
  | CredentialReason
  | FailureReason;

/** Whether the stable revision serves. */
export type Ready = Condition<"Ready", ReadyReason, ReadyReason>;

/** What is wrong, whether or not it keeps anything from serving. */
export type DegradedReason =
  | "CacheNotShareable"
  | "CacheSpecImmutable"
  | "StoreLost"
  | "StorePrefetchFailed"
  | "StoreTerminating"
  | "ResourceConflict"
  | "NoModelReadyPods"
  | "ReplicasNotModelReady"
  | RefusalReason
  | CredentialReason
  | FailureReason;

/** Whether something is wrong that somebody should look at. */
export type Degraded = Condition<"Degraded", DegradedReason, "AsExpected">;

/** Whether the operator's default runtime is newer than the stable revision's; absent where not. */
export type RuntimeUpdateAvailable = Condition<
  "RuntimeUpdateAvailable",
  "RuntimeUpdateAvailable",
  never
>;

/** What `Reconciling` and `Stalled` may give as their reason: the phase, or why it lasts. */
export type ProgressReason = Phase | ReadyReason | DegradedReason | "Stabilizing";

/** Whether something is under way, as tools that wait for objects understand it (kstatus). */
export type Reconciling = Condition<"Reconciling", ProgressReason, ProgressReason>;

/** Whether nothing more happens until somebody acts, as tools that wait for objects understand it. */
export type Stalled = Condition<"Stalled", ProgressReason, ProgressReason>;

/** Every condition of a DecisionModel, with its reasons. */
export type DecisionModelCondition =
  | Resolved
  | Cached
  | ModelReady
  | Evaluated
  | Promoted
  | Stabilizing
  | Ready
  | Degraded
  | RuntimeUpdateAvailable
  | Reconciling
  | Stalled;

/** The type of a condition of a DecisionModel. */
export type ConditionType = DecisionModelCondition["type"];

/** The reasons that a condition of each type may have. */
export type ConditionReasons = {
  readonly [Type in ConditionType]: Extract<DecisionModelCondition, { type: Type }>["reason"];
};
