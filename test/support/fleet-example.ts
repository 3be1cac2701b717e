import type { KubeObject } from "../../kube/object.ts";
import { seeded } from "./fleet-generate.ts";

const API_VERSION = "modelplane.ai/v1alpha1";
const REGIONS = ["eu", "us", "ap", "sa"] as const;
/** Product, memory in GiB and price of a node's hour. */
const NODES = [
  ["L4", 24, "0.81"],
  ["A100", 80, "27.45"],
  ["H100", 80, "98.32"],
  ["H200", 141, "110.00"],
] as const;

/**
 * The fleet of examples/deployment-fleet-200, one object a line: 200 clusters of two pools, of which
 * some are not Ready, tainted or full of other teams' replicas.
 */
export function fleetExample(): string {
  const random = seeded(200);
  const pick = (most: number) => Math.floor(random() * most);
  const clusters = Array.from({ length: 200 }, (_, at) => cluster(at, pick, random));
  const tenants = clusters.flatMap(({ object, nodes }, at) =>
    random() < 0.3 ? [tenant(at, object.metadata?.name ?? "", nodes)] : [],
  );
  const objects = [...clusters.map(({ object }) => object), ...tenants];
  return `# Made by test/support/fleet-example.ts.\n${objects.map((one) => `--- ${JSON.stringify(one)}\n`).join("")}`;
}

function cluster(at: number, pick: (most: number) => number, random: () => number) {
  const region = REGIONS[at % REGIONS.length] ?? "eu";
  const name = `${region}-${String(at).padStart(3, "0")}`;
  const ready = random() < 0.9;
  const tainted = random() < 0.1;
  const nodes = 1 + pick(4);
  const gpuPools = ["small", "large"].map((pool, kind) => {
    const [product, memory, price] = NODES[kind * 2 + pick(2)] ?? NODES[0];
    return {
      name: pool,
      nodes,
      costPerNodeHour: price,
      devices: [
        {
          name: "gpu",
          driver: "gpu.nvidia.com",
          deviceClassName: "gpu.nvidia.com",
          count: 8,
          attributes: { productName: { string: product } },
          capacity: { memory: { value: `${memory}Gi` } },
        },
      ],
    };
  });
  const object: KubeObject = {
    apiVersion: API_VERSION,
    kind: "InferenceCluster",
    metadata: { name, labels: { region } },
    spec: {
      cluster: { source: "Existing", existing: { secretRef: { name: `${name}-kubeconfig` } } },
      ...(tainted ? { taints: [{ key: "example.org/maintenance", effect: "NoSchedule" }] } : {}),
    },
    status: {
      providerConfigRef: { name: `${name}-cluster-kubeconfig` },
      gateway: { address: `203.0.113.${at}` },
      gpuPools,
      conditions: [
        {
          type: "Ready",
          status: ready ? "True" : "False",
          reason: ready ? "Available" : "Creating",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    },
  };
  return { object, nodes };
}

/** A replica of another team that takes every large node of a cluster. */
function tenant(at: number, clusterName: string, nodes: number): KubeObject {
  return {
    apiVersion: API_VERSION,
    kind: "ModelReplica",
    metadata: {
      name: `search-${String(at).padStart(5, "0")}`,
      namespace: "search-team",
      labels: { "modelplane.ai/deployment": "search", "modelplane.ai/cluster": clusterName },
    },
    spec: {
      clusterName,
      engines: [
        {
          name: "main",
          copies: nodes,
          members: [
            {
              nodePoolName: "large",
              deviceRequests: [{ name: "gpu", deviceClassName: "gpu.nvidia.com" }],
              template: {
                spec: { containers: [{ name: "engine", image: "example.org/engine:1" }] },
              },
            },
          ],
        },
      ],
    },
    status: { served: true },
  };
}
