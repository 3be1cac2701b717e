import type { Checked } from "../checking/checked.ts";
import type { Functions } from "../checking/functions.ts";
import { isEqual } from "../libraries/equality.ts";
import { NONE } from "../libraries/optionals.ts";
import { CelFailure } from "../libraries/overload.ts";
import {
  type Call,
  type Comprehension,
  childrenOf,
  type Expression,
  type ListLiteral,
  type MapLiteral,
  type Select,
} from "../syntax/expression.ts";
import { TypeValue, Uint } from "../values.ts";
import { hasField, index, indexOptional, readable, selectField, selectOptional } from "./access.ts";
import { equalityCost } from "./actual-cost.ts";
import { callStep } from "./calls.ts";
import { appendStep, foldStep, growthOf, insertStep, isIn } from "./comprehensions.ts";
import { planList, planMap } from "./literals.ts";
import { andStep, conditionalStep, orElseStep, orStep } from "./logic.ts";
import type { Meter } from "./meter.ts";
import { constantStep, NO_FRAME, type Planned, type Step } from "./step.ts";

/** A conversion of a literal that fails, as the API server finds when it prepares the expression. */
export class FailingConstant {
  readonly message: string;
  readonly position: number;

  constructor(message: string, position: number) {
    this.message = message;
    this.position = position;
  }
}

/** Plans an expression for evaluation; throws a `FailingConstant` where a literal can't be converted. */
export function plan(
  checked: Checked,
  functions: Functions,
  variables: ReadonlySet<string>,
  meter: Meter,
): Step {
  return new Planner(checked, functions, variables, meter).plan(checked.expression).step;
}

const CONVERSIONS: ReadonlySet<string> = new Set(
  "bool bytes double duration dyn int string timestamp type uint".split(" "),
);
class Planner {
  readonly #overloads: Checked["overloads"];
  readonly #functions: Functions;
  readonly #variables: ReadonlySet<string>;
  readonly #meter: Meter;
  readonly #scope: [name: string, slot: number][] = [];
  #growing: { readonly slot: number; readonly node: Expression } | undefined;

  constructor(
    checked: Checked,
    functions: Functions,
    variables: ReadonlySet<string>,
    meter: Meter,
  ) {
    this.#overloads = checked.overloads;
    this.#functions = functions;
    this.#variables = variables;
    this.#meter = meter;
  }

  /** Plans a node. A branch is not charged for being read, since cel-go takes it for a part of `?:`. */
  plan(node: Expression, branch = false): Planned {
    switch (node.kind) {
      case "constant":
        return constantStep(node.value);
      case "identifier":
        return this.#identifier(node.name, branch);
      case "select":
        return this.#select(node, branch);
      case "call":
        return this.#call(node, branch);
      case "list":
        return this.#list(node);
      case "map":
        return this.#map(node);
      case "comprehension":
        return this.#comprehension(node);
      case "struct":
        throw new Error(`no type can be made: ${node.name}`);
    }
  }

  #identifier(name: string, branch: boolean): Planned {
    const meter = this.#meter;
    const cost = branch ? 0 : 1;
    const local = this.#scope.findLast(([known]) => known === name);
    if (local !== undefined) {
      const [, slot] = local;
      const step: Step = (frame) => {
        meter.charge(cost);
        return readable(frame.locals[slot]);
      };
      return { step, attribute: true };
    }
    const plain = name.replace(/^\./, "");
    if (!this.#variables.has(plain)) return constantStep(new TypeValue(wellKnown(plain)));
    const step: Step = (frame) => {
      meter.charge(cost);
      const value = frame.variables.get(plain);
      if (value === undefined) throw new CelFailure(`no such attribute(s): ${plain}`);
      return readable(value);
    };
    return { step, attribute: true };
  }

  /** What is read from: anything but a variable or a field costs once more to be read from. */
  #operand(node: Expression, branch: boolean): Step {
    const planned = this.plan(node, branch);
    const isConditional = node.kind === "call" && node.name === "_?_:_";
    if (planned.attribute === true || branch || isConditional) return planned.step;
    const { step } = planned;
    const meter = this.#meter;
    return (frame) => {
      const value = step(frame);
      meter.charge(1);
      return value;
    };
  }

  #select(node: Select, branch: boolean): Planned {
    const { field, testOnly } = node;
    const operand = this.#operand(node.operand, branch || testOnly);
    const meter = this.#meter;
    const read = testOnly ? hasField : selectField;
    const step: Step = (frame) => {
      const value = operand(frame);
      if (testOnly && value === NONE) return false;
      const found = read(value, field);
      // What an optional does not find costs nothing.
      if (found !== NONE) meter.charge(1);
      return found;
    };
    return { step, attribute: true };
  }

  #call(node: Call, branch: boolean): Planned {
    const meter = this.#meter;
    const [first, second, third] = node.args as [Expression, Expression, Expression];
    if (this.#growing?.node === node) return this.#growth(node, this.#growing.slot);
    switch (node.name) {
      case "_&&_":
        return { step: andStep(this.plan(first).step, this.plan(second).step, meter) };
      case "_||_":
        return { step: orStep(this.plan(first).step, this.plan(second).step, meter) };
      case "_?_:_": {
        const [whenTrue, whenFalse] = [this.plan(second, true), this.plan(third, true)];
        return { step: conditionalStep(this.plan(first).step, whenTrue.step, whenFalse.step) };
      }
      case "@not_strictly_false":
        return { step: notStrictlyFalse(this.plan(first).step, meter) };
      case "_==_":
      case "_!=_":
        return { step: this.#equality(node.name === "_==_", first, second) };
      case "@in":
        return { step: this.#membership(node, first, second) };
      case "_[_]":
        return this.#index(index, first, second, branch);
      case "_[?_]":
        return this.#index(indexOptional, first, second, branch);
      case "_?._": {
        const field = String((second as Expression & { value: unknown }).value);
        const operand = this.#operand(first, branch);
        const step: Step = (frame) => {
          const found = selectOptional(operand(frame), field);
          if (found !== NONE) meter.charge(1);
          return found;
        };
        return { step, attribute: true };
      }
      case "or":
      case "orValue":
        if (node.target !== undefined) {
          const [target, other] = [this.plan(node.target).step, this.plan(first).step];
          return { step: orElseStep(target, other, node.name === "or") };
        }
        return this.#function(node);
      default:
        return this.#function(node);
    }
  }

  #function(node: Call): Planned {
    const ids = this.#overloads.get(node.id) ?? [];
    const all = this.#functions.get(node.name.replace(/^\./, "")) ?? [];
    const declarations = all.filter(({ id }) => ids.includes(id));
    const args = node.target === undefined ? node.args : [node.target, ...node.args];
    const planned = args.map((arg) => this.plan(arg));
    const steps = planned.map(({ step }) => step);
    const step = callStep(node.name, declarations, steps, this.#meter, all);
    const [only] = planned;
    const isConversion = CONVERSIONS.has(node.name) && node.target === undefined;
    if (!isConversion || only?.constant === undefined || planned.length !== 1) return { step };
    try {
      return constantStep(step(NO_FRAME));
    } catch (failure) {
      if (!(failure instanceof CelFailure)) throw failure;
      throw new FailingConstant(failure.message, node.start);
    }
  }

  #equality(wanted: boolean, left: Expression, right: Expression): Step {
    const [first, second] = [this.plan(left).step, this.plan(right).step];
    const meter = this.#meter;
    return (frame) => {
      const [ours, theirs] = [first(frame), second(frame)];
      meter.charge(equalityCost(ours, theirs));
      return isEqual(ours, theirs, meter) === wanted;
    };
  }

  #membership(node: Call, item: Expression, range: Expression): Step {
    const isList = this.#overloads.get(node.id)?.join() === "in_list";
    const [first, second] = [this.plan(item).step, this.plan(range)];
    const { step, constant } = second;
    const meter = this.#meter;
    // The library looks scalars up in a set that it has made beforehand, and counts nothing for that.
    const isFree = Array.isArray(constant?.value) && constant.value.every(isScalar);
    return (frame) => {
      const [ours, theirs] = [first(frame), step(frame)];
      if (!isFree) meter.charge(isList && Array.isArray(theirs) ? theirs.length : 1);
      return isIn(ours, theirs, meter);
    };
  }

  #index(
    read: (operand: unknown, key: unknown) => unknown,
    operandNode: Expression,
    keyNode: Expression,
    branch: boolean,
  ): Planned {
    const operand = this.#operand(operandNode, branch);
    // A key that is read is a part of what it is read with, too.
    const key = this.plan(keyNode, true).step;
    const meter = this.#meter;
    const step: Step = (frame) => {
      const value = operand(frame);
      const found = read(value, key(frame));
      if (found !== NONE) meter.charge(1);
      return found;
    };
    return { step, attribute: true };
  }

  #list(node: ListLiteral): Planned {
    const elements = node.elements.map((element) => this.plan(element));
    return planList(elements, node.optional, this.#meter);
  }

  #map(node: MapLiteral): Planned {
    const entries = node.entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    return planMap(entries, this.#meter);
  }

  #comprehension(node: Comprehension): Planned {
    const meter = this.#meter;
    const [range, initial] = [this.plan(node.range).step, this.plan(node.initial).step];
    const depth = this.#scope.length;
    const accumulator = this.#declare(node.accumulator);
    const variable = this.#declare(node.variable);
    const variable2 = node.variable2 === undefined ? undefined : this.#declare(node.variable2);
    const growing = this.#growing;
    const grown = growthOf(node);
    const isFiltered = node.step.kind === "call" && node.step.name === "_?_:_";
    const growthNode = isFiltered ? (node.step as Call).args[1] : node.step;
    this.#growing = grown && { slot: accumulator, node: growthNode as Expression };
    const step = this.plan(node.step).step;
    this.#growing = growing;
    const condition = this.plan(node.condition).step;
    this.#scope.length = depth + 1;
    const result = this.plan(node.result).step;
    this.#scope.length = depth;
    const absorbs = node.condition.kind !== "constant";
    const turn = nodesOf(node.condition) + nodesOf(node.step);
    const fold = { range, initial, condition, step, result, variable, variable2, accumulator };
    return { step: foldStep({ ...fold, turn, absorbs, grows: grown !== undefined }, meter) };
  }

  #growth(node: Call, slot: number): Planned {
    this.#growing = undefined;
    const [, ...rest] = node.args;
    const [added] = rest as [Expression];
    if (node.name === "_+_" && added.kind === "list") {
      const element = this.plan(added.elements[0] as Expression).step;
      return { step: appendStep(slot, element, this.#meter) };
    }
    const entries = rest.map((entry) => this.plan(entry).step);
    return { step: insertStep(slot, entries, this.#meter) };
  }

  #declare(name: string): number {
    const slot = this.#scope.length;
    this.#scope.push([name, slot]);
    return slot;
  }
}

function isScalar(value: unknown): boolean {
  const isPlain = ["string", "boolean", "bigint", "number"].includes(typeof value);
  return isPlain || value instanceof Uint;
}

function wellKnown(name: string): string {
  return name === "null" ? "null_type" : name;
}

function notStrictlyFalse(operand: Step, meter: Meter): Step {
  return (frame) => {
    let value: unknown = true;
    try {
      value = operand(frame);
    } catch (failure) {
      if (!(failure instanceof CelFailure)) throw failure;
    }
    meter.charge(1);
    return value !== false;
  };
}

/** How many nodes a turn of a fold evaluates, without what folds within evaluate in their own turns. */
function nodesOf(node: Expression): number {
  let count = 1;
  const below =
    node.kind === "comprehension" ? [node.range, node.initial, node.result] : childrenOf(node);
  for (const child of below) count += nodesOf(child);
  return count;
}
