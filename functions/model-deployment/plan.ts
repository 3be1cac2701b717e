import type { KubeObject } from "../../kube/object.ts";
import type { ReplicaIdentity } from "../builders/model-replica.ts";

/** The pools of one engine, in the order of its members, each once. */
export interface EnginePools {
  readonly name: string;
  readonly pools: readonly string[];
}

/**
 * How a replica stands: just given a place, not serving yet, serving, to be replaced, or to be
 * replaced and kept because nothing else fits.
 */
export type ReplicaPhase = "Placed" | "Starting" | "Serving" | "Moving" | "Held";

/** One replica that the deployment goes on having, as it is to be composed. */
export interface PlannedReplica {
  readonly key: string;
  readonly identity: ReplicaIdentity;
  readonly object: KubeObject;
  /** What is observed under its key, `undefined` for a new one. */
  readonly observed: KubeObject | undefined;
  readonly phase: ReplicaPhase;
  /** It is ready for the spec that it has, and its cluster is not known to be out of order. */
  readonly ready: boolean;
  /** It is given, or has, the template as it is now. */
  readonly current: boolean;
  readonly engines: readonly EnginePools[];
  /** What it waits for, or why it must move. */
  readonly message: string;
  /** Its cluster is there and is not Ready, or has no gateway address. */
  readonly degraded: boolean;
}
