import { RunFunctionResponse } from "@crossplane-org/function-sdk-typescript";
import type { Handler } from "../functions/composition/composition.ts";
import { runFunction } from "../functions/run.ts";
import { deployment, engine, memoryAtLeast } from "../test/support/deployment.ts";
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
 * Prints what a whole RunFunction costs that places three replicas on fleets of several sizes, against
 * JSON.parse of the same request: the least that anybody can do who reads it.
 */
export function benchFleet(handlers: readonly Handler[], print: (line?: string) => void): void {
  print("\nRunFunction placing 3 replicas, one selector, on clusters of 4 pools of 2 devices");
  print(row("clusters", "replicas", "request", "JSON.parse", "ours", "ratio"));
  for (const { clusters, replicas } of fleets) {
    const size = { clusters, replicas, poolsPerCluster: 4, devicesPerPool: 2 };
    // Go encodes its maps in a random order, so equal devices seldom come as equal bytes.
    const fleet = shuffleFields(generateFleet(size), seeded(2));
    const parts = {
      composite,
      required: { clusters: fleet.clusters, "all-replicas": fleet.replicas },
    };
    const bytes = encodeRequest(parts);
    const json = JSON.stringify(parts);
    const { ours, parse } = compare({
      ours: placer(handlers, bytes),
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

const composite = deployment(
  { replicas: 3 },
  { engines: [engine({}, [memoryAtLeast(141)])] },
) as unknown as Record<string, unknown>;

/** Answers a request with a handler that has seen it before, as a server's mostly has. */
function placer(handlers: readonly Handler[], bytes: Buffer): () => void {
  const answer = () => {
    const outcome = runFunction(handlers, bytes, "bench");
    if ("invalid" in outcome) throw new Error(outcome.invalid);
    return outcome.response;
  };
  const placed = Object.keys(RunFunctionResponse.decode(answer()).desired?.resources ?? {});
  if (placed.length !== 3) throw new Error(`${placed.length} replicas are placed, and not 3`);
  return () => void answer();
}

function row(...columns: readonly string[]): string {
  return `  ${columns.map((column) => column.padStart(12)).join("")}`;
}
