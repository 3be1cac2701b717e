import type { Declaration } from "../checking/functions.ts";
import type { CelType } from "../checking/type.ts";
import { CelFailure, NO_OVERLOAD } from "../libraries/overload.ts";
import { Optional, TypeValue, typeNameOf } from "../values.ts";
import { callCostOf } from "./actual-cost.ts";
import type { Meter } from "./meter.ts";
import type { Step } from "./step.ts";
import { stepsOf, weightOf } from "./weights.ts";

type Test = (value: unknown) => boolean;

const any: Test = () => true;
// The built-in types by how their values are held.
const TESTS: ReadonlyMap<CelType["kind"], Test> = new Map<CelType["kind"], Test>([
  ["bool", (value) => typeof value === "boolean"],
  ["int", (value) => typeof value === "bigint"],
  ["double", (value) => typeof value === "number"],
  ["string", (value) => typeof value === "string"],
  ["bytes", (value) => value instanceof Uint8Array],
  ["list", Array.isArray],
  ["map", (value) => value instanceof Map],
  ["type", (value) => value instanceof TypeValue],
  ["uint", named("uint")],
  ["timestamp", named("google.protobuf.Timestamp")],
  ["duration", named("google.protobuf.Duration")],
]);

function named(name: string): Test {
  return (value) => typeof value === "object" && value !== null && typeNameOf(value) === name;
}

function testOf(type: CelType): Test {
  if (type.kind !== "opaque") return TESTS.get(type.kind) ?? any;
  return type.name === "optional_type" ? (value) => value instanceof Optional : named(type.name);
}

const STANDARD =
  /^(_.*|-_|!_|size|startsWith|endsWith|contains|matches|bool|bytes|double|dyn|duration|int|string|timestamp|type|uint)$/;

interface Candidate {
  readonly call: (...args: unknown[]) => unknown;
  readonly tests: readonly Test[];
  readonly cost: ((args: readonly unknown[], result: unknown) => number) | undefined;
  readonly weight: ReturnType<typeof weightOf>;
}

/**
 * A call of one of the overloads that the checker left, the first that takes the arguments as they turn
 * out to be.
 */
export function callStep(
  name: string,
  declarations: readonly Declaration[],
  args: readonly Step[],
  meter: Meter,
  all: readonly Declaration[] = declarations,
): Step {
  const candidates = declarations.map(
    (one): Candidate => ({
      call: one.call,
      tests: one.parameters.map(testOf),
      // The library counts by the overload only where it is known before.
      cost: callCostOf(name, declarations.length === 1 ? one.id : ""),
      weight: weightOf(one.id),
    }),
  );
  const knows = all.map(({ parameters }) => (parameters[0] ? testOf(parameters[0]) : any));
  const call = new CallStep(name, meter, knows);
  const [only] = candidates;
  const [first, second] = args;
  if (only === undefined || candidates.length > 1) {
    return (frame) => {
      const values = args.map((arg) => arg(frame));
      const fitting = candidates.find(({ tests }) => fits(tests, values));
      if (fitting !== undefined) return call.run(fitting, values);
      return call.refuse(undefined, values);
    };
  }
  const [firstTest, secondTest] = only.tests as [Test, Test];
  if (args.length === 1 && first !== undefined) {
    return (frame) => {
      const value = first(frame);
      return firstTest(value) ? call.run(only, [value]) : call.refuse(only, [value]);
    };
  }
  if (args.length === 2 && first !== undefined && second !== undefined) {
    return (frame) => {
      const values = [first(frame), second(frame)];
      const isFit = firstTest(values[0]) && secondTest(values[1]);
      return isFit ? call.run(only, values) : call.refuse(only, values);
    };
  }
  return (frame) => {
    const values = args.map((arg) => arg(frame));
    return fits(only.tests, values) ? call.run(only, values) : call.refuse(only, values);
  };
}

function fits(tests: readonly Test[], values: readonly unknown[]): boolean {
  for (let at = 0; at < values.length; at += 1) {
    if (!(tests[at] as Test)(values[at])) return false;
  }
  return true;
}

class CallStep {
  readonly #name: string;
  readonly #meter: Meter;
  readonly #knows: readonly Test[];

  constructor(name: string, meter: Meter, knows: readonly Test[]) {
    this.#name = name;
    this.#knows = knows;
    this.#meter = meter;
  }

  /** Runs an overload on arguments that it takes; a failed call costs as much as one that gives 1. */
  run({ call, cost, weight }: Candidate, values: readonly unknown[]): unknown {
    const meter = this.#meter;
    for (const value of values) look(value, meter);
    if (weight.perCall > 0) meter.spend(stepsOf(weight, values[0]));
    let result: unknown;
    try {
      result = call(...values);
    } catch (failure) {
      if (failure instanceof CelFailure) meter.charge(cost === undefined ? 1 : cost(values, 1n));
      throw failure;
    }
    look(result, meter);
    meter.charge(cost === undefined ? 1 : cost(values, result));
    return result;
  }

  /** Fails since no overload takes the arguments. */
  refuse(candidate: Candidate | undefined, values: readonly unknown[]): never {
    const { cost } = candidate ?? {};
    this.#meter.charge(cost === undefined ? 1 : cost(values, 1n));
    throw new CelFailure(NO_OVERLOAD + this.#where(values));
  }

  // The functions of the standard say little of what they don't take; an operator that knows nothing
  // of its left side names itself.
  #where(values: readonly unknown[]): string {
    if (!STANDARD.test(this.#name)) {
      return `: ${this.#name}(${values.map((value) => typeNameOf(value)).join(", ")})`;
    }
    const isNamed = /^(_.+_|size)$/.test(this.#name);
    return isNamed && !this.#knows.some((test) => test(values[0])) ? `: ${this.#name}` : "";
  }
}

/** Pays for looking at a long text or list, whatever a function does with it. */
function look(value: unknown, meter: Meter): void {
  if (typeof value === "string") {
    if (value.length > 64) meter.spend(value.length >> 3);
  } else if (Array.isArray(value) || value instanceof Uint8Array) {
    if (value.length > 16) meter.spend(value.length >> 3);
  }
}
