import type { CompositionRequest, Handler } from "../functions/composition/composition.ts";
import { runFunction } from "../functions/run.ts";
import { decodeRequest } from "../functions/wire/request.ts";
import { encodeRequest, type RequestParts } from "./wire-messages.ts";

type Fields = Record<string, unknown>;

const when = "2026-11-02T09:30:00Z";
const cluster = {
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "InferenceCluster",
  metadata: stored("east", { generation: 3 }),
  spec: { stack: "Standard" },
  status: {
    providerConfigRef: { name: "east-cluster-kubeconfig-1a2b3" },
    conditions: [{ type: "Ready", status: "True", reason: "Available", lastTransitionTime: when }],
    gpuPools: ["a", "b"].map((pool) => ({
      name: `h100-${pool}`,
      nodes: 16,
      devices: [{ name: "gpu", driver: "gpu.nvidia.com", count: 8, memory: "80Gi" }],
    })),
  },
};

const gpus = (count: number) => [
  {
    name: "gpu",
    deviceClassName: "gpu.nvidia.com",
    count,
    selectors: [
      { cel: 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("70Gi")) >= 0' },
    ],
  },
];

const engine = (image: string, args: readonly string[]) => ({
  spec: {
    containers: [
      {
        name: "engine",
        image,
        args,
        env: [
          { name: "HF_TOKEN", valueFrom: { secretKeyRef: { name: "hugging-face", key: "token" } } },
          { name: "VLLM_LOGGING_LEVEL", value: "INFO" },
        ],
      },
    ],
  },
});

const image = "example.org/vllm/vllm-openai:v0.11.0";

const specs = {
  standalone: {
    clusterName: "east",
    engines: [
      {
        name: "main",
        copies: 2,
        members: [
          {
            role: "Standalone",
            nodePoolName: "h100-a",
            deviceRequests: gpus(1),
            template: engine(image, ["--model=example/qwen3-8b", "--max-model-len=32768"]),
          },
        ],
      },
    ],
  },
  disaggregated: {
    clusterName: "east",
    modelCacheRef: { name: "deepseek" },
    serving: {
      mode: "PrefillDecode",
      router: "EndpointPicker",
      endpointPicker: {
        template: { spec: { containers: [{ name: "epp", image: "example.org/epp:v0.4.0" }] } },
      },
    },
    engines: (["Prefill", "Decode"] as const).map((phase) => ({
      name: phase.toLowerCase(),
      phase,
      copies: 2,
      members: [
        {
          role: "Leader",
          nodePoolName: "h100-a",
          deviceRequests: gpus(8),
          template: engine(image, ["--model=example/deepseek-r1", "--tensor-parallel-size=16"]),
        },
        {
          role: "Worker",
          nodes: 1,
          nodePoolName: "h100-b",
          deviceRequests: gpus(8),
          template: engine(image, ["--headless", "--tensor-parallel-size=16"]),
        },
      ],
    })),
  },
};

/** A replica that Crossplane would ask about, its cluster, and what already runs for it. */
export interface Scene {
  readonly name: keyof typeof specs;
  /** The whole request of a steady state: cluster found, every composed resource observed. */
  readonly parts: RequestParts & {
    readonly composite: Fields;
    readonly required: Readonly<Record<string, readonly Fields[]>>;
    readonly observed: Readonly<Record<string, Fields>>;
  };
}

/** Builds the scenes; what is observed is what the handlers compose, as the provider stores it. */
export function replicaScenes(handlers: readonly Handler[]): readonly Scene[] {
  return (["standalone", "disaggregated"] as const).map((name) => {
    const composite = {
      apiVersion: "modelplane.ai/v1alpha1",
      kind: "ModelReplica",
      metadata: {
        ...stored(`qwen-${name.slice(0, 5)}`, { generation: 7 }),
        namespace: "ml-team",
        labels: { "modelplane.ai/deployment": "qwen", "modelplane.ai/replica-index": "0" },
      },
      spec: { ...specs[name], crossplane: { compositionRef: { name: "modelreplicas" } } },
    };
    const parts = { tag: "0".repeat(64), composite, required: { cluster: [cluster] } };
    return { name, parts: { ...parts, observed: observe(handlers, encodeRequest(parts)) } };
  });
}

function observe(handlers: readonly Handler[], bytes: Buffer): Record<string, Fields> {
  const outcome = runFunction(handlers, bytes, "scene");
  if ("invalid" in outcome) throw new Error(outcome.invalid);
  if (outcome.facts.bug !== undefined) throw outcome.facts.bug;
  const decoded = decodeRequest(bytes);
  if ("problem" in decoded) throw new Error(decoded.problem);
  const { request } = decoded;
  const handler = handlers.find(({ kind }) => kind === request.composite.kind);
  const composition = handler?.compose(request) ?? { resources: [] as const };
  if (composition.resources.length === 0) {
    throw new Error(`the scene composes nothing: ${JSON.stringify(composition)}`);
  }
  return Object.fromEntries(
    composition.resources.map(({ key, object }) => [key, asStored(request, key, object)]),
  );
}

/** A composed object after Crossplane applied it and the provider observed its remote manifest. */
function asStored(request: CompositionRequest, key: string, object: Fields): Fields {
  const { composite } = request;
  const spec = object.spec as { forProvider?: { manifest?: Fields } } | undefined;
  const manifest = spec?.forProvider?.manifest ?? {};
  const metadata = (manifest.metadata ?? {}) as Fields;
  const remote = {
    ...manifest,
    metadata: { ...metadata, ...stored(String(metadata.name), { generation: 1 }) },
    status: {
      observedGeneration: 1,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      conditions: [
        {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "",
          lastTransitionTime: when,
          lastUpdateTime: when,
        },
      ],
    },
  };
  const name = `${composite.metadata?.name}-${key}`;
  return {
    ...object,
    metadata: {
      ...stored(name, { generation: 2 }),
      ...((object.metadata ?? {}) as Fields),
      name,
      namespace: composite.metadata?.namespace,
      annotations: {
        "crossplane.io/composition-resource-name": key,
        "crossplane.io/external-create-pending": when,
        "crossplane.io/external-name": name,
      },
      labels: { "crossplane.io/composite": composite.metadata?.name },
      finalizers: ["finalizer.managedresource.crossplane.io"],
      ownerReferences: [
        {
          apiVersion: composite.apiVersion,
          kind: composite.kind,
          name: composite.metadata?.name,
          uid: composite.metadata?.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: managedFields(object),
    },
    status: {
      atProvider: {
        manifest: {
          ...remote,
          metadata: { ...remote.metadata, managedFields: managedFields(remote) },
        },
      },
      conditions: ["Ready", "Synced"].map((type) => ({
        type,
        status: "True",
        reason: type === "Ready" ? "Available" : "ReconcileSuccess",
        lastTransitionTime: when,
      })),
    },
  };
}

function stored(name: string, more: Fields): Fields {
  return {
    name,
    uid: "6f1c2a94-58c0-4f0e-9d5c-0f6f3d1b7a20",
    resourceVersion: "4815162342",
    creationTimestamp: when,
    ...more,
  };
}

/** What server-side apply records about an object's fields: about as many keys as the object has. */
function managedFields(object: Fields): readonly Fields[] {
  return ["crossplane", "provider-kubernetes"].map((manager) => ({
    manager,
    operation: "Apply",
    apiVersion: object.apiVersion,
    time: when,
    fieldsType: "FieldsV1",
    fieldsV1: ownedFields(object),
  }));
}

function ownedFields(value: unknown): Fields {
  if (typeof value !== "object" || value === null) return {};
  const entries = Array.isArray(value)
    ? value.map((item, index) => [`k:{"name":"${index}"}`, ownedFields(item)] as const)
    : Object.entries(value).map(([key, item]) => [`f:${key}`, ownedFields(item)] as const);
  return Object.fromEntries(entries);
}
