import type { KubeObject } from "../../kube/object.ts";
import type { RequiredResources, ResourceSelector } from "./requirement.ts";

/** The composed resources that exist, by resource key; keys are sorted, objects decoded on first use. */
export interface ObservedResources {
  readonly keys: readonly string[];
  get(key: string): KubeObject | undefined;
}

/** Everything a handler may look at. It never sees protobuf, credentials or connection details. */
export interface CompositionRequest {
  /** The composite resource (XR) as the API server stores it. */
  readonly composite: KubeObject;
  readonly observed: ObservedResources;
  readonly required: RequiredResources;
  /** The Composition step's input, if it has one. */
  readonly input: KubeObject | undefined;
}

/** One composed resource that must exist, and whether it counts as ready in the XR's Ready condition. */
export interface ComposedResource {
  /** The resource key: `crossplane.io/composition-resource-name`. */
  readonly key: string;
  readonly object: KubeObject;
  readonly ready: boolean;
}

/** A condition that the handler sets on the XR; Crossplane keeps the transition time. */
export interface CompositeCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message?: string;
}

/** A result becomes an event on the XR at every reconcile, so it is only returned on a change of state. */
export interface FunctionResult {
  readonly severity: "Normal" | "Warning" | "Fatal";
  readonly message: string;
  readonly reason?: string;
}

/** Everything a handler may say: complete, since Crossplane deletes whatever a response omits. */
export interface Composition {
  readonly resources: readonly ComposedResource[];
  readonly requirements: Readonly<Record<string, ResourceSelector>>;
  readonly conditions: readonly CompositeCondition[];
  readonly results: readonly FunctionResult[];
  /** Fields of the XR's `status`, merged over those of earlier steps. */
  readonly status: Readonly<Record<string, unknown>>;
  /** `false` forces the XR unready; left out, Crossplane derives it from the resources. */
  readonly ready?: false;
  /** The reason of a hold for absent or invalid input, for the metric; left out when nothing is held. */
  readonly holding?: string;
}

/** Composes one kind of XR: a pure function of its request that never throws on input. */
export interface Handler {
  readonly apiVersion: string;
  readonly kind: string;
  compose(request: CompositionRequest): Composition;
}
