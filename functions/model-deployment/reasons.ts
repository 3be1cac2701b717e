import type { FrozenReplica, MoveReason, ReleasedReplica } from "./scheduling/placement.ts";

/** Says why a replica on a cluster must move. */
export function moveReasonText(reason: MoveReason, cluster: string): string {
  const where = `InferenceCluster "${cluster}"`;
  switch (reason.type) {
    case "ClusterNotFound":
      return `${where} is gone or no longer matches the selectors`;
    case "Tainted": {
      const { key, value, effect } = reason.taint;
      return `${where} has the taint ${key}${value === "" ? "" : `=${value}`}:${effect}, which spec.template.spec.tolerations does not tolerate`;
    }
    case "PoolNotFound":
      return `${where} no longer publishes the node pool "${reason.pool}"`;
    case "ShapeChanged":
      return "the engines, members or roles of the template have changed";
    case "NodeSelectorUnmet":
      return `the pool of engine "${reason.engine}" on ${where} does not meet request "${reason.request}" of its ${reason.member} any more`;
    case "GrowthDoesNotFit":
      return `the template asks for ${reason.needed} more node${reason.needed === 1 ? "" : "s"} of pool "${reason.pool}" on ${where}, and ${areFree(reason.free)}`;
  }
}

/** Says how many nodes are free; of an over-committed pool none. */
export function areFree(nodes: number): string {
  return nodes === 1 ? "1 is free" : `${Math.max(0, nodes)} are free`;
}

/** Says why a replica stays exactly as it is. */
export function frozenReasonText(because: FrozenReplica["because"], cluster: string): string {
  switch (because) {
    case "PoolsUnknown":
      return `InferenceCluster "${cluster}" publishes no status.gpuPools, so it stays as it is`;
    case "CacheNotStored":
      return `InferenceCluster "${cluster}" has no storage for model caches, so it stays as it is`;
    case "Paused":
      return "spec.rollout.pause is true, so it stays as it is";
  }
}

/** Says why a replica is let go. */
export function releaseReasonText(because: ReleasedReplica["because"]): string {
  switch (because) {
    case "ScaledDown":
      return "spec.replicas is lower";
    case "Moved":
      return "its replacement is ready";
    case "MadeRoom":
      return "its replacement fits only on the nodes that it holds";
    case "Drained":
      return "its cluster has a NoExecute taint, and nothing else fits";
    case "Yielded":
      return "its node pool is over-committed, and it is the youngest that has never served";
  }
}
