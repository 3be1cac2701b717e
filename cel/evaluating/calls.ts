import type { Declaration } from "../checking/functions.ts";
import type { CelType } from "../checking/type.ts";
import { CelFailure, NO_OVERLOAD } from "../libraries/overload.ts";
import { Optional, TypeValue, typeNameOf } from "../values.ts";
import { callCostOf } from "./actual-cost.ts";
import type { Meter } from "./meter.ts";
import type { Step } from "./step.ts";

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

interface Candidate {
  readonly call: (...args: unknown[]) => unknown;
  readonly tests: readonly Test[];
  readonly cost: ((args: readonly unknown[], result: unknown) => number) | undefined;
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
): Step {
  const candidates = declarations.map(
    (one): Candidate => ({
      call: one.call,
      tests: one.parameters.map(testOf),
      cost: callCostOf(name, one.id),
    }),
  );
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return singleStep(only, args, meter);
  return (frame) => {
    const values = args.map((arg) => arg(frame));
    const fitting = candidates.find(({ tests }) => fits(tests, values));
    if (fitting === undefined) {
      meter.charge(1);
      throw new CelFailure(NO_OVERLOAD);
    }
    return run(fitting, values, meter);
  };
}

function fits(tests: readonly Test[], values: readonly unknown[]): boolean {
  for (let at = 0; at < values.length; at += 1) {
    if (!(tests[at] as Test)(values[at])) return false;
  }
  return true;
}

function run({ call, cost }: Candidate, values: readonly unknown[], meter: Meter): unknown {
  for (const value of values) look(value, meter);
  const result = call(...values);
  look(result, meter);
  meter.charge(cost === undefined ? 1 : cost(values, result));
  return result;
}

function singleStep(candidate: Candidate, args: readonly Step[], meter: Meter): Step {
  const { call, tests, cost } = candidate;
  const [first, second, ...more] = args;
  const [firstTest, secondTest] = tests as [Test, Test];
  if (first === undefined || more.length > 0) {
    return (frame) => {
      const values = args.map((arg) => arg(frame));
      if (!fits(tests, values)) throw new CelFailure(NO_OVERLOAD);
      return run(candidate, values, meter);
    };
  }
  if (second === undefined) {
    return (frame) => {
      const value = first(frame);
      if (!firstTest(value)) throw new CelFailure(NO_OVERLOAD);
      look(value, meter);
      const result = call(value);
      look(result, meter);
      meter.charge(cost === undefined ? 1 : cost([value], result));
      return result;
    };
  }
  return (frame) => {
    const [left, right] = [first(frame), second(frame)];
    if (!firstTest(left) || !secondTest(right)) throw new CelFailure(NO_OVERLOAD);
    look(left, meter);
    look(right, meter);
    const result = call(left, right);
    look(result, meter);
    meter.charge(cost === undefined ? 1 : cost([left, right], result));
    return result;
  };
}

/** Pays for looking at a long text or list, whatever a function does with it. */
export function look(value: unknown, meter: Meter): void {
  if (typeof value === "string") {
    if (value.length > 64) meter.spend(value.length >> 5);
  } else if (Array.isArray(value) || value instanceof Uint8Array) {
    if (value.length > 16) meter.spend(value.length >> 3);
  }
}
