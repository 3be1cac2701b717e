/** A replica of a deployment as far as rolling out a change depends on it. */
export interface RollingReplica {
  /** Its resource key. */
  readonly key: string;
  /** Every copy of it runs the spec that it has, and is ready. */
  readonly ready: boolean;
  /** Its cluster is known to be Ready. */
  readonly clusterReady: boolean;
  /** It may be given the template as it is now, and has another. */
  readonly outdated: boolean;
}

/** How a deployment wants changes of its template rolled out. */
export interface RollOutRules {
  /** The most replicas that may be not ready at a time for the sake of a change. */
  readonly maxUnavailable: number;
  readonly paused: boolean;
}

/**
 * Chooses the replicas that are given the current template now; the others keep the one they have.
 *
 * Unready replicas lose nothing by a change, so they go first and at no cost. A ready one goes only
 * while fewer than `maxUnavailable` replicas are not ready, whether updated or not, so that a bad
 * template stops after so many. Replicas on clusters that are not Ready tell nothing about the
 * template: they go last, once no other is outdated, and are counted among themselves.
 *
 * `fits` tells whether a larger template fits where the replica stands, and takes the nodes if so.
 * A gate by evaluation belongs here, between "the last updated replica is ready" and the next one.
 */
export function chooseUpdates(
  replicas: readonly RollingReplica[],
  { maxUnavailable, paused }: RollOutRules,
  fits: (key: string) => boolean,
): ReadonlySet<string> {
  const chosen = new Set<string>();
  if (paused) return chosen;
  for (const clusterReady of [true, false]) {
    const group = replicas.filter((replica) => replica.clusterReady === clusterReady);
    const outdated = group.filter((replica) => replica.outdated);
    let unavailable = group.filter(({ ready }) => !ready).length;
    for (const { key } of outdated.filter(({ ready }) => !ready)) {
      if (fits(key)) chosen.add(key);
    }
    for (const { key } of outdated.filter(({ ready }) => ready)) {
      if (unavailable >= maxUnavailable) break;
      if (!fits(key)) continue;
      chosen.add(key);
      unavailable++;
    }
    if (outdated.length > 0) break;
  }
  return chosen;
}
