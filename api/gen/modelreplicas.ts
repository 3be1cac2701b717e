// Made by `npm run generate` from package/apis/modelreplicas/definition.yaml; do not edit.
// Every field that has a default is present, since these are the types of an object as the API
// server stores it.
import type { KubeObject, ObjectMeta } from "../../kube/object.ts";

/** One copy of a model's engines on one inference cluster. A ModelDeployment makes its replicas itself; write one by hand only to place a model on a cluster of your choice. */
export interface ModelReplica extends KubeObject {
  readonly apiVersion: "modelplane.ai/v1alpha1";
  readonly kind: "ModelReplica";
  readonly metadata: ObjectMeta;
  readonly spec: ModelReplicaSpec;
  readonly status?: ModelReplicaStatus;
}
/** What to run, and where. The scheduler has already resolved every choice. */
export interface ModelReplicaSpec {
  /** Name of the InferenceCluster that runs this replica. While that cluster is missing or unreachable, what already runs there is left alone. */
  readonly clusterName: string;
  readonly modelCacheRef?: ModelCacheRef;
  readonly serving?: Serving;
  /** The inference engines of this replica, all on the one cluster. */
  readonly engines: readonly Engine[];
  readonly crossplane?: CrossplaneSpec;
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
/** spec.serving.endpointPicker.template.spec.containers[] of a ModelReplica. */
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
/** spec.serving.endpointPicker.template.spec.containers[].env[] of a ModelReplica. */
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
/** CPU, memory and ephemeral storage; devices come from deviceRequests. */
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
/** spec.serving.endpointPicker.template.spec.imagePullSecrets[] of a ModelReplica. */
export interface ImagePullSecret {
  /** Name of the Secret. */
  readonly name: string;
}
/** spec.engines[] of a ModelReplica. */
export interface Engine {
  /** Name of the engine, unique within the replica. */
  readonly name: string;
  /** How many times the engine runs side by side. */
  readonly copies: number;
  /** Which half of a request this engine takes. Set on both engines under PrefillDecode serving, and on none otherwise. */
  readonly phase?: "Prefill" | "Decode";
  /** The kinds of pod that make up one copy: a Standalone member alone, or a Leader and a Worker that run as one gang over several nodes. */
  readonly members: readonly Member[];
}
/** spec.engines[].members[] of a ModelReplica. */
export interface Member {
  /** Standalone is a pod that serves by itself. A Leader serves for its gang, whose other pods are Workers. */
  readonly role: "Standalone" | "Leader" | "Worker";
  /** Name of the cluster's node pool that these pods run on. */
  readonly nodePoolName: string;
  /** Devices that each pod claims through dynamic resource allocation. Left out, the pods claim none and only the node pool places them. */
  readonly deviceRequests?: readonly DeviceRequest[];
  readonly worker?: Worker;
  readonly template: MemberTemplate;
}
/** spec.engines[].members[].deviceRequests[] of a ModelReplica. */
export interface DeviceRequest {
  /** Name of the request in the ResourceClaimTemplate. */
  readonly name: string;
  /** The cluster's DeviceClass to claim from. */
  readonly deviceClassName: string;
  /** How many such devices each pod claims. */
  readonly count: number;
  /** Conditions on a device; it must meet all of them. */
  readonly selectors?: readonly Selector[];
}
/** spec.engines[].members[].deviceRequests[].selectors[] of a ModelReplica. */
export interface Selector {
  /** A CEL expression over the variable device, as in a ResourceClaim. */
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
/** spec.engines[].members[].template.spec.containers[] of a ModelReplica. */
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
/** spec.engines[].members[].template.spec.containers[].ports[] of a ModelReplica. */
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
/** spec.crossplane.compositionRef of a ModelReplica. */
export interface CompositionRef {
  readonly name: string;
}
/** spec.crossplane.compositionSelector of a ModelReplica. */
export interface CompositionSelector {
  readonly matchLabels: {
    readonly [k: string]: string;
  };
}
/** spec.crossplane.compositionRevisionRef of a ModelReplica. */
export interface CompositionRevisionRef {
  readonly name: string;
}
/** spec.crossplane.compositionRevisionSelector of a ModelReplica. */
export interface CompositionRevisionSelector {
  readonly matchLabels: {
    readonly [k: string]: string;
  };
}
/** spec.crossplane.resourceRefs[] of a ModelReplica. */
export interface ResourceRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
}
/** What sluice has seen of the replica on its cluster. */
export interface ModelReplicaStatus {
  /** True once every engine has had a ready copy behind an accepted route; it stays true for the life of the replica. */
  readonly served?: boolean;
  /** Hash of the spec, without its crossplane part, that this status speaks of. Ready means ready for this spec only while the two agree. */
  readonly observedSpecHash?: string;
  /** How far each engine is. */
  readonly engines?: readonly EngineStatus[];
  /** Conditions of the resource. */
  readonly conditions?: readonly Condition[];
}
/** status.engines[] of a ModelReplica. */
export interface EngineStatus {
  /** Name of the engine. */
  readonly name: string;
  /** How many copies the spec asks for. */
  readonly copies?: number;
  /** How many copies are ready, whichever spec they started from. */
  readonly readyCopies?: number;
  /** How many copies run this spec, ready or not. */
  readonly updatedCopies?: number;
  /** Why the engine is not yet complete; empty when it is. */
  readonly message?: string;
}
/** status.conditions[] of a ModelReplica. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}
