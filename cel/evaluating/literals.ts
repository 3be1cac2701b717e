import { CelFailure, NO_OVERLOAD } from "../libraries/overload.ts";
import { Optional } from "../values.ts";
import { mapKey } from "./access.ts";
import type { Meter } from "./meter.ts";
import { constantStep, type Frame, NO_FRAME, type Planned, type Step } from "./step.ts";

/** A list literal; one of constants is made once, and free. */
export function planList(
  elements: readonly Planned[],
  optional: ReadonlySet<number>,
  meter: Meter,
): Planned {
  if (optional.size === 0 && elements.every(({ constant }) => constant !== undefined)) {
    return constantStep(elements.map(({ constant }) => constant?.value));
  }
  const steps = elements.map(({ step }) => step);
  const step: Step = (frame) => {
    const list: unknown[] = [];
    meter.spend(4 + 2 * steps.length);
    for (const [at, element] of steps.entries()) {
      const value = element(frame);
      if (!optional.has(at)) list.push(value);
      else if (!(value instanceof Optional)) throw new CelFailure(NO_OVERLOAD);
      else if (value.value !== undefined) list.push(value.value);
    }
    meter.charge(10);
    return list;
  };
  return { step };
}

/** An entry of a map literal. */
export interface PlannedEntry {
  readonly key: Planned;
  readonly value: Planned;
  readonly optional: boolean;
}

/** A map literal; one of constants is made once, and free. */
export function planMap(entries: readonly PlannedEntry[], meter: Meter): Planned {
  const isConstant = entries.every(
    ({ key, value, optional }) => key.constant && value.constant && !optional,
  );
  if (isConstant) {
    try {
      return constantStep(build(entries, NO_FRAME));
    } catch (failure) {
      // It fails when it is evaluated.
      if (!(failure instanceof CelFailure)) throw failure;
    }
  }
  const step: Step = (frame) => {
    meter.spend(10 + 8 * entries.length);
    const map = build(entries, frame);
    meter.charge(30);
    return map;
  };
  return { step };
}

function build(entries: readonly PlannedEntry[], frame: Frame): ReadonlyMap<unknown, unknown> {
  const map = new Map<unknown, unknown>();
  for (const { key, value, optional } of entries) {
    const given = key.step(frame);
    const name = mapKey(given);
    // The library takes any value for a key here; one that is no name or number can't be held.
    if (typeof given === "number" || (typeof name === "object" && name !== undefined)) {
      throw new CelFailure("map keys of this type are not known here");
    }
    const held = value.step(frame);
    if (!optional) map.set(name, held);
    else if (!(held instanceof Optional)) throw new CelFailure(NO_OVERLOAD);
    else if (held.value !== undefined) map.set(name, held.value);
  }
  return map;
}
