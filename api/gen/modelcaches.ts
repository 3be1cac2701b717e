// Made by `npm run generate` from package/apis/modelcaches/definition.yaml; do not edit.
// Every field that has a default is present, since these are the types of an object as the API
// server stores it.
import type { KubeObject, ObjectMeta } from "../../kube/object.ts";

/** Weights of a model, to be kept on clusters so that engines find them there. sluice places deployments by their cache; it does not yet fetch the weights. */
export interface ModelCache extends KubeObject {
  readonly apiVersion: "modelplane.ai/v1alpha1";
  readonly kind: "ModelCache";
  readonly metadata: ObjectMeta;
  readonly spec: ModelCacheSpec;
  readonly status?: ModelCacheStatus;
}
/** What to keep, and on which clusters. */
export interface ModelCacheSpec {
  /** Where the weights come from. */
  readonly source: "HuggingFace";
  readonly huggingFace?: HuggingFace;
  readonly clusterSelector?: ClusterSelector;
  readonly crossplane?: CrossplaneSpec;
}
/** A repository of Hugging Face. */
export interface HuggingFace {
  /** The repository, such as Qwen/Qwen3-8B. */
  readonly repo: string;
  /** Branch, tag or commit; left out, the repository's default branch. */
  readonly revision?: string;
  readonly authSecret?: AuthSecret;
  /** The size of the volume to make on each cluster, in GiB. */
  readonly sizeGiB: number;
}
/** The Secret with a token for a repository that is not public, in this namespace. */
export interface AuthSecret {
  /** Name of the Secret. */
  readonly name: string;
  /** The Secret's key that holds the token. */
  readonly key: string;
}
/** On which InferenceClusters to keep the weights, by their labels. Left out, on all that have storage for caches. Deployments that name this cache are placed on these clusters only. */
export interface ClusterSelector {
  /** Labels that a cluster must have, all of them. */
  readonly matchLabels?: {
    readonly [k: string]: string;
  };
}
/** How Crossplane reconciles this composite resource. */
export interface CrossplaneSpec {
  readonly compositionRef?: CompositionRef;
  readonly compositionSelector?: CompositionSelector;
  readonly compositionRevisionRef?: CompositionRevisionRef;
  readonly compositionRevisionSelector?: CompositionRevisionSelector;
  readonly compositionUpdatePolicy?: "Automatic" | "Manual";
  readonly resourceRefs?: readonly ResourceRef[];
}
/** spec.crossplane.compositionRef of a ModelCache. */
export interface CompositionRef {
  readonly name: string;
}
/** spec.crossplane.compositionSelector of a ModelCache. */
export interface CompositionSelector {
  readonly matchLabels: {
    readonly [k: string]: string;
  };
}
/** spec.crossplane.compositionRevisionRef of a ModelCache. */
export interface CompositionRevisionRef {
  readonly name: string;
}
/** spec.crossplane.compositionRevisionSelector of a ModelCache. */
export interface CompositionRevisionSelector {
  readonly matchLabels: {
    readonly [k: string]: string;
  };
}
/** spec.crossplane.resourceRefs[] of a ModelCache. */
export interface ResourceRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
}
/** Where the weights are. */
export interface ModelCacheStatus {
  readonly summary?: Summary;
  /** The clusters that they are to be on. */
  readonly clusters?: readonly CachedCluster[];
  /** Conditions of the resource. */
  readonly conditions?: readonly Condition[];
}
/** Counts of clusters. */
export interface Summary {
  /** On how many clusters they are, of how many, such as 2/3. */
  readonly ready?: string;
}
/** status.clusters[] of a ModelCache. */
export interface CachedCluster {
  /** Name of the InferenceCluster. */
  readonly name: string;
  /** How far the cluster is. */
  readonly phase?: "Pending" | "Hydrating" | "Ready" | "Failed";
  /** What it waits for. */
  readonly message?: string;
}
/** status.conditions[] of a ModelCache. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}
