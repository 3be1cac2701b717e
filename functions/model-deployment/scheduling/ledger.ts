import type { Charge, Cluster } from "./fleet.ts";
import { ascending } from "./order.ts";

/** A pool whose replicas take more nodes than it has. */
export interface OverCommitment {
  readonly cluster: string;
  readonly pool: string;
  readonly nodes: number;
  /** The nodes that all its replicas take. */
  readonly charged: number;
}

/** Counts the free nodes of each published pool; what is charged to any other pool costs nothing. */
export class Ledger {
  readonly #clusters = new Map<string, { readonly cluster: Cluster; readonly free: number[] }>();

  constructor(clusters: readonly Cluster[]) {
    for (const cluster of clusters) {
      const free = (cluster.pools ?? []).map(({ nodes }) => nodes);
      this.#clusters.set(cluster.name, { cluster, free });
    }
  }

  /** The free nodes of a cluster's pools in the order of its status; negative where over-committed. */
  free(cluster: string): readonly number[] {
    return this.#clusters.get(cluster)?.free ?? [];
  }

  /** Takes the nodes of a replica. */
  charge(cluster: string, charges: readonly Charge[]): void {
    this.#add(cluster, charges, -1);
  }

  /** Gives the nodes of a replica back. */
  release(cluster: string, charges: readonly Charge[]): void {
    this.#add(cluster, charges, 1);
  }

  /** Whether a replica takes nodes of a pool that is over-committed. */
  isOverCommitted(cluster: string, charges: readonly Charge[]): boolean {
    return charges.some(({ pool, nodes }) => nodes > 0 && (this.#freeOf(cluster, pool) ?? 0) < 0);
  }

  /** The first pool on which a replica would take more additional nodes than are free. */
  shortage(
    cluster: string,
    stamped: readonly Charge[],
    wanted: readonly Charge[],
  ): { readonly pool: string; readonly needed: number; readonly free: number } | undefined {
    for (const { pool, nodes } of growth(stamped, wanted)) {
      const free = this.#freeOf(cluster, pool);
      if (free !== undefined && nodes > free) return { pool, needed: nodes, free };
    }
    return undefined;
  }

  /** Takes the additional nodes of a replica that grows if they are free, and tells whether they were. */
  grow(cluster: string, stamped: readonly Charge[], wanted: readonly Charge[]): boolean {
    if (this.shortage(cluster, stamped, wanted) !== undefined) return false;
    this.charge(cluster, growth(stamped, wanted));
    return true;
  }

  /** The pools whose charges exceed their nodes, sorted by cluster and pool. */
  overCommitted(): readonly OverCommitment[] {
    const found: OverCommitment[] = [];
    for (const { cluster, free } of this.#clusters.values()) {
      for (const [at, { name, nodes }] of (cluster.pools ?? []).entries()) {
        const left = free[at] ?? 0;
        if (left < 0) {
          found.push({ cluster: cluster.name, pool: name, nodes, charged: nodes - left });
        }
      }
    }
    return found.sort((a, b) => ascending(a.cluster, b.cluster) || ascending(a.pool, b.pool));
  }

  #add(cluster: string, charges: readonly Charge[], sign: 1 | -1): void {
    const entry = this.#clusters.get(cluster);
    if (entry === undefined) return;
    for (const { pool, nodes } of charges) {
      const at = indexOfPool(entry.cluster, pool);
      if (at >= 0) entry.free[at] = (entry.free[at] ?? 0) + sign * nodes;
    }
  }

  #freeOf(cluster: string, pool: string): number | undefined {
    const entry = this.#clusters.get(cluster);
    return entry?.free[indexOfPool(entry.cluster, pool)];
  }
}

/** What a replica takes beyond its stamp. The nodes of a shrinking one are free once its pods are gone. */
function growth(stamped: readonly Charge[], wanted: readonly Charge[]): readonly Charge[] {
  return wanted.flatMap(({ pool, nodes }) => {
    const before = stamped.find((one) => one.pool === pool)?.nodes ?? 0;
    return nodes > before ? [{ pool, nodes: nodes - before }] : [];
  });
}

function indexOfPool({ pools = [] }: Cluster, name: string): number {
  for (let at = 0; at < pools.length; at++) if (pools[at]?.name === name) return at;
  return -1;
}
