import { createDeviceCatalogue } from "../functions/model-deployment/devices.ts";
import { createScheduler } from "../functions/model-deployment/scheduling/schedule.ts";
import {
  CLUSTER_FIELDS,
  decodeCluster,
  decodeFleetReplica,
  FLEET_REPLICA_FIELDS,
} from "../functions/model-deployment/snapshot.ts";
import { decodeRequest } from "../functions/wire/request.ts";
import {
  type FleetSize,
  generateFleet,
  seeded,
  shuffleFields,
} from "../test/support/fleet-generate.ts";
import { encodeRequest } from "../test/wire-messages.ts";
import { compare } from "./measure.ts";

const fleets: readonly Pick<FleetSize, "clusters" | "replicas">[] = [
  { clusters: 10, replicas: 200 },
  { clusters: 100, replicas: 200 },
  { clusters: 1_000, replicas: 200 },
  { clusters: 2_000, replicas: 10_000 },
];

/**
 * Prints what it costs to place three replicas on fleets of several sizes, against JSON.parse of the
 * same request: the least that anybody can do who reads it.
 */
export function benchFleet(print: (line?: string) => void): void {
  print("\nPlacing 3 replicas, one selector, on clusters of 4 pools of 2 devices, on one core");
  print(row("clusters", "replicas", "request", "JSON.parse", "ours", "ratio"));
  for (const { clusters, replicas } of fleets) {
    const size = { clusters, replicas, poolsPerCluster: 4, devicesPerPool: 2 };
    // Go encodes its maps in a random order, so equal devices seldom come as equal bytes.
    const required = shuffleFields(generateFleet(size), seeded(2));
    const parts = { composite, required };
    const bytes = encodeRequest(parts);
    const json = JSON.stringify(parts);
    const place = placer(bytes);
    if (place() !== 3) throw new Error("the bench's replicas do not fit");
    const { ours, parse } = compare({
      ours: () => void place(),
      parse: () => void JSON.parse(json),
    });
    print(
      row(
        String(clusters),
        String(replicas),
        `${(bytes.length / 1e6).toFixed(1)} MB`,
        `${parse.wallMilliseconds.toFixed(1)} ms`,
        `${ours.wallMilliseconds.toFixed(1)} ms`,
        `${(ours.wallMilliseconds / parse.wallMilliseconds).toFixed(2)}x`,
      ),
    );
  }
}

const composite = {
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "ModelDeployment",
  metadata: { name: "chat", namespace: "ml-team" },
};

const demand = {
  replicas: 3,
  engines: [
    {
      name: "main",
      copies: 1,
      members: [
        {
          role: "Standalone",
          pods: 1,
          requests: [
            {
              name: "gpu",
              count: 1,
              selectors: [
                `device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("141Gi")) >= 0`,
              ],
            },
          ],
        },
      ],
    },
  ],
  tolerations: [],
  cache: false,
  paused: false,
};

/** Decodes a request, reads its fleet and schedules on it; answers how many replicas were placed. */
function placer(bytes: Buffer): () => number {
  const catalogue = createDeviceCatalogue();
  const scheduler = createScheduler();
  return () => {
    const decoded = decodeRequest(bytes);
    if ("problem" in decoded) throw new Error(decoded.problem);
    const { required } = decoded.request;
    const clusters = required("clusters", CLUSTER_FIELDS);
    const replicas = required("replicas", FLEET_REPLICA_FIELDS);
    if (clusters.state !== "present" || replicas.state !== "present") return 0;
    scheduler.problems(demand);
    return scheduler.schedule({
      demand,
      clusters: clusters.value.map((object) => decodeCluster(object, catalogue)),
      own: [],
      others: replicas.value.map(decodeFleetReplica),
    }).placed.length;
  };
}

function row(...columns: readonly string[]): string {
  return `  ${columns.map((column) => column.padStart(12)).join("")}`;
}
