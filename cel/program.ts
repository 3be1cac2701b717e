import type { Checked } from "./checking/checked.ts";
import type { CelType } from "./checking/type.ts";
import { type Meter, Stopped } from "./evaluating/meter.ts";
import type { Step } from "./evaluating/step.ts";
import { CelFailure } from "./libraries/overload.ts";

/**
 * The value of an expression, or why it has none, in the API server's words. `stopped` tells that a
 * limit ended it; with `unjudged` it was one of ours, and the API server may have come to an end.
 */
export type Evaluation = Outcome & {
  /** What it took in the API server's cost units. */
  readonly cost: number;
  readonly steps: number;
};

type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly message: string;
      readonly stopped: boolean;
      readonly unjudged: boolean;
    };

/** A compiled expression; one evaluates at a time, since all of an environment share its meter. */
export class Program {
  /** The expression with the types of all its parts, as costs are estimated from it. */
  readonly checked: Checked;
  /** The type of the result. */
  readonly type: CelType;
  readonly #step: Step;
  readonly #meter: Meter;

  constructor(step: Step, checked: Checked, type: CelType, meter: Meter) {
    this.#step = step;
    this.checked = checked;
    this.type = type;
    this.#meter = meter;
  }

  /** Evaluates with the given variables, whose values are held as `values.ts` says. */
  evaluate(variables: ReadonlyMap<string, unknown>): Evaluation {
    const meter = this.#meter;
    meter.reset();
    const outcome = this.#run(variables);
    return { ...outcome, cost: meter.cost, steps: meter.steps };
  }

  #run(variables: ReadonlyMap<string, unknown>): Outcome {
    try {
      return { ok: true, value: this.#step({ variables, locals: [] }) };
    } catch (failure) {
      if (failure instanceof CelFailure) {
        return { ok: false, message: failure.message, stopped: false, unjudged: false };
      }
      if (!(failure instanceof Stopped)) throw failure;
      const { message, ours } = failure;
      return { ok: false, message, stopped: true, unjudged: ours };
    }
  }
}
