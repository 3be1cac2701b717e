import type { Type, Type_PrimitiveType } from "@bufbuild/cel-spec/cel/expr/checked_pb.js";
import type { ExprValue } from "@bufbuild/cel-spec/cel/expr/eval_pb.js";
import type { Value } from "@bufbuild/cel-spec/cel/expr/value_pb.js";
import {
  getConformanceSuite,
  type IncrementalTest,
  type IncrementalTestSuite,
} from "@bufbuild/cel-spec/testdata/tests.js";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  STRING,
  TIMESTAMP,
  UINT,
} from "../../cel/checking/type.ts";
import { CelEnvironment } from "../../cel/environment.ts";
import { Uint } from "../../cel/values.ts";
import { typedValue } from "./typed-value.ts";

/** One test of the CEL specification, under the path of its suites. */
export interface SpecTest {
  readonly name: string;
  readonly test: IncrementalTest["original"];
}

/** All tests that the specification ships. */
export function specTests(): readonly SpecTest[] {
  const tests: SpecTest[] = [];
  const visit = (suite: IncrementalTestSuite, path: string) => {
    for (const { name, original } of suite.tests) {
      const full = `${path}/${name}`;
      // A few share a name.
      const count = tests.filter((one) => one.name.replace(/ #[0-9]+$/, "") === full).length;
      tests.push({ name: count === 0 ? full : `${full} #${count + 1}`, test: original });
    }
    for (const inner of suite.suites) {
      visit(inner, path === "" ? inner.name : `${path}/${inner.name}`);
    }
  };
  visit(getConformanceSuite(), "");
  return tests;
}

/** A protobuf value as a CEL value, or undefined for what has no place in Kubernetes. */
function specValue(value: Value): { readonly value: unknown } | undefined {
  const { kind } = value;
  switch (kind.case) {
    case "nullValue":
      return { value: null };
    case "uint64Value":
      return { value: new Uint(kind.value) };
    case "boolValue":
    case "int64Value":
    case "doubleValue":
    case "stringValue":
    case "bytesValue":
      return { value: kind.value };
    case "typeValue":
      return { value: { type: kind.value } };
    case "listValue": {
      const items = kind.value.values.map(specValue);
      return items.includes(undefined) ? undefined : { value: items.map((item) => item?.value) };
    }
    case "mapValue": {
      const map = new Map<unknown, unknown>();
      for (const entry of kind.value.entries) {
        const key = entry.key && specValue(entry.key);
        const held = entry.value && specValue(entry.value);
        if (key === undefined || held === undefined) return undefined;
        const name = key.value instanceof Uint ? Number(key.value.value) : key.value;
        map.set(name, held.value);
      }
      return { value: map };
    }
    default:
      return undefined;
  }
}

/** The value of a binding. */
function bindingValue(binding: ExprValue): { readonly value: unknown } | undefined {
  return binding.kind.case === "value" ? specValue(binding.kind.value) : undefined;
}

const PRIMITIVES: Readonly<Partial<Record<Type_PrimitiveType, CelType>>> = {
  1: BOOL,
  2: INT,
  3: UINT,
  4: DOUBLE,
  5: STRING,
  6: BYTES,
};

/** A declared type, or undefined for what has no place in Kubernetes. */
function specType(type: Type | undefined): CelType | undefined {
  const kind = type?.typeKind;
  switch (kind?.case) {
    case "dyn":
      return DYN;
    case "null":
      return NULL;
    case "primitive":
      return PRIMITIVES[kind.value];
    case "wellKnown":
      return kind.value === 2 ? TIMESTAMP : kind.value === 3 ? DURATION : undefined;
    case "listType": {
      const element = specType(kind.value.elemType);
      return element && listOf(element);
    }
    case "mapType": {
      const [key, value] = [specType(kind.value.keyType), specType(kind.value.valueType)];
      return key && value && mapOf(key, value);
    }
    default:
      return undefined;
  }
}

/** How one test of the specification fares. */
export interface SpecOutcome {
  /**
   * `outside`: Kubernetes has nothing of the kind; `failed`: an error where a value is expected;
   * `differs`: another value, or a value where an error is expected.
   */
  readonly outcome: "outside" | "passed" | "failed" | "differs";
  readonly why?: string;
  readonly value?: unknown;
}

const environment = new CelEnvironment({
  maxLength: 100_000,
  bind: true,
  includes: true,
  costLimit: 1_000_000,
});

/** Runs one test. */
export function judgeSpecTest({ test }: SpecTest): SpecOutcome {
  const variables = new Map<string, unknown>();
  const types = new Map<string, CelType>();
  const outside = (why: string): SpecOutcome => ({ outcome: "outside", why });
  if (test.container !== "") return outside("expressions stand in no namespace");
  if (test.disableCheck) return outside("expressions are always checked");
  for (const { name, declKind } of test.typeEnv) {
    const type = declKind.case === "ident" ? specType(declKind.value.type) : undefined;
    if (type === undefined) return outside("no functions or messages are declared");
    types.set(name, type);
  }
  for (const [name, binding] of Object.entries(test.bindings)) {
    const bound = bindingValue(binding);
    if (bound === undefined) return outside("no variable holds a message");
    variables.set(name, bound.value);
    if (!types.has(name)) types.set(name, DYN);
  }
  const compiled = environment.compile(test.expr, { variables: types, result: DYN });
  const ended = compiled.ok ? compiled.program.evaluate(variables) : compiled;
  const isError = !ended.ok;
  const { resultMatcher: wanted } = test;
  if (wanted.case === "evalError" || wanted.case === "anyEvalErrors") {
    return isError ? { outcome: "passed" } : { outcome: "differs", value: typedValue(ended.value) };
  }
  if (!ended.ok) {
    if (compiled.ok && test.checkOnly) return { outcome: "passed" };
    return { outcome: "failed", why: ended.message };
  }
  if (test.checkOnly) return { outcome: "passed" };
  const value = wanted.case === "typedResult" ? wanted.value.result : wanted.value;
  const expected = value === undefined ? { value: true } : specValue(value as Value);
  if (expected === undefined) return outside("the result is a message");
  const ours = typedValue(ended.value);
  const isSame = JSON.stringify(ours) === JSON.stringify(wantedValue(expected.value));
  return isSame ? { outcome: "passed" } : { outcome: "differs", value: ours };
}

// Type names stand as they are in the specification's results.
function wantedValue(value: unknown): unknown {
  const isType = typeof value === "object" && value !== null && "type" in value;
  return isType ? value : typedValue(value);
}
