import { createDeviceCatalogue } from "../functions/model-deployment/devices.ts";
import type { Demand, Snapshot } from "../functions/model-deployment/scheduling/fleet.ts";
import { createScheduler } from "../functions/model-deployment/scheduling/schedule.ts";
import { decodeCluster } from "../functions/model-deployment/snapshot.ts";
import { generateFleet } from "../test/support/fleet-generate.ts";
import { compare } from "./measure.ts";

const size = { clusters: 1_000, poolsPerCluster: 8, devicesPerPool: 4, replicas: 0 };
const selectors = [
  'device.driver == "gpu.nvidia.com"',
  'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("141Gi")) >= 0',
];

/**
 * Prints what placing costs once selectors are compiled and devices known: 10 replicas against one, and
 * against a scheduler that meets every selector and device for the first time.
 */
export function benchScheduling(print: (line?: string) => void): void {
  print("\nPlacing on 1,000 clusters of 8 pools of 4 devices, two selectors a request");
  const catalogue = createDeviceCatalogue();
  const clusters = generateFleet(size).clusters.map((one) => decodeCluster(one, catalogue));
  const warm = createScheduler();
  const place = (replicas: number, scheduler = warm) => {
    const { placed } = scheduler.schedule(snapshot(clusters, replicas));
    if (placed.length !== replicas) throw new Error(`${placed.length} of ${replicas} are placed`);
  };
  const { ten, one, cold } = compare({
    ten: () => place(10),
    one: () => place(1),
    cold: () => place(10, createScheduler()),
  });
  const milliseconds = (time: { readonly wallMilliseconds: number }) =>
    `${time.wallMilliseconds.toFixed(2)} ms`;
  const ratio = (a: typeof ten, b: typeof ten) =>
    `${(a.wallMilliseconds / b.wallMilliseconds).toFixed(2)}x`;
  print(`  10 replicas ${milliseconds(ten)}, 1 replica ${milliseconds(one)}: ${ratio(ten, one)}`);
  print(`  the same, nothing remembered ${milliseconds(cold)}: ${ratio(cold, ten)}`);
}

function snapshot(clusters: Snapshot["clusters"], replicas: number): Snapshot {
  const demand: Demand = {
    replicas,
    engines: [
      {
        name: "main",
        copies: 1,
        members: [
          { role: "Standalone", pods: 1, requests: [{ name: "gpu", count: 1, selectors }] },
        ],
      },
    ],
    tolerations: [],
    cache: false,
    paused: false,
  };
  const deployment = { namespace: "ml-team", name: "chat" };
  return { deployment, demand, clusters, own: [], others: [] };
}
