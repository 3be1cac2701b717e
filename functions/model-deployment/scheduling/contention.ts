import type { Cluster, FleetReplica, OwnReplica } from "./fleet.ts";
import { Ledger } from "./ledger.ts";

/**
 * Finds the own replicas that give their nodes up. Deployments that read the same snapshot may have
 * taken the same nodes; of all replicas on an over-committed pool those yield that have never
 * served, the youngest first, until the pool is not over-committed any more. Each deployment judges
 * all replicas alike, so that they agree on who yields without a word.
 */
export function findYielding(
  clusters: readonly Cluster[],
  own: readonly OwnReplica[],
  others: readonly FleetReplica[],
): ReadonlySet<FleetReplica> {
  const standing: FleetReplica[] = [];
  const ledger = new Ledger(clusters);
  for (const replicas of [own, others]) {
    for (const replica of replicas) {
      if (replica.deleting) continue;
      standing.push(replica);
      ledger.charge(replica.cluster, replica.charges);
    }
  }
  const crowded = new Set(ledger.overCommitted().map(({ cluster }) => cluster));
  const yielding = new Set<FleetReplica>();
  if (crowded.size === 0) return yielding;
  const candidates = standing.filter(({ cluster, served }) => crowded.has(cluster) && !served);
  for (const replica of candidates.sort(youngestFirst)) {
    if (!ledger.isOverCommitted(replica.cluster, replica.charges)) continue;
    ledger.release(replica.cluster, replica.charges);
    yielding.add(replica);
  }
  return yielding;
}

/** Orders replicas by creation time, namespace and name, all descending. */
export function youngestFirst(left: FleetReplica, right: FleetReplica): number {
  return (
    descending(left.created, right.created) ||
    descending(left.namespace, right.namespace) ||
    descending(left.name, right.name)
  );
}

function descending(left: string, right: string): number {
  return left < right ? 1 : left > right ? -1 : 0;
}
