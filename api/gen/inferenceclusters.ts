// Made by `npm run generate` from package/apis/inferenceclusters/definition.yaml; do not edit.
// Every field that has a default is present, since these are the types of an object as the API
// server stores it.
import type { KubeObject, ObjectMeta } from "../../kube/object.ts";

/** A Kubernetes cluster that models run on, with its pools of nodes. */
export interface InferenceCluster extends KubeObject {
  readonly apiVersion: "modelplane.ai/v1alpha1";
  readonly kind: "InferenceCluster";
  readonly metadata: ObjectMeta;
  readonly spec: InferenceClusterSpec;
  readonly status?: InferenceClusterStatus;
}
/** How the cluster is reached, what it has, and who may be placed on it. */
export interface InferenceClusterSpec {
  readonly cluster: Cluster;
  /** How the cluster runs engines of several nodes: Standard as LeaderWorkerSets, Dynamo as PodCliqueSets of Grove under the KAI scheduler. */
  readonly stack: "Standard" | "Dynamo";
  readonly placement?: Placement;
  /** What keeps deployments away that do not tolerate it, as taints of nodes do with pods. */
  readonly taints?: readonly Taint[];
  /** The pools of nodes that models run on. Label the nodes of each modelplane.ai/pool=NAME, since pods are bound to their pool by it. */
  readonly nodePools?: readonly NodePool[];
  readonly crossplane?: CrossplaneSpec;
}
/** Where the cluster comes from. */
export interface Cluster {
  /** Existing is a cluster that you run yourself. sluice does not create clusters: of any other source it composes nothing, and it keeps what there is. */
  readonly source: "GKE" | "EKS" | "AKS" | "Nebius" | "Vultr" | "Existing";
  readonly existing?: Existing;
  /** A cluster of Google Kubernetes Engine; kept, and not composed. */
  readonly gke?: { readonly [field: string]: unknown };
  /** A cluster of Amazon EKS; kept, and not composed. */
  readonly eks?: { readonly [field: string]: unknown };
  /** A cluster of Azure Kubernetes Service; kept, and not composed. */
  readonly aks?: { readonly [field: string]: unknown };
  /** A cluster of Nebius Managed Kubernetes; kept, and not composed. */
  readonly nebius?: { readonly [field: string]: unknown };
  /** A cluster of Vultr Kubernetes Engine; kept, and not composed. */
  readonly vultr?: { readonly [field: string]: unknown };
}
/** How to reach a cluster that you run yourself. */
export interface Existing {
  readonly secretRef: SecretRef;
  readonly identitySecretRef?: IdentitySecretRef;
  readonly cache?: ExistingCache;
  /** Who installs what models need on the cluster. sluice installs nothing, so it treats every cluster as Provided, and says in the condition RequirementsMet what you have to install where this says Managed. */
  readonly components: "Managed" | "Provided";
}
/** The Secret with the cluster's kubeconfig, in the namespace modelplane-system. */
export interface SecretRef {
  /** Name of the Secret. */
  readonly name: string;
  /** The key that holds the kubeconfig. */
  readonly key: string;
}
/** The Secret with the cloud identity to log in with, in the namespace modelplane-system. Left out, the kubeconfig has to be enough. */
export interface IdentitySecretRef {
  /** Name of the Secret. */
  readonly name: string;
  /** The key that holds the identity. */
  readonly key: string;
  /** What the identity is; it must be of the cluster's own cloud. */
  type:
    | "GoogleApplicationCredentials"
    | "AWSWebIdentityCredentials"
    | "NebiusServiceAccountCredentials";
}
/** Storage for model caches. */
export interface ExistingCache {
  /** A StorageClass of the cluster that makes ReadWriteMany volumes. Without one, no deployment that names a ModelCache is placed here. */
  readonly storageClassName?: string;
}
/** What is true of everything that is placed here. */
export interface Placement {
  readonly metadata?: PlacementMetadata;
}
/** What to add to replicas and endpoints on this cluster. */
export interface PlacementMetadata {
  /** Labels to add to every replica on this cluster and to its endpoint, such as a region that services choose by. They win over the deployment's; those that sluice sets itself win over both. */
  readonly labels?: {
    readonly [k: string]: string;
  };
}
/** spec.taints[] of an InferenceCluster. */
export interface Taint {
  /** Key of the taint. */
  readonly key: string;
  /** Value of the taint; left out, it is empty. */
  readonly value?: string;
  /** NoSchedule keeps new replicas away. NoExecute also moves those that are here to other clusters, or drops them where there is no room. */
  readonly effect: "NoSchedule" | "NoExecute";
}
/** spec.nodePools[] of an InferenceCluster. */
export interface NodePool {
  /** Name of the pool, unique within the cluster. */
  readonly name: string;
  /** The InferenceClass that its nodes are of. */
  readonly className: string;
  /** How many nodes it has. */
  readonly nodeCount: number;
  /** How few nodes it may shrink to, where it grows and shrinks by itself. */
  readonly minNodeCount?: number;
  /** How many nodes it may grow to. Replicas are placed as if it had grown so far. */
  readonly maxNodeCount?: number;
  /** The zones that its nodes are in. */
  readonly zones?: readonly string[];
  readonly capacityBlock?: CapacityBlock;
  readonly fabric?: Fabric;
}
/** A reservation that its nodes come from, on EKS. */
export interface CapacityBlock {
  /** ID of the reservation. */
  readonly capacityReservationId: string;
}
/** The fast network between its nodes; left out, there is none. */
export interface Fabric {
  /** Kind of the network. */
  readonly type: "None" | "EFA" | "InfiniBand";
  readonly infiniband?: Infiniband;
}
/** Settings of InfiniBand. */
export interface Infiniband {
  /** The cloud's name of the fabric. */
  readonly fabric: string;
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
/** spec.crossplane.compositionRef of an InferenceCluster. */
export interface CompositionRef {
  readonly name: string;
}
/** spec.crossplane.compositionSelector of an InferenceCluster. */
export interface CompositionSelector {
  readonly matchLabels: {
    readonly [k: string]: string;
  };
}
/** spec.crossplane.compositionRevisionRef of an InferenceCluster. */
export interface CompositionRevisionRef {
  readonly name: string;
}
/** spec.crossplane.compositionRevisionSelector of an InferenceCluster. */
export interface CompositionRevisionSelector {
  readonly matchLabels: {
    readonly [k: string]: string;
  };
}
/** spec.crossplane.resourceRefs[] of an InferenceCluster. */
export interface ResourceRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
}
/** What deployments are placed by, and how replicas reach the cluster. */
export interface InferenceClusterStatus {
  readonly providerConfigRef?: ProviderConfigRef;
  /** The namespace of the control plane that holds the cluster's Secrets and its Objects. */
  readonly namespace?: string;
  readonly gateway?: GatewayStatus;
  readonly cache?: CacheStatus;
  /** The node pools with what their classes say of their nodes. The entry of a pool whose class is missing or invalid keeps what it said last. */
  readonly gpuPools?: readonly GpuPool[];
  /** Conditions of the resource. */
  readonly conditions?: readonly Condition[];
}
/** The ClusterProviderConfig that reaches the cluster. */
export interface ProviderConfigRef {
  /** Name of the ClusterProviderConfig. */
  readonly name?: string;
}
/** Where requests reach the cluster, as its Gateway said last. It stays until the Gateway is seen without an address. */
export interface GatewayStatus {
  /** The first address of the Gateway, an IP address or a host name. */
  readonly address?: string;
  /** The same, where the address is a host name. */
  readonly hostname?: string;
  /** The certificate authority of the Gateway's certificate, in PEM. */
  readonly caCertificate?: string;
}
/** Storage for model caches. */
export interface CacheStatus {
  /** The StorageClass of the cluster for ReadWriteMany volumes. */
  readonly storageClassName?: string;
}
/** status.gpuPools[] of an InferenceCluster. */
export interface GpuPool {
  /** Name of the pool. */
  readonly name: string;
  /** How many nodes it has, or may grow to. */
  readonly nodes?: number;
  /** What one node costs in an hour, from the class. */
  readonly costPerNodeHour?: string;
  /** The devices of every node, from the class. */
  readonly devices?: readonly Device[];
}
/** status.gpuPools[].devices[] of an InferenceCluster. */
export interface Device {
  /** Name of the entry. */
  readonly name: string;
  /** Whether pods claim it. */
  readonly claim?: "DRA" | "Synthetic";
  /** The driver of the device. */
  readonly driver: string;
  /** The DeviceClass that pods claim it through. */
  readonly deviceClassName?: string;
  /** How many of them a node has. */
  readonly count?: number;
  /** What selectors read of it, each of one type. */
  readonly attributes?: {
    readonly [k: string]: DeviceAttribute;
  };
  /** How much it has of what selectors measure. */
  readonly capacity?: {
    readonly [k: string]: DeviceCapacity;
  };
}
/** status.gpuPools[].devices[].attributes{} of an InferenceCluster. */
export interface DeviceAttribute {
  /** A text. */
  readonly string?: string;
  /** A semantic version. */
  readonly version?: string;
  /** A yes or no. */
  readonly bool?: boolean;
  /** A whole number. */
  readonly int?: number;
}
/** status.gpuPools[].devices[].capacity{} of an InferenceCluster. */
export interface DeviceCapacity {
  /** A Kubernetes quantity. */
  readonly value: string;
}
/** status.conditions[] of an InferenceCluster. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}
