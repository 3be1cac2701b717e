import type { KubeObject } from "../../kube/object.ts";
import type { Fault } from "../engine/simulator/faults.ts";

/** A model as the simulated registry has it. */
export interface TimelineModel {
  readonly name: string;
  /** Lines of the dataset that it answers wrongly. */
  readonly wrong: readonly number[];
  readonly unanswered: readonly number[];
  /** The probability that it gives what it answers; 0.9 where it is not said. */
  readonly confidence: number;
}

/** Which of a DecisionModel's revisions something is about. */
export type Role = "stable" | "candidate" | "previous";

/** What happens next. `on` names the DecisionModel where there are several. */
export type Step = { readonly on?: string } & (
  | { readonly do: "apply"; readonly objects: readonly KubeObject[] }
  /** A merge patch of the DecisionModel, or of another object. */
  | { readonly do: "patch"; readonly patch: object; readonly of?: ObjectReference }
  | { readonly do: "approve"; readonly with: "approval" | "hash" | { readonly value: string } }
  | { readonly do: "wait"; readonly milliseconds: number }
  | { readonly do: "until"; readonly state: Expected; readonly milliseconds: number }
  | { readonly do: "delete"; readonly of: ObjectReference }
  | { readonly do: "crash"; readonly role: Role; readonly forever: boolean }
  | { readonly do: "registry"; readonly model: string; readonly tag: "gone" | "back" | "moved" }
  | { readonly do: "registry-fault"; readonly fault: Fault | "none" }
  | { readonly do: "engine-fault"; readonly role: Role; readonly fault: Fault | "none" }
  | { readonly do: "node"; readonly node: NodeChange }
  | { readonly do: "operator"; readonly change: "restart" | "stop" | "start" }
);

/** An object by its kind and its name, or the revision that it belongs to. */
export interface ObjectReference {
  readonly kind: string;
  readonly name?: string;
  readonly role?: Role;
}

/** How the node behaves from now on. */
export interface NodeChange {
  /** How downloads end; `hang` for never. */
  readonly downloads?: "succeed" | "hang" | { readonly exit: number; readonly message: string };
  /** How long downloads take. */
  readonly downloadMilliseconds?: number;
  /** How long servers take to come up; `never` if they don't. */
  readonly startMilliseconds?: number | "never";
  /** Whether volumes may grow. */
  readonly growth?: "allowed" | "refused";
}

/** What a DecisionModel must look like; what is left out may be anything. */
export interface Expected {
  readonly phase?: string;
  /** The models of its revisions, `none` for no revision. */
  readonly stable?: string;
  readonly candidate?: string;
  readonly failed?: string;
  readonly previous?: string;
  /** How many pods of the stable revision have the model ready. */
  readonly ready?: number;
  /** Conditions as `status/reason`, `absent` for none. */
  readonly conditions?: Readonly<Record<string, string>>;
  /** The model that the Service's requests reach, `none` for no Service. */
  readonly traffic?: string;
}

/** A story of DecisionModels and of what befalls them. */
export interface Timeline {
  readonly about: string;
  /** The operator's settings that are not the default. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly models: readonly TimelineModel[];
  /** Objects that are there from the start, those of datasets among them. */
  readonly objects: readonly KubeObject[];
  readonly steps: readonly Step[];
  /** What must hold at the end of the first DecisionModel there is, whatever interruption there was. */
  readonly expect: Expected;
}
