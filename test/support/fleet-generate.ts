import type { KubeObject } from "../../kube/object.ts";

type Fields = Record<string, unknown>;

/** What a generated fleet has; the same numbers give the same fleet. */
export interface FleetSize {
  readonly clusters: number;
  readonly poolsPerCluster: number;
  readonly devicesPerPool: number;
  readonly replicas: number;
  readonly seed?: number;
}

/** InferenceClusters and ModelReplicas as an API server stores them. */
export interface Fleet {
  readonly clusters: readonly KubeObject[];
  readonly replicas: readonly KubeObject[];
}

const API_VERSION = "modelplane.ai/v1alpha1";
const STORED = "2026-11-02T09:30:00Z";
/** Kinds of GPU that pools are made of: product, architecture and memory in GiB. */
const GPUS = [
  ["NVIDIA L4", "Ada Lovelace", 24],
  ["NVIDIA A100-SXM4-80GB", "Ampere", 80],
  ["NVIDIA H100 80GB HBM3", "Hopper", 80],
  ["NVIDIA H200", "Hopper", 141],
  ["NVIDIA B200", "Blackwell", 180],
  ["NVIDIA GB300", "Blackwell", 279],
] as const;
const PLACES = "paris oslo lagos lima tokyo quito delhi perth cairo austin".split(" ");

/** Generates a fleet whose replicas stand on its clusters, each taking nodes of one pool. */
export function generateFleet(size: FleetSize): Fleet {
  const random = seeded(size.seed ?? 1);
  const clusters = Array.from({ length: size.clusters }, (_, at) => cluster(at, size, random));
  const replicas = Array.from({ length: size.replicas }, (_, at) => {
    const home = clusters[Math.floor(random() * clusters.length)] as KubeObject;
    const pool = Math.floor(random() * size.poolsPerCluster);
    return replica(at, home.metadata?.name ?? "", `pool-${pool}`);
  });
  return { clusters, replicas };
}

/**
 * A copy of a JSON value whose objects have their fields in a random order, as in what Go encodes
 * from its maps.
 */
export function shuffleFields<Value>(value: Value, random: () => number): Value;
export function shuffleFields(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffleFields(item, random));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  for (let i = entries.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [entries[i], entries[j]] = [entries[j] as [string, unknown], entries[i] as [string, unknown]];
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, shuffleFields(item, random)]));
}

/** Numbers from 0 to below 1 that depend on the seed alone (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function cluster(at: number, size: FleetSize, random: () => number): KubeObject {
  const name = `${PLACES[at % PLACES.length]}-${String(at).padStart(4, "0")}`;
  const pools = Array.from({ length: size.poolsPerCluster }, (_, pool) => ({
    name: `pool-${pool}`,
    nodes: 1 + Math.floor(random() * 16),
    devices: Array.from({ length: size.devicesPerPool }, (_unused, device) =>
      device === 0 ? gpu(Math.floor(random() * GPUS.length)) : nic(device),
    ),
  }));
  const ready = random() < 0.95;
  return {
    apiVersion: API_VERSION,
    kind: "InferenceCluster",
    metadata: stored(name, { labels: { region: PLACES[at % PLACES.length] } }),
    spec: {
      stack: "Standard",
      cluster: {
        source: "Existing",
        existing: {
          secretRef: { name: `${name}-kubeconfig`, key: "kubeconfig" },
          components: "Provided",
        },
      },
      nodePools: pools.map(({ name: pool, nodes }) => ({
        name: pool,
        className: `class-${pool}`,
        nodeCount: 1,
        maxNodeCount: nodes,
      })),
    },
    status: {
      conditions: ["ClusterReady", "GatewayReady", "ClassesResolved", "Synced", "Ready"].map(
        (type) => condition(type, ready),
      ),
      providerConfigRef: { name: `${name}-cluster-kubeconfig-1a2b3` },
      namespace: "modelplane-system",
      gateway: { address: `203.0.${at >> 8}.${at & 255}` },
      cache: { storageClassName: "shared" },
      gpuPools: pools,
    },
  };
}

function gpu(kind: number): Fields {
  const [product, architecture, memory] = GPUS[kind] ?? GPUS[0];
  return {
    claim: "DRA",
    driver: "gpu.nvidia.com",
    deviceClassName: "gpu.nvidia.com",
    count: 8,
    attributes: {
      architecture: { string: architecture },
      brand: { string: "Nvidia" },
      cudaComputeCapability: { version: "9.0.0" },
      cudaDriverVersion: { version: "13.0.0" },
      productName: { string: product },
      type: { string: "gpu" },
    },
    capacity: { memory: { value: `${memory}Gi` } },
  };
}

function nic(at: number): Fields {
  return {
    claim: "Synthetic",
    driver: "nic.example.com",
    count: at,
    attributes: { rdma: { bool: true }, speed: { int: 400 } },
  };
}

function replica(at: number, clusterName: string, pool: string): KubeObject {
  const owner = `model-${at >> 2}`;
  const name = `${owner}-${at.toString(16).padStart(5, "0")}`;
  return {
    apiVersion: API_VERSION,
    kind: "ModelReplica",
    metadata: stored(name, {
      namespace: `team-${at % 7}`,
      labels: {
        "crossplane.io/composite": owner,
        "modelplane.ai/deployment": owner,
        "modelplane.ai/cluster": clusterName,
        "modelplane.ai/replica-index": String(at & 3),
      },
    }),
    spec: {
      clusterName,
      engines: [
        {
          name: "main",
          copies: 1,
          members: [
            {
              role: "Standalone",
              nodePoolName: pool,
              deviceRequests: [{ name: "gpu", deviceClassName: "gpu.nvidia.com", count: 1 }],
              template: {
                spec: {
                  containers: [
                    {
                      name: "engine",
                      image: "registry.example/inference/engine:1.4.0",
                      args: ["--model=example/chat-8b", "--max-model-len=32768"],
                      env: [{ name: "MODELPLANE_SERVED_MODEL_NAME", value: `team/${owner}` }],
                    },
                  ],
                },
              },
            },
          ],
        },
      ],
    },
    status: {
      conditions: ["ModelAccepted", "ModelReady", "ModelServing", "Synced", "Ready"].map((type) =>
        condition(type, true),
      ),
      engines: [{ name: "main", copies: 1, readyCopies: 1, updatedCopies: 1, message: "" }],
      observedSpecHash: "0123456789abcdef",
      served: true,
    },
  };
}

function condition(type: string, holds: boolean): Fields {
  return {
    type,
    status: holds ? "True" : "False",
    reason: holds ? "Available" : "Creating",
    lastTransitionTime: STORED,
  };
}

function stored(name: string, more: Fields): Fields {
  return {
    name,
    uid: "6f1c2a94-58c0-4f0e-9d5c-0f6f3d1b7a20",
    resourceVersion: "4815162342",
    generation: 3,
    creationTimestamp: STORED,
    ...more,
  };
}
