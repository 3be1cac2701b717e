import type { Device } from "../../../cel/device.ts";

/** One entry of a pool's devices: what every node of the pool has `count` of. */
export interface PoolDevice {
  /** `DRA` devices are claimed by pods; `Synthetic` ones only decide whether a pool fits. */
  readonly claim: "DRA" | "Synthetic";
  /** The DeviceClass to claim from; empty on a Synthetic device. */
  readonly deviceClassName: string;
  /** How many of them a node has, zero or more. */
  readonly count: number;
  /** What selectors see. */
  readonly device: Device;
}

/**
 * What the nodes of a pool have. Pools with equal devices share one profile object, so whatever is
 * learnt of a profile, such as whether a selector matches, is learnt once for the whole fleet.
 */
export interface DeviceProfile {
  readonly devices: readonly PoolDevice[];
  /** The memory of all its devices on one node, in bytes; what has no `memory` capacity counts as 0. */
  readonly memory: number;
}

/** A node pool as its InferenceCluster publishes it in `status.gpuPools`. */
export interface Pool {
  readonly name: string;
  /** Nodes that the pool may have, zero or more; an absent or negative number is 0. */
  readonly nodes: number;
  readonly profile: DeviceProfile;
  /** The price of a node, in ten-thousandths of the fleet's currency an hour; absent, it is unknown. */
  readonly costPerNodeHour: number | undefined;
}

/** A taint of an InferenceCluster, with the meaning that taints of nodes have. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: "NoSchedule" | "NoExecute";
}

/** A toleration of a deployment; without an effect it tolerates both, `Exists` without a key all taints. */
export interface Toleration {
  readonly key: string | undefined;
  readonly operator: "Exists" | "Equal";
  readonly value: string;
  readonly effect: "NoSchedule" | "NoExecute" | undefined;
}

/** An InferenceCluster that the deployment's selector (and its cache's) matches. */
export interface Cluster {
  readonly name: string;
  /** Its Ready condition is True. */
  readonly ready: boolean;
  /** Why it is not, in the words of that condition; left out where it is. */
  readonly notReady?: string;
  /** Where its gateway is reached, `undefined` while it says none. */
  readonly gatewayAddress: string | undefined;
  /** It publishes a storage class for model caches. */
  readonly cacheStorage: boolean;
  readonly taints: readonly Taint[];
  /** In the order of its status; `undefined` while the status has none, which says nothing about them. */
  readonly pools: readonly Pool[] | undefined;
}

/** How many nodes a replica takes of a pool of its cluster. */
export interface Charge {
  readonly pool: string;
  readonly nodes: number;
}

/** A ModelReplica as far as anyone's placement depends on it. */
export interface FleetReplica {
  readonly namespace: string;
  readonly name: string;
  /** The name of its deployment, for messages; empty when it was written by hand. */
  readonly deployment: string;
  readonly cluster: string;
  /** By what its spec claims, one entry per pool, pools in order of first use. */
  readonly charges: readonly Charge[];
  /** `metadata.creationTimestamp` as text; RFC 3339 in UTC sorts by time. */
  readonly created: string;
  /** It has served once (`status.served`) or serves now, so it never yields. */
  readonly served: boolean;
  /** It is being deleted: gone for contention, present in the ledger, never retained. */
  readonly deleting: boolean;
}

/** A member of an engine as a replica was stamped with it. */
export interface StampedMember {
  readonly role: string;
  readonly pool: string;
}

/** An engine as a replica was stamped with it. */
export interface StampedEngine {
  readonly name: string;
  readonly members: readonly StampedMember[];
}

/** A replica that this deployment composed. Cluster and index are its identity, read from its resource key. */
export interface OwnReplica extends FleetReplica {
  readonly index: number;
  readonly engines: readonly StampedEngine[];
  /** Every copy of every engine runs the spec that the replica has, and is ready. */
  readonly ready: boolean;
  /** Requests reach it: its condition ModelServing is True. */
  readonly serving: boolean;
}

/** One device request of a member. */
export interface DemandedRequest {
  readonly name: string;
  readonly count: number;
  /** CEL expressions over `device`, all of which must hold. */
  readonly selectors: readonly string[];
}

/** A member of an engine as the deployment wants it. */
export interface DemandedMember {
  readonly role: string;
  /** Pods of this member in one copy: the nodes of a Worker, else 1. */
  readonly pods: number;
  readonly requests: readonly DemandedRequest[];
}

/** An engine as the deployment wants it. */
export interface DemandedEngine {
  readonly name: string;
  readonly copies: number;
  readonly members: readonly DemandedMember[];
}

/** What a deployment wants placed. */
export interface Demand {
  readonly replicas: number;
  readonly engines: readonly DemandedEngine[];
  readonly tolerations: readonly Toleration[];
  /** Replicas mount a ModelCache, so a cluster must have storage for it. */
  readonly cache: boolean;
  /** `spec.rollout.pause`: nothing that a change of the template alone would move is moved. */
  readonly paused: boolean;
}

/** Everything that a placement depends on; nothing else, so equal snapshots place alike. */
export interface Snapshot {
  /** The deployment, which its replicas are named by. */
  readonly deployment: { readonly namespace: string; readonly name: string };
  readonly demand: Demand;
  /** The clusters that the selectors match, in any order; a replica on any other has to move. */
  readonly clusters: readonly Cluster[];
  /** This deployment's replicas, as Crossplane observed them. */
  readonly own: readonly OwnReplica[];
  /** Every other replica of the fleet, in all namespaces. */
  readonly others: readonly FleetReplica[];
}
