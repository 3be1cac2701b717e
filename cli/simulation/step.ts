import type {
  CompositeCondition,
  FunctionResult,
} from "../../functions/composition/composition.ts";
import type { ResourceSelector } from "../../functions/composition/requirement.ts";
import type { KubeObject } from "../../kube/object.ts";

/** One step of a Composition's pipeline. */
export interface Step {
  readonly step: string;
  /** The name of the Function that runs it. */
  readonly functionName: string;
  readonly input: KubeObject | undefined;
}

/** A composed resource that a pipeline wants, and whether a function called it ready. */
export interface DesiredResource {
  readonly object: KubeObject;
  readonly ready: boolean;
}

/** What the steps so far want: the whole desired state, by resource key. */
export interface Desired {
  readonly status: Readonly<Record<string, unknown>>;
  /** Overrides the readiness that Crossplane derives from the resources. */
  readonly ready: boolean | undefined;
  readonly resources: ReadonlyMap<string, DesiredResource>;
}

/** One call of a function, as Crossplane makes it. */
export interface StepRequest {
  readonly step: Step;
  readonly composite: KubeObject;
  readonly observed: ReadonlyMap<string, KubeObject>;
  readonly desired: Desired;
  /** What was found for each requirement; one that was not asked for yet is missing. */
  readonly required: ReadonlyMap<string, readonly KubeObject[]>;
  readonly context: Readonly<Record<string, unknown>>;
}

/** A function's answer; its desired state replaces that of the steps before it. */
export interface StepAnswer {
  readonly desired: Desired;
  readonly requirements: Readonly<Record<string, ResourceSelector>>;
  readonly conditions: readonly CompositeCondition[];
  readonly results: readonly FunctionResult[];
  readonly context: Readonly<Record<string, unknown>>;
}

/** A simulation: it yields each call of a function and is resumed with the answer. */
export type Calls<T> = Generator<StepRequest, T, StepAnswer>;

/** The desired state before the first step. */
export const nothingDesired: Desired = { status: {}, ready: undefined, resources: new Map([]) };
