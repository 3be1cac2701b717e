// Made by `npm run generate` from package/apis/inferenceclasses/definition.yaml; do not edit.
// Every field that has a default is present, since these are the types of an object as the API
// server stores it.
import type { KubeObject, ObjectMeta } from "../../kube/object.ts";

/** What a node of some shape has: its devices, and what it costs. Node pools of inference clusters name the class that their nodes are of. */
export interface InferenceClass extends KubeObject {
  readonly apiVersion: "modelplane.ai/v1alpha1";
  readonly kind: "InferenceClass";
  readonly metadata: ObjectMeta;
  readonly spec: InferenceClassSpec;
  readonly status?: InferenceClassStatus;
}
/** The devices of a node, and how such nodes come to be. */
export interface InferenceClassSpec {
  /** What the class is, for people. */
  readonly description?: string;
  /** What one node costs in an hour, as a decimal in a currency that is the same for the whole fleet, such as "12.29". Among clusters and pools that fit, the cheaper one is taken; those without a cost come last. */
  readonly costPerNodeHour?: string;
  readonly provisioning?: Provisioning;
  /** The devices that every node of this class has, one entry for each kind. The nodeSelector of a ModelDeployment is matched against them, as dynamic resource allocation matches devices of a ResourceSlice. */
  readonly devices: readonly Device[];
  readonly crossplane?: CrossplaneSpec;
}
/** How a cloud makes nodes of this class. sluice composes existing clusters only, so it keeps this and makes nothing from it. */
export interface Provisioning {
  /** The cloud. */
  readonly provider: "GKE" | "EKS" | "AKS" | "Nebius" | "Vultr";
  /** Nodes of Google Kubernetes Engine. */
  readonly gke?: { readonly [field: string]: unknown };
  /** Nodes of Amazon EKS. */
  readonly eks?: { readonly [field: string]: unknown };
  /** Nodes of Azure Kubernetes Service. */
  readonly aks?: { readonly [field: string]: unknown };
  /** Nodes of Nebius Managed Kubernetes. */
  readonly nebius?: { readonly [field: string]: unknown };
  /** Nodes of Vultr Kubernetes Engine. */
  readonly vultr?: { readonly [field: string]: unknown };
}
/** spec.devices[] of an InferenceClass. */
export interface Device {
  /** Name of the entry, unique within the class, such as gpu. */
  readonly name: string;
  /** DRA devices are published by a driver, and pods claim them. Synthetic ones have no driver: they decide where pods may run and are never claimed. */
  readonly claim: "DRA" | "Synthetic";
  /** The driver of the device, such as gpu.nvidia.com; also the domain of its attributes and capacities. */
  readonly driver: string;
  /** The DeviceClass of the cluster that pods claim it through. */
  readonly deviceClassName?: string;
  /** How many of them a node has. */
  readonly count: number;
  /** What selectors read as device.attributes["DRIVER"].NAME. A name with a slash carries a domain of its own. */
  readonly attributes?: {
    readonly [k: string]: DeviceAttribute;
  };
  /** What selectors read as device.capacity["DRIVER"].NAME, such as memory. */
  readonly capacity?: {
    readonly [k: string]: DeviceCapacity;
  };
}
/** spec.devices[].attributes{} of an InferenceClass. */
export interface DeviceAttribute {
  /** A text. */
  readonly string?: string;
  /** A semantic version of three numbers, such as 9.0.0, that selectors compare by semver(). */
  readonly version?: string;
  /** A yes or no. */
  readonly bool?: boolean;
  /** A whole number. */
  readonly int?: number;
}
/** spec.devices[].capacity{} of an InferenceClass. */
export interface DeviceCapacity {
  /** A Kubernetes quantity, such as 141Gi. */
  readonly value: string;
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
/** spec.crossplane.compositionRef of an InferenceClass. */
export interface CompositionRef {
  readonly name: string;
}
/** spec.crossplane.compositionSelector of an InferenceClass. */
export interface CompositionSelector {
  readonly matchLabels: {
    readonly [k: string]: string;
  };
}
/** spec.crossplane.compositionRevisionRef of an InferenceClass. */
export interface CompositionRevisionRef {
  readonly name: string;
}
/** spec.crossplane.compositionRevisionSelector of an InferenceClass. */
export interface CompositionRevisionSelector {
  readonly matchLabels: {
    readonly [k: string]: string;
  };
}
/** spec.crossplane.resourceRefs[] of an InferenceClass. */
export interface ResourceRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
}
/** Whether the class can be used. */
export interface InferenceClassStatus {
  /** Conditions of the resource. */
  readonly conditions?: readonly Condition[];
}
/** status.conditions[] of an InferenceClass. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}
