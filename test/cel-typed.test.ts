import { describe, expect, it } from "vitest";
import { DYN, formatType } from "../cel/checking/type.ts";
import { CelEnvironment } from "../cel/environment.ts";
import { celTypeOf } from "../schema/cel-types.ts";
import { toCel } from "../schema/cel-values.ts";
import type { RawSchema } from "../schema/crossplane.ts";
import { readSchema } from "../schema/read-schema.ts";
import { placed, readRecorded } from "./cel/recorded.ts";
import { typedValue } from "./cel/typed-value.ts";

/** What Kubernetes made of an expression over `self`, a value of a schema. */
interface Recorded {
  readonly name: string;
  readonly expression: string;
  readonly issues?: readonly string[];
  readonly type?: string;
  readonly error?: string;
  readonly value?: unknown;
  readonly cost?: number;
}
interface Schemas {
  readonly schemas: Readonly<
    Record<string, { readonly schema: RawSchema; readonly self: unknown; readonly root?: boolean }>
  >;
}

// Recorded with k8s.io/apiextensions-apiserver v0.37.2: types of schemas, in the environment for new
// expressions, compatibility version 1.36.
const [first, ...rows] = readRecorded<Recorded | Schemas>("typed.jsonl.gz") as readonly [
  Schemas,
  ...Recorded[],
];

const environment = new CelEnvironment({
  maxLength: 16_384,
  bind: false,
  includes: false,
  costLimit: 1_000_000,
});

const subjects = new Map(
  Object.entries(first.schemas).map(([name, { schema, self, root }]) => {
    const read = readSchema(root === true ? withResource(schema) : schema);
    if (!read.ok) throw new Error(`${name}: ${JSON.stringify(read.problems)}`);
    const type = celTypeOf(read.schema);
    if (type === undefined) throw new Error(`${name}: no type`);
    return [name, { type, self: toCel(self, read.schema) }];
  }),
);

function withResource(schema: RawSchema): RawSchema {
  return { ...schema, "x-kubernetes-embedded-resource": true };
}

// Objects have names of their own in our messages.
const unnamed = (text: string) =>
  text.replace(/\bself(_type)?(\.[\w@]+)*(?=[,')]|\.\(|$)/g, "OBJECT");

// Of mistakes in the syntax, which the API server's parser words in its own way, the first place.
function shown(issues: readonly string[]): readonly string[] {
  const sorted = issues.map(unnamed).sort();
  return sorted[0]?.includes("Syntax error")
    ? sorted.slice(0, 1).map((one) => one.split(": ")[0] ?? "")
    : sorted;
}

function judge({ name, expression }: Recorded): Omit<Recorded, "name" | "expression"> {
  const subject = subjects.get(name);
  if (subject === undefined) throw new Error(name);
  const variables = new Map([["self", subject.type]]);
  const compiled = environment.compile(expression, { variables, result: DYN });
  if (!compiled.ok) return { issues: shown(placed(expression, compiled.issues)) };
  const type = unnamed(formatType(compiled.program.type));
  const ended = compiled.program.evaluate(new Map([["self", subject.self]]));
  if (!ended.ok) return { type, error: ended.message };
  return { type, value: plain(typedValue(ended.value)), cost: ended.cost };
}

// Values of schemas are recorded as the maps and lists that they are.
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function recorded({ issues, type, error, value, cost }: Recorded) {
  if (issues !== undefined) return { issues: shown(issues) };
  if (error !== undefined) return { type: unnamed(type ?? ""), error };
  return { type: unnamed(type ?? ""), value, cost };
}

describe("expressions over values of a schema", () => {
  it("are hundreds, refused and taken", () => {
    expect(rows.length).toBeGreaterThan(250);
    expect(rows.filter(({ issues }) => issues !== undefined).length).toBeGreaterThan(60);
  });

  it.each(rows.map((row) => [row.name, row.expression, row] as const))("%s: %s", (_, __, row) => {
    expect(judge(row)).toEqual(recorded(row));
  });
});
