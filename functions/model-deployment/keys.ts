/** The cluster and index that tell a deployment's replicas apart. */
export interface Place {
  readonly cluster: string;
  readonly index: number;
}

/** The resource key of the replica at a place. */
export function replicaKey({ cluster, index }: Place): string {
  return `replica-${cluster}-${index}`;
}

/** The resource key of the endpoint of the replica at a place. */
export function endpointKey({ cluster, index }: Place): string {
  return `endpoint-${cluster}-${index}`;
}
