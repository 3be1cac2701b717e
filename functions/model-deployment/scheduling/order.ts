/** Orders texts by UTF-16 code units, as Kubernetes orders ASCII names. */
export function ascending(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Orders replicas of one deployment by cluster and index. */
export function byIdentity(left: Identity, right: Identity): number {
  return ascending(left.cluster, right.cluster) || left.index - right.index;
}

interface Identity {
  readonly cluster: string;
  readonly index: number;
}
