import type { Cluster, OwnReplica, Toleration } from "./fleet.ts";
import { ascending } from "./order.ts";
import { findUntolerated } from "./taints.ts";

/**
 * Returns the replicas that stay when there are more than wanted. Those go first that are not ready,
 * then those on clusters that are tainted, not Ready or not known, then those where most of them
 * are, then the last by the cluster's name and the index.
 */
export function scaleDown(
  replicas: readonly OwnReplica[],
  desired: number,
  clusters: readonly Cluster[],
  tolerations: readonly Toleration[],
): readonly OwnReplica[] {
  if (replicas.length <= desired) return replicas;
  const sound = new Set(
    clusters.flatMap(({ name, ready, taints }) =>
      ready && findUntolerated(taints, tolerations) === undefined ? [name] : [],
    ),
  );
  const load = new Map<string, number>();
  for (const { cluster } of replicas) load.set(cluster, (load.get(cluster) ?? 0) + 1);
  const firstToGo = (left: OwnReplica, right: OwnReplica): number =>
    Number(left.ready) - Number(right.ready) ||
    Number(sound.has(left.cluster)) - Number(sound.has(right.cluster)) ||
    (load.get(right.cluster) ?? 0) - (load.get(left.cluster) ?? 0) ||
    ascending(right.cluster, left.cluster) ||
    right.index - left.index;
  let staying = [...replicas];
  while (staying.length > desired) {
    const gone = staying.reduce((first, one) => (firstToGo(one, first) < 0 ? one : first));
    load.set(gone.cluster, (load.get(gone.cluster) ?? 0) - 1);
    staying = staying.filter((one) => one !== gone);
  }
  return staying;
}
