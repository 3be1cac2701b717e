import type { Charge, OwnReplica, Taint } from "./fleet.ts";
import type { Ledger, OverCommitment } from "./ledger.ts";

/** Where a member runs, and what it claims there. */
export interface MemberPlacement {
  readonly pool: string;
  /** For each request in spec order the DeviceClass it claims from, `undefined` if it claims nothing. */
  readonly deviceClasses: readonly (string | undefined)[];
}

/** Where the members of an engine run, in spec order. */
export interface EnginePlacement {
  readonly name: string;
  readonly members: readonly MemberPlacement[];
}

/** Why a replica can't stay where it is, or as it is. */
export type MoveReason =
  | { readonly type: "ClusterNotFound" }
  | { readonly type: "Tainted"; readonly taint: Taint }
  | { readonly type: "PoolNotFound"; readonly pool: string }
  | { readonly type: "ShapeChanged" }
  /** `member` is a role; the request is the first that the pool can't meet with those before it. */
  | {
      readonly type: "NodeSelectorUnmet";
      readonly engine: string;
      readonly member: string;
      readonly request: string;
    }
  /** It needs `needed` more nodes of the pool than it was stamped with; `free` may be negative. */
  | {
      readonly type: "GrowthDoesNotFit";
      readonly pool: string;
      readonly needed: number;
      readonly free: number;
    };

/** An own replica that stays where it is and may be given today's template. */
export interface RetainedReplica {
  readonly as: "retained";
  readonly replica: OwnReplica;
  /** Today's demand on the pools that it is pinned to. */
  readonly engines: readonly EnginePlacement[];
  /** The nodes that today's demand takes there; `replica.charges` are those of its stamp. */
  readonly charges: readonly Charge[];
}

/** An own replica that stays exactly as it is observed. */
export interface FrozenReplica {
  readonly as: "frozen";
  readonly replica: OwnReplica;
  /** What can't be known now, or `Paused` where only the template would move it. */
  readonly because: "PoolsUnknown" | "CacheNotStored" | "Paused";
}

/** An own replica that stays as it is observed until another one stands in for it. */
export interface MovingReplica {
  readonly as: "moving";
  readonly replica: OwnReplica;
  readonly reason: MoveReason;
  /**
   * `Replacing` while its replacement is not ready, `Waiting` until it is its turn, `NothingFits`
   * while no cluster has a place for a replacement.
   */
  readonly progress: "Replacing" | "Waiting" | "NothingFits";
}

/** What becomes of an own replica that is not let go. */
export type KeptReplica = RetainedReplica | FrozenReplica | MovingReplica;

/** An own replica that is let go. */
export interface ReleasedReplica {
  readonly replica: OwnReplica;
  /**
   * `Moved`: its replacement is ready. `MadeRoom`: its replacement fits only where it stands.
   * `Drained`: its cluster has a NoExecute taint and nothing else has a place. `Yielded`: others
   * were earlier on nodes that it took too.
   */
  readonly because: "ScaledDown" | "Moved" | "MadeRoom" | "Drained" | "Yielded";
}

/** A new replica. */
export interface PlacedReplica {
  readonly cluster: string;
  readonly index: number;
  readonly engines: readonly EnginePlacement[];
  /** One entry per pool, pools in order of first use. */
  readonly charges: readonly Charge[];
}

/** What a pass decides. Replicas that are being deleted already are in none of its lists. */
export interface Schedule {
  /** Sorted by cluster and index. */
  readonly kept: readonly KeptReplica[];
  /** Sorted by cluster and index. */
  readonly released: readonly ReleasedReplica[];
  /** Sorted by cluster and index. */
  readonly placed: readonly PlacedReplica[];
  /** How many of the desired replicas neither stand nor are placed. */
  readonly missing: number;
  /** Pools whose replicas take more nodes than there are, sorted by cluster and pool. */
  readonly overCommitted: readonly OverCommitment[];
  /** What is free after this pass; a roll-out charges the growth of retained replicas to it. */
  readonly ledger: Ledger;
}
