// Made by `npm run generate` from package/apis/modeldeployments/definition.yaml; do not edit.
// Every field that has a default is present, since these are the types of an object as the API
// server stores it.
import type { KubeObject, ObjectMeta } from "../../kube/object.ts";

/** A model that is served by a number of replicas, each placed on an inference cluster that has the devices it needs. Each replica is a ModelReplica, with a ModelEndpoint once it serves. */
export interface ModelDeployment extends KubeObject {
  readonly apiVersion: "modelplane.ai/v1alpha1";
  readonly kind: "ModelDeployment";
  readonly metadata: ObjectMeta;
  readonly spec: ModelDeploymentSpec;
  readonly status?: ModelDeploymentStatus;
}
/** What to run, how often, and how a change reaches what runs already. */
export interface ModelDeploymentSpec {
  /** How many replicas to place, each on one cluster. */
  readonly replicas: number;
  readonly rollout?: Rollout;
  readonly template: ReplicaTemplate;
  readonly crossplane?: CrossplaneSpec;
}
/** How a change of the template reaches the replicas that there are. Left out, it is as if every field had its default. */
export interface Rollout {
  /** How many replicas may be unready while a change is rolled out, those that are unready for another reason included. */
  readonly maxUnavailable: number;
  /** Keeps the replicas that there are on the template that they have. Missing ones are still placed, with the current template. */
  readonly pause: boolean;
}
/** What every replica is made from. */
export interface ReplicaTemplate {
  readonly metadata?: ReplicaMetadata;
  readonly spec: ReplicaTemplateSpec;
}
/** Labels to add to the replicas and to their endpoints. */
export interface ReplicaMetadata {
  /** Labels by which services choose endpoints, and people replicas; those that sluice sets itself win. */
  readonly labels?: {
    readonly [k: string]: string;
  };
}
/** What each replica runs, and what it needs of the cluster that it is placed on. */
export interface ReplicaTemplateSpec {
  readonly clusterSelector?: ClusterSelector;
  readonly modelCacheRef?: ModelCacheRef;
  readonly serving?: Serving;
  /** The taints of InferenceClusters that replicas put up with, as pods do with those of nodes. Without a match for NoSchedule a cluster gets no new replica; without one for NoExecute it also loses those that it has. */
  readonly tolerations?: readonly Toleration[];
  /** The inference engines of one replica, all on one cluster. */
  readonly engines: readonly Engine[];
}
/** Which InferenceClusters replicas may be placed on, by their labels. Left out, every cluster may be chosen. */
export interface ClusterSelector {
  /** Labels that a cluster must have, all of them. */
  readonly matchLabels?: {
    readonly [k: string]: string;
  };
}
/** The ModelCache, in this namespace, whose weights every engine pod mounts. Without one the engines fetch the model themselves. */
export interface ModelCacheRef {
  /** Name of the ModelCache. */
  readonly name: string;
}
/** How requests reach the engines. Left out, it means Unified on port 8000. */
export interface Serving {
  /** Unified sends a request to any engine pod. PrefillDecode splits each request between the engine with phase Prefill and the one with phase Decode. */
  readonly mode: "Unified" | "PrefillDecode";
  /** Who chooses the pod for a request. EndpointPicker runs the picker described under endpointPicker; left out, sluice runs a picker of its own choosing. */
  readonly router?: "EndpointPicker";
  /** The port of every serving pod that requests are sent to, 8000 if left out. The engine listens there, unless a container in front of it declares this port. */
  readonly port?: number;
  readonly endpointPicker?: EndpointPicker;
}
/** The picker to run instead of the default one. */
export interface EndpointPicker {
  readonly template: EndpointPickerTemplate;
  /** An EndpointPickerConfig, in place of the default one of the mode. It is passed on whole; the picker itself decides what it understands. */
  readonly config?: { readonly [field: string]: unknown };
}
/** The picker's pod; sluice adds its ports, probes and permissions. */
export interface EndpointPickerTemplate {
  readonly spec: EndpointPickerPodSpec;
}
/** What of the picker's pod is the user's to decide. */
export interface EndpointPickerPodSpec {
  /** The one container of the picker, named epp. */
  readonly containers: readonly EndpointPickerContainer[];
  /** Secrets on the inference cluster for pulling the image. */
  readonly imagePullSecrets?: readonly ImagePullSecret[];
}
/** spec.template.spec.serving.endpointPicker.template.spec.containers[] of a ModelDeployment. */
export interface EndpointPickerContainer {
  /** Always epp. */
  readonly name: string;
  /** The picker's container image. */
  readonly image: string;
  /** Replaces the image's entrypoint. */
  readonly command?: readonly string[];
  /** Arguments of the picker, after those that sluice sets; one given here wins over sluice's. */
  readonly args?: readonly string[];
  /** Environment variables, in order; a later one may refer to an earlier one. */
  readonly env?: readonly EnvVar[];
  readonly resources?: Resources;
}
/** spec.template.spec.serving.endpointPicker.template.spec.containers[].env[] of a ModelDeployment. */
export interface EnvVar {
  /** Name of the variable. */
  readonly name: string;
  /** The value itself. Put secrets in valueFrom.secretKeyRef instead. */
  readonly value?: string;
  readonly valueFrom?: ValueFrom;
}
/** Where Kubernetes reads the value when the container starts; set exactly one source. */
export interface ValueFrom {
  readonly secretKeyRef?: SecretKeyRef;
  readonly configMapKeyRef?: ConfigMapKeyRef;
  readonly fieldRef?: FieldRef;
}
/** A key of a Secret in the pod's namespace on the inference cluster. */
export interface SecretKeyRef {
  readonly name: string;
  readonly key: string;
  /** Start the container even if the Secret or the key is missing. */
  readonly optional?: boolean;
}
/** A key of a ConfigMap in the pod's namespace on the inference cluster. */
export interface ConfigMapKeyRef {
  readonly name: string;
  readonly key: string;
  /** Start the container even if the ConfigMap or the key is missing. */
  readonly optional?: boolean;
}
/** A field of the pod itself, such as status.podIP or metadata.name. */
export interface FieldRef {
  readonly fieldPath: string;
  readonly apiVersion?: string;
}
/** CPU, memory and ephemeral storage; devices come from the nodeSelector. */
export interface Resources {
  /** What the scheduler sets aside for the container, as Kubernetes quantities. */
  readonly requests?: {
    readonly [k: string]: number | string;
  };
  /** What the container may not exceed, as Kubernetes quantities. */
  readonly limits?: {
    readonly [k: string]: number | string;
  };
}
/** spec.template.spec.serving.endpointPicker.template.spec.imagePullSecrets[] of a ModelDeployment. */
export interface ImagePullSecret {
  /** Name of the Secret. */
  readonly name: string;
}
/** spec.template.spec.tolerations[] of a ModelDeployment. */
export interface Toleration {
  /** Key of the taint. Without one, Exists tolerates every taint. */
  readonly key?: string;
  /** Equal tolerates a taint of this key and value, Exists one of this key and any value. */
  readonly operator: "Exists" | "Equal";
  /** Value of the taint, for Equal; left out, it is empty. */
  readonly value?: string;
  /** The taint's effect; left out, either. */
  readonly effect?: "NoSchedule" | "NoExecute";
}
/** spec.template.spec.engines[] of a ModelDeployment. */
export interface Engine {
  /** Name of the engine, unique within the deployment. */
  readonly name: string;
  /** How many times the engine runs side by side. */
  readonly copies: number;
  /** Which half of a request this engine takes. Set on both engines under PrefillDecode serving, and on none otherwise. */
  readonly phase?: "Prefill" | "Decode";
  /** The kinds of pod that make up one copy: a Standalone member alone, or a Leader and a Worker that run as one gang over several nodes. */
  readonly members: readonly Member[];
}
/** spec.template.spec.engines[].members[] of a ModelDeployment. */
export interface Member {
  /** Standalone is a pod that serves by itself. A Leader serves for its gang, whose other pods are Workers. */
  readonly role: "Standalone" | "Leader" | "Worker";
  readonly nodeSelector?: NodeSelector;
  readonly worker?: Worker;
  readonly template: MemberTemplate;
}
/** The devices that each pod of this member needs of its node. A node pool fits when its InferenceClass has them all; the pods claim those that it offers through dynamic resource allocation. Left out, the pods claim none and run on whichever pool the engine is placed on. */
export interface NodeSelector {
  /** Device requests. No two of them are met by the same device. */
  readonly devices: readonly DeviceRequest[];
}
/** spec.template.spec.engines[].members[].nodeSelector.devices[] of a ModelDeployment. */
export interface DeviceRequest {
  /** Name of the request, also in the pods' resource claim. */
  readonly name: string;
  /** How many such devices each pod needs. */
  readonly count: number;
  /** Conditions on a device; it must meet all of them. Left out, every device will do. */
  readonly selectors?: readonly Selector[];
}
/** spec.template.spec.engines[].members[].nodeSelector.devices[].selectors[] of a ModelDeployment. */
export interface Selector {
  /** A CEL expression over the variable device, as in a ResourceClaim, such as device.driver == 'gpu.nvidia.com'. */
  readonly cel?: string;
}
/** The size of the gang's other half; on a Worker only. */
export interface Worker {
  /** How many Worker pods a gang has beside its Leader, one on each node; 1 if worker is left out. */
  readonly nodes: number;
}
/** The pod, as far as it is the user's to decide. */
export interface MemberTemplate {
  readonly metadata?: MemberMetadata;
  readonly spec?: MemberPodSpec;
}
/** Labels and annotations to add to the pods. */
export interface MemberMetadata {
  /** Labels; those that sluice sets itself win. */
  readonly labels?: {
    readonly [k: string]: string;
  };
  /** Annotations. */
  readonly annotations?: {
    readonly [k: string]: string;
  };
}
/** The pod's containers; sluice adds everything else. */
export interface MemberPodSpec {
  /** The container named engine, which gets the devices, and any that run beside it. */
  readonly containers: readonly Container[];
  /** Secrets on the inference cluster for pulling images. */
  readonly imagePullSecrets?: readonly ImagePullSecret[];
}
/** spec.template.spec.engines[].members[].template.spec.containers[] of a ModelDeployment. */
export interface Container {
  /** Name of the container; engine for the one that runs the model. */
  readonly name: string;
  /** The container image. */
  readonly image: string;
  /** Replaces the image's entrypoint. */
  readonly command?: readonly string[];
  /** Arguments of the entrypoint, passed on as they are. */
  readonly args?: readonly string[];
  /** Environment variables, in order; a later one may refer to an earlier one. */
  readonly env?: readonly EnvVar[];
  readonly resources?: Resources;
  readonly readinessProbe?: ReadinessProbe;
  /** Ports the container listens on. A container that stands in front of the engine declares the serving port here. */
  readonly ports?: readonly ContainerPort[];
}
/** How Kubernetes finds out that the container is ready. It replaces sluice's own probe whole, which asks the engine of a Standalone or Leader pod for /health on its http port. A Worker's engine has no port named http unless it declares one. */
export interface ReadinessProbe {
  readonly httpGet?: HttpGetProbe;
  readonly tcpSocket?: TcpSocketProbe;
  readonly grpc?: GrpcProbe;
  /** Wait this long before the first probe. */
  readonly initialDelaySeconds?: number;
  /** Time from one probe to the next. */
  readonly periodSeconds?: number;
  /** After this long a probe has failed. */
  readonly timeoutSeconds?: number;
  /** Successes in a row that make it ready. */
  readonly successThreshold?: number;
  /** Failures in a row that make it unready. */
  readonly failureThreshold?: number;
}
/** Ready when a GET answers 200 to 399. */
export interface HttpGetProbe {
  /** The path to ask for. */
  readonly path?: string;
  /** Number or name of the port. */
  readonly port: number | string;
}
/** Ready when the port accepts a connection. */
export interface TcpSocketProbe {
  /** Number or name of the port. */
  readonly port: number | string;
}
/** Ready when the gRPC health service says so. */
export interface GrpcProbe {
  /** Number of the port. */
  readonly port: number;
  /** The service to ask about. */
  readonly service?: string;
}
/** spec.template.spec.engines[].members[].template.spec.containers[].ports[] of a ModelDeployment. */
export interface ContainerPort {
  /** Name of the port. */
  readonly name?: string;
  /** Number of the port. */
  readonly containerPort: number;
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
/** spec.crossplane.compositionRef of a ModelDeployment. */
export interface CompositionRef {
  readonly name: string;
}
/** spec.crossplane.compositionSelector of a ModelDeployment. */
export interface CompositionSelector {
  readonly matchLabels: {
    readonly [k: string]: string;
  };
}
/** spec.crossplane.compositionRevisionRef of a ModelDeployment. */
export interface CompositionRevisionRef {
  readonly name: string;
}
/** spec.crossplane.compositionRevisionSelector of a ModelDeployment. */
export interface CompositionRevisionSelector {
  readonly matchLabels: {
    readonly [k: string]: string;
  };
}
/** spec.crossplane.resourceRefs[] of a ModelDeployment. */
export interface ResourceRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
}
/** How far the deployment is, and why it is not further. */
export interface ModelDeploymentStatus {
  /** The most telling reason of the conditions in one word, for the REASON column. */
  readonly reason?: string;
  readonly replicas?: ReplicaCounts;
  /** Every replica that there is, with its place and its state. */
  readonly placements?: readonly Placement[];
  /** Conditions of the resource. */
  readonly conditions?: readonly Condition[];
}
/** Counts of replicas. */
export interface ReplicaCounts {
  /** How many were wanted when the others were counted. */
  readonly desired?: number;
  /** How many have a cluster, those that are to be replaced included. */
  readonly total?: number;
  /** How many are ready, each for the template that it has. */
  readonly ready?: number;
  /** How many have the template as it is now, ready or not. */
  readonly updated?: number;
}
/** status.placements[] of a ModelDeployment. */
export interface Placement {
  /** Name of the ModelReplica. */
  readonly replica: string;
  /** Name of the InferenceCluster that it is placed on. */
  readonly cluster?: string;
  /** Tells replicas on one cluster apart. */
  readonly index?: number;
  /** How it stands in one word, such as Placed, Starting, Serving, Moving or Held. */
  readonly state?: string;
  /** Why it is not serving or must move, in one word. */
  readonly reason?: string;
  /** What it waits for, or why it must move. */
  readonly message?: string;
  /** Whether its template is Current or Outdated. */
  readonly template?: string;
  /** Where its engines run. */
  readonly engines?: readonly EnginePlacement[];
}
/** status.placements[].engines[] of a ModelDeployment. */
export interface EnginePlacement {
  /** Name of the engine. */
  readonly name: string;
  /** The node pools of its members, in their order, each named once. */
  readonly pools?: readonly string[];
}
/** status.conditions[] of a ModelDeployment. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}
