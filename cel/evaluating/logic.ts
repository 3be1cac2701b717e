import { heldBy } from "../libraries/optionals.ts";
import { CelFailure, NO_OVERLOAD } from "../libraries/overload.ts";
import { Optional } from "../values.ts";
import type { Meter } from "./meter.ts";
import type { Frame, Step } from "./step.ts";

// What catching a failure takes, in steps.
const ABSORBED = 60;

/** A step's value where it is a bool, or else the failure that it comes to. */
function attempt(step: Step, frame: Frame, meter: Meter): boolean | CelFailure {
  try {
    const value = step(frame);
    return typeof value === "boolean" ? value : new CelFailure(NO_OVERLOAD);
  } catch (failure) {
    if (!(failure instanceof CelFailure)) throw failure;
    meter.spend(ABSORBED);
    return failure;
  }
}

/** `&&`: false if either side is, else the first side's failure, else the other's. */
export function andStep(left: Step, right: Step, meter: Meter): Step {
  return (frame) => {
    const first = attempt(left, frame, meter);
    if (first === false) return false;
    const second = attempt(right, frame, meter);
    if (second === false) return false;
    if (first !== true) throw first;
    if (second !== true) throw second;
    return true;
  };
}

/** `||`: true if either side is, else the first side's failure, else the other's. */
export function orStep(left: Step, right: Step, meter: Meter): Step {
  return (frame) => {
    const first = attempt(left, frame, meter);
    if (first === true) return true;
    const second = attempt(right, frame, meter);
    if (second === true) return true;
    if (first !== false) throw first;
    if (second !== false) throw second;
    return false;
  };
}

/** `?:`; only the branch that is taken is evaluated. */
export function conditionalStep(condition: Step, whenTrue: Step, whenFalse: Step): Step {
  return (frame) => {
    const value = condition(frame);
    if (value === true) return whenTrue(frame);
    if (value === false) return whenFalse(frame);
    throw new CelFailure(NO_OVERLOAD);
  };
}

/** `or` and `orValue`; the other value is only evaluated when the optional holds nothing. */
export function orElseStep(optional: Step, other: Step, keepsOptional: boolean): Step {
  return (frame) => {
    const value = optional(frame);
    if (!(value instanceof Optional)) throw new CelFailure(NO_OVERLOAD);
    if (value.value === undefined) return other(frame);
    return keepsOptional ? value : heldBy(value);
  };
}
