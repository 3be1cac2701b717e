// Made by `npm run generate` from package/evaluator/crd.yaml; do not edit.
// Every field that has a default is present, since these are the types of an object as the API
// server stores it.
import type { KubeObject, ObjectMeta } from "../../kube/object.ts";

/** A model that answers decisions, and how a change of it is rolled out: a new revision is downloaded, started beside the one that serves, evaluated, and only then promoted. */
export interface DecisionModel extends KubeObject {
  readonly apiVersion: "decisionmodel.io/v1alpha1";
  readonly kind: "DecisionModel";
  readonly metadata: ObjectMeta;
  readonly spec: DecisionModelSpec;
  readonly status?: DecisionModelStatus;
}
/** Which model to serve, and how to change it. */
export interface DecisionModelSpec {
  /** The engine that serves the model. */
  readonly engine: "ollaya";
  /** The model as the engine names it, with its tag, such as laya:en or registry.example/team/router:2. Without a tag, engines take another model. */
  readonly model: string;
  /** The SHA-256 that the model's manifest must have, 64 hexadecimal digits. Left out, the tag is resolved once and the digest recorded; a tag that moves later changes nothing here. */
  readonly digest?: string;
  /** How many pods serve the model. More than one on several nodes need a store that those nodes can share: see cache.accessModes. */
  readonly replicas: number;
  /** What the model runs on. cuda also requests one nvidia.com/gpu per pod and takes the engine's image for CUDA. */
  readonly device: "cpu" | "cuda";
  /** A container image in place of the engine's own, used as written for serving and for downloads. Refused unless the operator runs with --allow-image-override, since it would run in pods that the operator makes. */
  readonly image?: string;
  /** The release of the engine, such as 0.10.0. Left out, --runtime-version-policy of the operator decides; set, a new release of the operator never starts a roll-out here. */
  readonly runtimeVersion?: string;
  readonly resources?: ResourceRequirements;
  readonly scheduling?: Scheduling;
  readonly cache?: Cache;
  readonly auth?: Auth;
  readonly rollout?: Rollout;
}
/** What the serving container requests and may use. */
export interface ResourceRequirements {
  /** Claims of the pod that the container uses. */
  readonly claims?: readonly ResourceClaim[];
  /** What the container may not exceed. */
  readonly limits?: {
    readonly [k: string]: number | string;
  };
  /** What is kept free for the container; left out, the limits where there are any. */
  readonly requests?: {
    readonly [k: string]: number | string;
  };
}
/** A claim of the pod that a container uses. */
export interface ResourceClaim {
  /** Name of the claim in the pod. */
  readonly name: string;
  /** The one request of the claim to use; left out, all of them. */
  readonly request?: string;
}
/** Where the pods may run. Every change starts a new revision with a store of its own. */
export interface Scheduling {
  /** Labels that a node must have, all of them. */
  readonly nodeSelector?: {
    readonly [k: string]: string;
  };
  /** Taints that do not keep the pods away. */
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: Affinity;
  /** The RuntimeClass of serving pods, such as nvidia. Downloads run without it. */
  readonly runtimeClassName?: string;
}
/** A taint, or many, that do not keep a pod away. */
export interface Toleration {
  /** The effect of the taint; left out, every effect. */
  readonly effect?: string;
  /** The key of the taint; left out, every key. */
  readonly key?: string;
  /** Exists takes any value of the taint, Equal only this one. */
  readonly operator?: string;
  /** How long a NoExecute taint is tolerated; left out, for ever. */
  readonly tolerationSeconds?: number;
  /** The value of the taint. */
  readonly value?: string;
}
/** What draws the pods to nodes and to other pods, or keeps them apart. */
export interface Affinity {
  readonly nodeAffinity?: NodeAffinity;
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAntiAffinity;
}
/** Which nodes the pods may run on and which they prefer. */
export interface NodeAffinity {
  /** Nodes that are preferred, each kind with its weight. */
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
}
/** Nodes that are preferred, and how much. */
export interface PreferredSchedulingTerm {
  readonly preference: NodeSelectorTerm;
  /** How much it counts, 1 to 100. */
  readonly weight: number;
}
/** Requirements that a node must meet, all of them. */
export interface NodeSelectorTerm {
  /** Requirements of a node's labels or fields. */
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  /** Requirements of a node's labels or fields. */
  readonly matchFields?: readonly NodeSelectorRequirement[];
}
/** What a label or a field of a node must be. */
export interface NodeSelectorRequirement {
  /** The label or field. */
  readonly key: string;
  /** In, NotIn, Exists, DoesNotExist, Gt or Lt. */
  readonly operator: string;
  /** The values to compare with. */
  readonly values?: readonly string[];
}
/** Nodes that the pods may run on. */
export interface NodeSelector {
  /** Kinds of nodes, of which one must fit. */
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
}
/** Pods, and how near to them these pods are to be or not to be. */
export interface PodAffinity {
  /** What is preferred, each with its weight. */
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
  /** What must hold, all of it. */
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
}
/** What is preferred, and how much. */
export interface WeightedPodAffinityTerm {
  readonly podAffinityTerm: PodAffinityTerm;
  /** How much it counts, 1 to 100. */
  readonly weight: number;
}
/** Pods, and the part of the cluster that counts as near. */
export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector;
  /** Labels that the other pods must have with the same value as these. */
  readonly matchLabelKeys?: readonly string[];
  /** Labels that the other pods must not have with the same value as these. */
  readonly mismatchLabelKeys?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
  /** Namespaces of the other pods by name. */
  readonly namespaces?: readonly string[];
  /** The label of nodes that are near to each other if they share its value. */
  readonly topologyKey: string;
}
/** Labels to select by. */
export interface LabelSelector {
  /** Requirements of labels, all of them. */
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
  /** Labels and their values, all of them. */
  readonly matchLabels?: {
    readonly [k: string]: string;
  };
}
/** What a label must be. */
export interface LabelSelectorRequirement {
  /** The label. */
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** The values to compare with. */
  readonly values?: readonly string[];
}
/** Pods, and how near to them these pods are to be or not to be. */
export interface PodAntiAffinity {
  /** What is preferred, each with its weight. */
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
  /** What must hold, all of it. */
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
}
/** The volume that keeps the model, one for each revision. */
export interface Cache {
  /** Its size. It can grow where the storage class allows it, never shrink. */
  readonly size: number | string;
  /** Its storage class; left out, the cluster's default. A volume that exists keeps its class. */
  readonly storageClassName?: string;
  /** How nodes may mount it: ReadWriteOnce if left out, ReadWriteMany for replicas on several nodes. A volume that exists keeps its modes. */
  readonly accessModes?: readonly string[];
  readonly downloadTokenSecretRef?: SecretKeySelector;
}
/** The key of a Secret with a token for weights that are not public. Only the download gets it. The Secret needs the label decisionmodel.io/download-token: "true". */
export interface SecretKeySelector {
  /** The Secret's key that holds the token. */
  readonly key: string;
  /** Name of the Secret, in this namespace. */
  readonly name: string;
  /** Without effect; the Secret and its key must exist. */
  readonly optional?: boolean;
}
/** Who may use the engine. */
export interface Auth {
  readonly apiKeySecretRef?: SecretKeySelector;
}
/** How a new revision becomes the one that serves. */
export interface Rollout {
  /** Who promotes a candidate that is ready. Automatic: nobody waits, but an evaluation that is configured must pass. EvaluationGated: the evaluation, which must be configured. Manual: a person, after the evaluation, by setting the annotation decisionmodel.io/promote to status.evaluation.approvalId. Left out, EvaluationGated with an evaluation and Automatic without. */
  readonly promotion?: "Automatic" | "EvaluationGated" | "Manual";
  /** The older way to write promotion Manual. The first revision never waits, since nothing serves yet. */
  readonly manualPromotion: boolean;
  /** BlueGreen starts the candidate beside the stable revision. Recreate stops the stable revision first, for clusters that have no room for both; meanwhile nothing serves. */
  readonly strategy: "BlueGreen" | "Recreate";
  /** How long the previous revision keeps running after a promotion, so that requests can return to it at once if the new one turns out unhealthy. 5m if left out; 0 for not at all. */
  readonly stabilization?: string;
  readonly timeouts?: Timeouts;
  readonly evaluation?: EvaluationSpec;
}
/** How long the phases of a roll-out may take. They hold at once, but for a download that has begun. */
export interface Timeouts {
  /** How long the download may take; 30m if left out. */
  readonly caching?: string;
  /** How long the candidate's pods may take until all have the model ready; 10m if left out. If set, it is also the most that a pod may take to load the model, which is 2m otherwise. */
  readonly starting?: string;
  /** How long the evaluation may take; 10m if left out. */
  readonly evaluating?: string;
  /** How long the roll-out may take from its admission, without the time that it waits for a person. Left out, 2h or the sum of the phases, whichever is longer. */
  readonly total?: string;
}
/** What a candidate must achieve over a dataset of cases whose answers are known. */
export interface EvaluationSpec {
  readonly datasetRef: DatasetRef;
  /** The least share of questions that must be answered right, such as "0.90". */
  readonly minAccuracy: string;
  /** By how much the accuracy may be below the stable revision's. Not asked of a first revision. */
  readonly maxAccuracyDrop?: string;
  /** The most that the expected calibration error may be: how far confidence and accuracy lie apart. */
  readonly maxECE?: string;
  /** By how much the calibration error may exceed the stable revision's. Not asked of a first revision. */
  readonly maxECEIncrease?: string;
  /** The least mean F1 over all classes, of questions that have classes; it notices a rare class that is always missed. */
  readonly minMacroF1?: string;
  /** By how much the macro-F1 may be below the stable revision's. Not asked of a first revision. */
  readonly maxMacroF1Drop?: string;
  /** The least share of questions that must get a usable answer, right or not. */
  readonly minCoverage?: string;
  /** How sure it must be, such as "0.95", that the accuracy over all possible cases reaches minAccuracy. Above 0.5 and below 1. A candidate with too few cases for that waits for a person. */
  readonly confidence?: string;
  /** How far a score may be from the expected level; 0.5 if left out. A case may have its own. */
  readonly scoreTolerance?: string;
  /** How many cases are used, from the first on. */
  readonly maxCases: number;
  /** How many cases are asked at once, over all pods that are ready. It changes no result. */
  readonly parallelism: number;
}
/** Where the cases are, as JSON Lines of at most 1 MiB. */
export interface DatasetRef {
  readonly configMapRef?: DatasetKeyRef;
  readonly secretRef?: DatasetKeyRef;
}
/** A key of a ConfigMap, or of a Secret with the label decisionmodel.io/eval-dataset: "true". */
export interface DatasetKeyRef {
  /** The key that holds the cases. */
  readonly key: string;
  /** Name of the object, in this namespace. */
  readonly name: string;
}
/** What serves, what is being rolled out, and why. */
export interface DecisionModelStatus {
  /** How far the roll-out is: Pending, Resolving, Caching, Starting, Evaluating, AwaitingPromotion, Ready, Degraded, RolledBack or Failed. */
  readonly phase?: string;
  /** When the phase last changed. */
  readonly phaseTransitionTime?: string;
  /** When the roll-out was admitted, later by as long as it has waited for a person. */
  readonly rolloutStartedAt?: string;
  /** When a candidate last became stable. */
  readonly lastPromotionTime?: string;
  /** The generation of the spec that this status is about. */
  readonly observedGeneration?: number;
  /** Where the model answers within the cluster. */
  readonly endpoint?: string;
  readonly stableRevision?: Revision;
  readonly candidateRevision?: Revision;
  readonly failedRevision?: Revision;
  readonly previousRevision?: PreviousRevision;
  /** The candidate for which the stable revision was stopped. */
  readonly stableStoppedForRevision?: string;
  readonly recreateRollback?: RecreateRollback;
  /** The value of the annotation decisionmodel.io/retry that was last seen. */
  readonly lastRetryToken?: string;
  readonly storeRecovery?: StoreRecovery;
  readonly replicas?: ReplicaCounts;
  readonly evaluation?: EvaluationStatus;
  /** What holds at present, each with its reason. */
  readonly conditions?: readonly StatusCondition[];
}
/** The revision that receives requests. */
export interface Revision {
  /** What names the revision, of all that is part of its identity. */
  readonly hash: string;
  /** Its engine. */
  readonly engine?: string;
  /** Its model. */
  readonly model: string;
  /** The digest of its model, 64 hexadecimal digits. */
  readonly digest: string;
  /** What it runs on. */
  readonly device: string;
  /** The container image that serves it. */
  readonly image?: string;
  /** Whether its image is named by digest. */
  readonly imagePinned?: boolean;
  /** The release of its engine; empty if spec.image named its image. */
  readonly runtimeVersion?: string;
  readonly resources?: ResourceRequirements;
  /** The precision of its weights as the engine reports it. */
  readonly precision?: string;
  /** What names its scheduling, or none. Empty only if an operator recorded it that did not know of placements. */
  readonly placement?: string;
  /** Why it failed, in a word. */
  readonly reason?: string;
  /** Why it failed. */
  readonly message?: string;
  /** When it failed. */
  readonly failedAt?: string;
}
/** The revision that was stable before, as long as it can return. */
export interface PreviousRevision {
  /** Its hash. */
  readonly hash: string;
  /** When the newer revision was promoted. */
  readonly promotedAt?: string;
  /** The strategy by which it was replaced. */
  readonly strategy?: "BlueGreen" | "Recreate";
  readonly revision?: Revision;
}
/** A return to the previous revision that is under way. */
export interface RecreateRollback {
  readonly failed: Revision;
  readonly target: Revision;
  /** When the return began. */
  readonly startedAt: string;
}
/** How often the stable revision's lost store was downloaded again in vain. */
export interface StoreRecovery {
  /** How many downloads failed. */
  readonly attempts?: number;
  /** UID of the last failed Job that was counted. */
  readonly lastFailedJob?: string;
  /** Whether no further download is tried. */
  readonly exhausted?: boolean;
}
/** Counts of pods. */
export interface ReplicaCounts {
  /** How many are wanted. */
  readonly desired?: number;
  /** How many have the model ready. */
  readonly modelReady?: number;
}
/** The last evaluation. Figures are decimals with four places. */
export interface EvaluationStatus {
  /** Hash of the revision that was evaluated. */
  readonly revision?: string;
  /** The share of questions that were answered right. */
  readonly accuracy?: string;
  /** The stable revision's accuracy. */
  readonly baselineAccuracy?: string;
  /** How many questions were asked. */
  readonly cases?: number;
  /** How many of them were answered wrong or not at all. */
  readonly failedCases?: number;
  /** The share of questions that got a usable answer. */
  readonly coverage?: string;
  /** How many answers came with a usable confidence. */
  readonly calibratedCases?: number;
  /** The expected calibration error. */
  readonly ece?: string;
  /** The Brier score. */
  readonly brier?: string;
  /** The stable revision's calibration error. */
  readonly baselineEce?: string;
  /** How many questions have classes. */
  readonly classifiableCases?: number;
  /** The mean F1 over classes, then over questions. */
  readonly macroF1?: string;
  /** The stable revision's macro-F1. */
  readonly baselineMacroF1?: string;
  /** The least accuracy that was asked for. */
  readonly minAccuracy?: string;
  /** The largest drop of accuracy that was allowed. */
  readonly maxAccuracyDrop?: string;
  /** The largest calibration error that was allowed. */
  readonly maxEce?: string;
  /** The largest increase of the calibration error that was allowed. */
  readonly maxEceIncrease?: string;
  /** The questions of the lowest accuracy. */
  readonly questions?: readonly QuestionRow[];
  /** Whether there were more questions than are shown. */
  readonly truncated?: boolean;
  /** What the gate says; absent while it can say neither. */
  readonly result?: "Passed" | "Failed";
  /** Why, in words. */
  readonly reason?: string;
  /** What names the policy by which it was judged. */
  readonly policyHash?: string;
  /** The version of the rules by which answers are scored. */
  readonly scorerVersion?: number;
  /** SHA-256 of the dataset. */
  readonly datasetDigest?: string;
  /** What the annotation decisionmodel.io/promote must say to promote this very result. */
  readonly approvalId?: string;
  /** When the evaluation ended. */
  readonly completedAt?: string;
}
/** One question over all its cases. */
export interface QuestionRow {
  /** Name of the question, shortened with a hash if it is long. */
  readonly id: string;
  /** How often it was asked. */
  readonly cases?: number;
  /** How often it was answered right. */
  readonly accuracy?: string;
  /** Its mean F1 over classes. */
  readonly macroF1?: string;
}
/** One thing that holds or does not. */
export interface StatusCondition {
  /** What the condition is about. */
  readonly type: string;
  /** Whether it holds. */
  readonly status: "True" | "False" | "Unknown";
  /** Why, in a word. */
  readonly reason: string;
  /** Why, for people. */
  readonly message: string;
  /** When the status last changed. */
  readonly lastTransitionTime: string;
  /** The generation of the spec that the condition is about. */
  readonly observedGeneration?: number;
}
