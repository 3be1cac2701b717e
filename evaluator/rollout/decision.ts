import type { DecisionModelStatus } from "../../api/gen/decisionmodels.ts";
import type { ModelName } from "../../api/model-name.ts";
import type { Instant } from "../../kube/instant.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Case } from "../evaluation/dataset.ts";
import type { Fraction } from "../evaluation/fraction.ts";

/** The object that an action is about; the API server refuses it where the UID is another's. */
export interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** A condition as a pod's status has it. */
export interface PodCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** One write to the Kubernetes API, each safe to repeat. */
export type Action =
  /** Makes an object; one of that name which this DecisionModel controls already is as good. */
  | { readonly type: "Create"; readonly object: KubeObject }
  /** Replaces an object; its `uid` and `resourceVersion` are those of what was seen. */
  | { readonly type: "Replace"; readonly object: KubeObject }
  /** A JSON merge patch of what was seen. */
  | { readonly type: "Merge"; readonly target: Target; readonly patch: object }
  | { readonly type: "Delete"; readonly target: Target }
  /** Deletes the manifest of a revision, which no cache knows. */
  | { readonly type: "DeleteManifest"; readonly name: string }
  /** Sets a condition of a pod's status: its readiness gate. */
  | { readonly type: "SetGate"; readonly pod: Target; readonly condition: PodCondition }
  /** Takes an annotation off the DecisionModel, of the version that was written or read last. */
  | { readonly type: "RemoveAnnotation"; readonly annotation: string };

/** A pod that serves a model, as an engine's client reaches it. */
export interface Server {
  readonly uid: string;
  readonly address: string;
}

/** Work with a server or a registry that goes on between passes. */
export type Work =
  | { readonly type: "Resolve"; readonly model: ModelName }
  | {
      readonly type: "WarmUp";
      readonly server: Server;
      readonly model: string;
      readonly milliseconds: number;
    }
  | { readonly type: "Inspect"; readonly server: Server; readonly model: string }
  | {
      readonly type: "Evaluate";
      readonly servers: readonly Server[];
      readonly model: string;
      readonly cases: readonly Case[];
      readonly tolerance: Fraction;
      /** How many cases may be asked at a time, over all servers. */
      readonly parallelism: number;
      /** When the run is given up. */
      readonly deadline: Instant;
    };

/** Work that must be going on, or have a result: it is begun where there is none, or only an older one. */
export interface Run {
  /** Names the work among those of its DecisionModel. */
  readonly id: string;
  readonly work: Work;
  /** A result from before this moment is no longer wanted; left out, any will do. */
  readonly since?: Instant;
}

/** Something to tell people once the status that it is about has been written. */
export interface Notice {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/**
 * What a pass comes to, in this order: `prepare` is harmless if nothing follows; the status is the
 * commit, under an optimistic lock; only then come `followUp` and the notices.
 */
export interface Decision {
  readonly prepare: readonly Action[];
  readonly status: DecisionModelStatus;
  readonly followUp: readonly Action[];
  readonly notices: readonly Notice[];
  /** All work that this DecisionModel wants; any other is cancelled and forgotten. */
  readonly runs: readonly Run[];
  /** Whether the status records a roll-out that began in this pass: the budget must allow it. */
  readonly admits: boolean;
  /** When to look again, if nothing happens before. */
  readonly wakeAt: Instant | undefined;
}
