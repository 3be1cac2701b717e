import { replicaName } from "../../builders/model-replica.ts";
import { type Assignment, compareValues } from "./assignment.ts";
import { fitCluster, resolveOn, type WantedEngine } from "./fitting.ts";
import type { Charge, Cluster, Demand, OwnReplica, Snapshot } from "./fleet.ts";
import type { Ledger } from "./ledger.ts";
import { ascending } from "./order.ts";
import type { PlacedReplica } from "./placement.ts";
import { findUntolerated } from "./taints.ts";

/** The first thing that keeps new replicas from a cluster, whatever they need. */
export type RuledOut =
  | { readonly type: "NotReady"; readonly why?: string }
  | { readonly type: "NoGateway" | "NoPools" | "CacheNotStored" }
  | { readonly type: "Tainted"; readonly taint: Cluster["taints"][number] };

/** Tells why a cluster gets no new replicas at all; `undefined` if it may get some. */
export function ruledOut(cluster: Cluster, demand: Demand): RuledOut | undefined {
  if (!cluster.ready) {
    const { notReady: why } = cluster;
    return { type: "NotReady", ...(why === undefined ? {} : { why }) };
  }
  if (cluster.gatewayAddress === undefined) return { type: "NoGateway" };
  const taint = findUntolerated(cluster.taints, demand.tolerations);
  if (taint !== undefined) return { type: "Tainted", taint };
  if (cluster.pools === undefined || cluster.pools.length === 0) return { type: "NoPools" };
  if (demand.cache && !cluster.cacheStorage) return { type: "CacheNotStored" };
  return undefined;
}

/** A cluster that may get new replicas. */
interface Candidate {
  readonly cluster: Cluster;
  /** How many of the deployment's replicas stand or are placed there. */
  replicas: number;
  /** The best pools for one more. */
  fit: Assignment | undefined;
}

/** Places new replicas one by one, each where the fewest of the deployment's are, then where it is cheapest. */
export class Filling {
  readonly #snapshot: Snapshot;
  readonly #engines: readonly WantedEngine[];
  readonly #ledger: Ledger;
  readonly #kept: readonly OwnReplica[];
  /** Judged when the first replica is to be placed: most passes place none. */
  #candidates: readonly Candidate[] | undefined;
  /** The identities that exist; none is used again before its replica is gone. */
  readonly #taken = new Map<string, Set<number>>();
  /** The names of replicas that new ones must not take; read when the first one is placed. */
  #names: Set<string> | undefined;

  /** Prepares to place replicas beside those that are kept, on the nodes that the ledger has free. */
  constructor(
    snapshot: Snapshot,
    engines: readonly WantedEngine[],
    ledger: Ledger,
    kept: readonly OwnReplica[],
  ) {
    this.#snapshot = snapshot;
    this.#engines = engines;
    this.#ledger = ledger;
    this.#kept = kept;
    for (const { cluster, index } of snapshot.own) this.#take(cluster, index);
  }

  /** Places one replica and takes its nodes; `undefined` if it fits nowhere. */
  place(): PlacedReplica | undefined {
    let best: (Candidate & { readonly fit: Assignment }) | undefined;
    for (const candidate of this.#judge()) {
      if (!canPlace(candidate)) continue;
      if (best === undefined || isBetter(candidate, best)) best = candidate;
    }
    if (best === undefined) return undefined;
    const { cluster, fit } = best;
    const { name, pools = [] } = cluster;
    const resolution = resolveOn(this.#engines, (engine) => pools[fit.pools[engine] ?? -1]);
    this.#ledger.charge(name, resolution.charges);
    const chosen: Candidate = best;
    chosen.replicas++;
    chosen.fit = this.#fit(cluster);
    return { cluster: name, index: this.#takeIndex(name), ...resolution };
  }

  /** Whether a replica would fit on a cluster once the given nodes are free there. */
  wouldFit(cluster: string, freed: readonly Charge[]): boolean {
    const candidate = this.#judge().find((one) => one.cluster.name === cluster);
    if (candidate === undefined) return false;
    this.#ledger.release(cluster, freed);
    const fits = this.#fit(candidate.cluster) !== undefined;
    this.#ledger.charge(cluster, freed);
    return fits;
  }

  #judge(): readonly Candidate[] {
    if (this.#candidates !== undefined) return this.#candidates;
    const standing = new Map<string, number>();
    for (const { cluster } of this.#kept) standing.set(cluster, (standing.get(cluster) ?? 0) + 1);
    const { clusters, demand } = this.#snapshot;
    this.#candidates = clusters
      .filter((cluster) => ruledOut(cluster, demand) === undefined)
      .map((cluster) => {
        return { cluster, replicas: standing.get(cluster.name) ?? 0, fit: this.#fit(cluster) };
      });
    return this.#candidates;
  }

  #fit({ name, pools = [] }: Cluster): Assignment | undefined {
    return fitCluster(this.#engines, pools, this.#ledger.free(name));
  }

  #take(cluster: string, index: number): void {
    const taken = this.#taken.get(cluster);
    if (taken === undefined) this.#taken.set(cluster, new Set([index]));
    else taken.add(index);
  }

  #takeIndex(cluster: string): number {
    const taken = this.#taken.get(cluster);
    let index = 0;
    // A name ends in 5 digits of a hash, so that another place may have the same.
    while (taken?.has(index) === true || !this.#takeName(cluster, index)) index++;
    this.#take(cluster, index);
    return index;
  }

  /** Takes the name of a replica at a place; false where another one has it. */
  #takeName(cluster: string, index: number): boolean {
    const { deployment, own, others } = this.#snapshot;
    const { namespace, name } = deployment;
    // One of the deployment that is not observed yet has the name that it is to be given again.
    const foreign = others.filter(
      (other) => other.namespace === namespace && other.deployment !== name,
    );
    this.#names ??= new Set([...own, ...foreign].map((replica) => replica.name));
    const wanted = replicaName({ namespace, deployment: name, cluster, index });
    if (this.#names.has(wanted)) return false;
    this.#names.add(wanted);
    return true;
  }
}

function canPlace(candidate: Candidate): candidate is Candidate & { readonly fit: Assignment } {
  return candidate.fit !== undefined;
}

function isBetter(
  left: Candidate & { readonly fit: Assignment },
  right: Candidate & { readonly fit: Assignment },
): boolean {
  const cost = (candidate: { readonly fit: Assignment }) => ({ ...candidate.fit.value, ranks: 0 });
  const order =
    left.replicas - right.replicas ||
    compareValues(cost(left), cost(right)) ||
    ascending(left.cluster.name, right.cluster.name);
  return order < 0;
}
