import type { Instant } from "../../kube/instant.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { DecodedDataset } from "../evaluation/dataset.ts";
import type { SourcedDataset } from "../evaluation/dataset-source.ts";
import type { ConcludedRun } from "../evaluation/run.ts";

/** A key in a Secret that the spec names, as far as it can be used. The key itself is never here. */
export type Credential<Reason extends string> =
  | { readonly state: "none" }
  /** `checksum` changes with the key's value and says nothing of it. */
  | { readonly state: "usable"; readonly checksum: string }
  | { readonly state: "unusable"; readonly reason: Reason; readonly message: string };

/** The dataset of the evaluation policy, decoded as far as the policy reads it. */
export type WorldDataset =
  | Extract<SourcedDataset, { state: "held" }>
  | {
      readonly state: "found";
      readonly digest: string;
      readonly deprecatedLabel: boolean;
      readonly decoded: DecodedDataset;
    };

/** What a registry says of a tag. */
export type Resolution =
  /** `manifest` is the bytes whose SHA-256 the digest is, in base64. */
  | { readonly state: "resolved"; readonly digest: string; readonly manifest: string }
  | { readonly state: "absent"; readonly message: string }
  /** Until somebody changes something. */
  | { readonly state: "refused"; readonly message: string }
  /** Another attempt may help. */
  | { readonly state: "unreachable"; readonly message: string };

/** What a server says of the models that it has loaded. */
export type Inspection =
  | { readonly state: "inspected"; readonly loaded: readonly LoadedModel[] }
  | { readonly state: "unreachable"; readonly message: string };

/** A model that a server has loaded. */
export interface LoadedModel {
  /** In the form that canonical names have. */
  readonly model: string;
  /** 64 hexadecimal digits. */
  readonly digest: string;
  /** `cpu`, `cuda:0`, `metal`. */
  readonly device: string;
  /** Whether it stays loaded however long nobody asks. */
  readonly pinned: boolean;
  readonly precision: string | undefined;
}

/** What background work came to. */
export type RunResult =
  | { readonly type: "Resolve"; readonly outcome: Resolution }
  /** `problem` is why the model is not warm. */
  | { readonly type: "WarmUp"; readonly problem: string | undefined }
  | { readonly type: "Inspect"; readonly outcome: Inspection }
  | { readonly type: "Evaluate"; readonly outcome: ConcludedRun };

/** Background work as it stands: its latest result, and whether it goes on. */
export interface RunState {
  readonly running: boolean;
  readonly latest?: {
    readonly at: Instant;
    readonly result: RunResult;
    /** How many results in a row, this one included, said nothing but that something was not reached. */
    readonly failures: number;
  };
}

/** A write that the API server refused, and will until somebody changes something. */
export interface RefusedWrite {
  readonly message: string;
  /** Whether it is time to try it again. */
  readonly isDue: boolean;
}

/** Objects by name. */
export type Objects = ReadonlyMap<string, KubeObject>;

/** Everything that a pass looks at besides the DecisionModel; only objects that it controls are here. */
export interface World {
  readonly now: Instant;
  readonly claims: Objects;
  readonly jobs: Objects;
  readonly deployments: Objects;
  readonly budgets: Objects;
  /** The Service of the DecisionModel's name, whoever controls it. */
  readonly service: KubeObject | undefined;
  /** The pods that a Deployment or a Job controls, through ReplicaSets or not, by its UID. */
  readonly pods: ReadonlyMap<string, readonly KubeObject[]>;
  /** Writes that the API server refused, by `Kind name` of their objects. */
  readonly refused: ReadonlyMap<string, RefusedWrite>;
  readonly apiKey: Credential<"SecretNotAllowed" | "APIKeyInvalid">;
  readonly downloadToken: Credential<"SecretNotAllowed" | "DownloadTokenInvalid">;
  /** Read only where the pass can need it: see `needsDataset`. */
  readonly dataset: WorldDataset | undefined;
  readonly runs: ReadonlyMap<string, RunState>;
  /** Whether the budget lets one more roll-out begin. */
  readonly admission: "open" | "full";
}
