import type { RuledOut } from "./filling.ts";

/** Why one more replica of a deployment fits on a cluster or not, for every cluster, sorted by name. */
export interface Explanation {
  readonly clusters: readonly ClusterExplanation[];
}

/** Why one more replica fits on a cluster or not. */
export interface ClusterExplanation {
  readonly cluster: string;
  /** The first thing that rules the cluster out; absent where a replica fits. */
  readonly problem?: RuledOut | { readonly type: "NothingFits" };
  /** In the order of the cluster's status. */
  readonly pools: readonly PoolExplanation[];
}

/** Why each engine fits on a pool or not, as if it were the only one. */
export interface PoolExplanation {
  readonly pool: string;
  readonly nodes: number;
  /** Negative where the pool is over-committed. */
  readonly free: number;
  /** What a node costs an hour, as a decimal; absent where it is not known. */
  readonly costPerNodeHour?: string;
  readonly engines: readonly EngineExplanation[];
}

/** Why an engine fits on a pool or not. */
export interface EngineExplanation {
  readonly engine: string;
  /** The nodes that it takes. */
  readonly nodes: number;
  /** The first thing that keeps it from the pool; absent where it fits. */
  readonly problem?: EngineProblem;
  readonly members: readonly MemberExplanation[];
}

/** Why a member's requests are met by a node of a pool or not. */
export interface MemberExplanation {
  /** Its role. */
  readonly member: string;
  readonly problem?: MemberProblem;
  readonly requests: readonly RequestExplanation[];
}

/** Why a request is met by a node of a pool, together with those before it, or not. */
export interface RequestExplanation {
  readonly request: string;
  readonly problem?: RequestProblem;
}

/** No device meets all selectors of a request, or too few do. */
export type RequestProblem =
  | {
      readonly type: "NoDevice";
      readonly request: string;
      /** The device that meets the most selectors; absent where the pool has none. */
      readonly best?: NearestDevice;
    }
  | {
      readonly type: "CountShort";
      readonly request: string;
      readonly needed: number;
      /** Suitable devices that are left by the requests before it, of one DeviceClass. */
      readonly have: number;
    };

/** A device that does not meet a request, and the first selector at fault. */
export interface NearestDevice {
  /** Its place in the pool's `devices`. */
  readonly index: number;
  readonly driver: string;
  /** What the selector names of it, such as `memory=80Gi, brand=x`; where that is nothing, the first six that it has. */
  readonly has: string;
  /** The selector's place in the request. */
  readonly selector: number;
  /** The selector's field in the ModelDeployment. */
  readonly path: string;
  readonly text: string;
  /** Why the selector can't be evaluated on the device; absent where it is plainly not met. */
  readonly error?: string;
}

/** What keeps a member from a pool; `steps` is where the search for devices was ended. */
export type MemberProblem =
  | RequestProblem
  | { readonly type: "SyntheticOnly" }
  | { readonly type: "TooManyWays"; readonly steps: number };

/** What keeps an engine from a pool. */
export type EngineProblem =
  | MemberProblem
  | {
      readonly type: "NodesShort";
      readonly needed: number;
      readonly free: number;
      /** Who holds the pool's nodes, the largest share first. */
      readonly holders: readonly Holder[];
    };

/** Who holds nodes of a pool. */
export interface Holder {
  /** `namespace/deployment`, or `this deployment`; a replica without a deployment by its own name. */
  readonly holder: string;
  readonly nodes: number;
}
