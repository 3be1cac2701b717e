/** What an evaluation knows: the variables it was given, and those of the macros it is in. */
export interface Frame {
  readonly variables: ReadonlyMap<string, unknown>;
  readonly locals: unknown[];
}

/** One node, ready to be evaluated; it fails with a `CelFailure` and stops with a `Stopped`. */
export type Step = (frame: Frame) => unknown;

/** A step, and what is known of it before it runs. */
export interface Planned {
  readonly step: Step;
  /** The value where it is the same in every evaluation; the step is free then. */
  readonly constant?: { readonly value: unknown };
  /** Whether it reads a variable, or a field or element of something: cel-go counts these apart. */
  readonly attribute?: boolean;
}

/** A step that only gives a value. */
export function constantStep(value: unknown): Planned {
  return { step: () => value, constant: { value } };
}

/** What constants are evaluated in. */
export const NO_FRAME: Frame = { variables: new Map(), locals: [] };
