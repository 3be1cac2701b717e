import { isEqual } from "../libraries/equality.ts";
import { CelFailure, NO_OVERLOAD } from "../libraries/overload.ts";
import type { Comprehension, Expression } from "../syntax/expression.ts";
import { keyValue, mapKey, readable } from "./access.ts";
import type { Meter } from "./meter.ts";
import type { Frame, Step } from "./step.ts";

/** The parts of a fold, planned, and where its variables lie among the locals. */
export interface Fold {
  readonly range: Step;
  readonly initial: Step;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
  readonly variable: number;
  readonly variable2: number | undefined;
  readonly accumulator: number;
  /** How many nodes one turn evaluates at most, other folds within left out. */
  readonly turn: number;
  /** Whether the accumulator is built up here alone, so that it may grow in place. */
  readonly grows: boolean;
  /** Whether a failed turn may yet be made good by a later one, as in `all` and `exists`. */
  readonly absorbs: boolean;
}

// What catching a failure takes, in steps.
const ABSORBED = 60;

/** A fold over the elements of a list or the keys of a map. */
export function foldStep(fold: Fold, meter: Meter): Step {
  const { variable, variable2, accumulator } = fold;
  const turns = (frame: Frame, first: unknown, second: unknown): boolean => {
    meter.spend(fold.turn);
    frame.locals[variable] = first;
    if (variable2 !== undefined) frame.locals[variable2] = second;
    if (fold.condition(frame) !== true) return false;
    try {
      frame.locals[accumulator] = fold.step(frame);
    } catch (failure) {
      if (!fold.absorbs || !(failure instanceof CelFailure)) throw failure;
      // A later element may still decide; reading the accumulator fails until then.
      meter.spend(ABSORBED);
      frame.locals[accumulator] = failure;
    }
    return true;
  };
  return (frame) => {
    const range = fold.range(frame);
    const initial = fold.initial(frame);
    frame.locals[accumulator] = fold.grows ? emptyLike(initial) : initial;
    const two = variable2 !== undefined;
    if (Array.isArray(range)) {
      for (let at = 0; at < range.length; at += 1) {
        const item = range[at];
        if (!(two ? turns(frame, BigInt(at), item) : turns(frame, item, undefined))) break;
      }
    } else if (range instanceof Map) {
      for (const [key, value] of range) if (!turns(frame, keyValue(key), value)) break;
    } else {
      throw new CelFailure(NO_OVERLOAD);
    }
    return fold.result(frame);
  };
}

function emptyLike(initial: unknown): unknown {
  return Array.isArray(initial) ? [] : new Map();
}

/** What a macro adds to its own accumulator in one turn. */
export type Growth =
  | { readonly kind: "append"; readonly element: Expression }
  | { readonly kind: "insert"; readonly entries: readonly Expression[] };

/** Finds how a fold's own accumulator grows, where the step does nothing but that. */
export function growthOf(node: Comprehension): Growth | undefined {
  const isEmpty =
    (node.initial.kind === "list" && node.initial.elements.length === 0) ||
    (node.initial.kind === "map" && node.initial.entries.length === 0);
  if (!isEmpty || !node.accumulator.startsWith("@")) return undefined;
  const { step } = node;
  const isFiltered = step.kind === "call" && step.name === "_?_:_";
  return growth(isFiltered ? step.args[1] : step, node.accumulator);
}

function growth(node: Expression | undefined, accumulator: string): Growth | undefined {
  if (node?.kind !== "call") return undefined;
  const [first, ...rest] = node.args;
  if (first?.kind !== "identifier" || first.name !== accumulator) return undefined;
  if (node.name === "cel.@mapInsert") return { kind: "insert", entries: rest };
  const [added] = rest;
  const element = added?.kind === "list" ? added.elements[0] : undefined;
  return node.name === "_+_" && element ? { kind: "append", element } : undefined;
}

/** Appends to the list in a local; counted as cel-go counts a concatenation with a new list. */
export function appendStep(accumulator: number, element: Step, meter: Meter): Step {
  return (frame) => {
    const list = frame.locals[accumulator] as unknown[];
    list.push(readable(element(frame)));
    meter.spend(3);
    meter.charge(12);
    return list;
  };
}

/** Inserts into the map in a local: one key with its value, or all entries of another map. */
export function insertStep(accumulator: number, entries: readonly Step[], meter: Meter): Step {
  const insert = (map: Map<unknown, unknown>, key: unknown, value: unknown) => {
    if (map.has(key))
      throw new CelFailure(`insert failed: key ${String(keyValue(key))} already exists`);
    map.set(key, readable(value));
  };
  const [first, second] = entries as [Step, Step | undefined];
  return (frame) => {
    const map = frame.locals[accumulator] as Map<unknown, unknown>;
    const given = first(frame);
    if (second !== undefined) insert(map, mapKey(given), second(frame));
    else if (given instanceof Map) {
      meter.spend(given.size);
      for (const [key, value] of given) insert(map, key, value);
    } else throw new CelFailure(NO_OVERLOAD);
    meter.spend(8);
    meter.charge(2);
    return map;
  };
}

/** `item in list` and `key in map`. */
export function isIn(item: unknown, range: unknown, meter: Meter): boolean {
  if (range instanceof Map) {
    if (typeof item === "string" || typeof item === "boolean") {
      return range.has(item) && readable(range.get(item)) !== undefined;
    }
    const isKey = typeof item === "bigint" || typeof item === "number";
    const key = isKey ? item : mapKey(item);
    if (typeof key === "bigint") return range.has(key) || range.has(Number(key));
    if (typeof key !== "number") throw new CelFailure(NO_OVERLOAD);
    return range.has(key) || (Number.isInteger(key) && range.has(BigInt(key)));
  }
  if (!Array.isArray(range)) throw new CelFailure(NO_OVERLOAD);
  let failure: CelFailure | undefined;
  meter.spend(range.length >> 2);
  for (const one of range) {
    try {
      if (isEqual(one, item, meter)) return true;
    } catch (caught) {
      if (!(caught instanceof CelFailure)) throw caught;
      meter.spend(ABSORBED);
      failure ??= caught;
    }
  }
  if (failure !== undefined) throw failure;
  return false;
}
