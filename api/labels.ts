/** The labels that sluice manages; users may not set keys with this prefix (rule of the XRD). */
export const LABEL = {
  /** Selects the pods of one engine's Deployment. */
  workload: "modelplane.ai/workload",
  /** Selects the pods that receive a replica's requests. */
  serving: "modelplane.ai/serving",
  engine: "modelplane.ai/engine",
  role: "modelplane.ai/role",
  deployment: "modelplane.ai/deployment",
  /** The replica's index on its pods; the XR carries it as `replicaIndex`. */
  replica: "modelplane.ai/replica",
  replicaIndex: "modelplane.ai/replica-index",
  /** On a ModelReplica, the InferenceCluster that it is for. */
  cluster: "modelplane.ai/cluster",
  /** On a ModelReplica, 10 hexadecimal digits over the template that it was stamped from. */
  templateHash: "modelplane.ai/template-hash",
  /** On nodes, the InferenceCluster's pool that they belong to. */
  pool: "modelplane.ai/pool",
  /** On a remote namespace, the control plane namespace that it mirrors. */
  namespace: "modelplane.ai/namespace",
  lwsRole: "modelplane.ai/lws-role",
  cliqueRole: "modelplane.ai/clique-role",
  /** Which half of disaggregated serving a pod does; the default picker filters by it. */
  disaggregatedRole: "llm-d.ai/role",
  inferenceServing: "llm-d.ai/inference-serving",
  app: "app",
  schedulerQueue: "kai.scheduler/queue",
} as const;

/** The annotations that sluice reads or writes. */
export const ANNOTATION = {
  /** On a remote workload, 16 hexadecimal digits of the SHA-256 of its manifest without this annotation. */
  manifestHash: "modelplane.ai/manifest-hash",
  /** On a picker's pods, the SHA-256 of its configuration, which it reads once. */
  pickerConfigChecksum: "modelplane.ai/epp-config-checksum",
  /** On a ModelReplica, `"true"` lets its Objects go without touching their remote objects. */
  abandon: "modelplane.ai/abandon",
} as const;

/** The gateway of every inference cluster that replicas attach their routes to. */
export const CLUSTER_GATEWAY = { name: "cluster-gateway", namespace: "modelplane-system" } as const;

/** Where requests arrive in a serving pod unless `serving.port` says otherwise. */
export const DEFAULT_SERVING_PORT = 8000;

/** The namespace of the control plane that holds the Secrets of clusters, and the Objects of those. */
export const CONTROL_NAMESPACE = "modelplane-system";
