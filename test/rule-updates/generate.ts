import { createRandom, type Random } from "../fuzz/random.ts";
import { type Schema, SPECS } from "./schemas.ts";

/** A question to the API server's packages: what they say of an object, or of an update to it. */
export interface Question {
  /** A name in `SPECS`. */
  readonly kind: string;
  readonly spec: unknown;
  readonly old?: unknown;
}

const TEXTS = ["a", "x", "y", "b", "abc", "xyz", "ab", "", "v1", "Pod"];
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  "date-time": ["2024-01-01T00:00:00Z", "2024-05-31T23:30:00-01:00", "2025-01-01T00:00:00.5Z"],
  duration: ["10m", "1h30m", "3 weeks", "1h"],
  date: ["2024-02-29", "2023-12-31"],
  byte: ["YQ==", "YWJj", "YWJjZA=="],
};
const LONG = ["abc".repeat(300), `${"cba".repeat(900)}!`];

/** The questions of one seed, the same on every run; every kind has its share. */
export function questions(seed: number, count: number): readonly Question[] {
  const kinds = Object.keys(SPECS);
  return Array.from({ length: count }, (_, run) => {
    const random = createRandom(seed, run);
    const kind = kinds[run % kinds.length] as string;
    const schema = SPECS[kind] as Schema;
    if (kind === "dear") return dear(random);
    const old = value(schema, random);
    if (random.once(4)) return { kind, spec: old };
    const edits = random.below(4);
    let spec: unknown = structuredClone(old);
    for (let edit = 0; edit < edits; edit += 1) spec = changed(spec, schema, random);
    return { kind, spec, old };
  });
}

/**
 * One field alone and all of it sound: which rules are judged before the budget is spent depends on
 * the order of fields, which in the API server is another on every run.
 */
function dear(random: Random): Question {
  const numbers = (most: number) => {
    const length = random.pick([0, 3, most >> 1, most]);
    return Array.from({ length }, (_, index) => (index * 7) % 5);
  };
  const lists = () => {
    const [count, each] = [random.pick([1, 4, 10, 60]), numbers(120)];
    return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, each]));
  };
  const spec = () =>
    random.pick([
      () => ({ l: numbers(40) }),
      () => ({ l: numbers(40) }),
      () => ({ t: random.pick([...LONG, ...TEXTS]) }),
      () => ({ m: lists() }),
    ])();
  const first = spec();
  return random.once(3)
    ? { kind: "dear", spec: first }
    : { kind: "dear", spec: spec(), old: first };
}

/** A value of a schema; mostly of its type. */
function value(schema: Schema, random: Random): unknown {
  // What Go says of a time that it can't read is not to be had here.
  const isTime = FORMATS[String(schema.format)] !== undefined;
  if (random.once(40) && !isTime) return random.pick([null, 1, "a", true, [], {}]);
  if (schema["x-kubernetes-int-or-string"]) return random.pick([1, 2, 3, "x", "abc", ""]);
  switch (schema.type) {
    case "string":
      return textOf(schema, random);
    case "integer":
      return random.below(6);
    case "number":
      return random.pick([0, 1.5, 2, 2.5, 3.25]);
    case "boolean":
      return random.once(2);
    case "array":
      return items(schema, random);
    case "object":
      return members(schema, random);
    default:
      return random.pick<unknown>([1, "a", { n: 1 }, ["a"], { n: { m: null } }]);
  }
}

function textOf(schema: Schema, random: Random): string {
  const format = FORMATS[String(schema.format)];
  return random.pick(format ?? TEXTS);
}

function items(schema: Schema, random: Random): unknown {
  return Array.from({ length: random.below(4) }, () => value(schema.items as Schema, random));
}

function members(schema: Schema, random: Random): unknown {
  const object: Record<string, unknown> = {};
  const values = schema.additionalProperties as Schema | undefined;
  if (values !== undefined) {
    const count = random.below(4);
    for (let index = 0; index < count; index += 1) {
      object[random.pick(["a", "bad", "k", "c.d"])] = value(values, random);
    }
    return object;
  }
  const required = (schema.required ?? []) as readonly string[];
  for (const [name, property] of Object.entries(
    (schema.properties ?? {}) as Record<string, Schema>,
  )) {
    if (required.includes(name) ? random.once(20) : random.once(3)) continue;
    object[name] = value(property, random);
  }
  if (schema["x-kubernetes-embedded-resource"]) {
    object.apiVersion = random.pick(["v1", "w2"]);
    object.kind = random.pick(["Pod", "Job"]);
    object.metadata = { name: random.pick(["x", "y"]), labels: { a: "b" } };
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] && random.once(2)) {
    object.extra = random.pick<unknown>([1, { n: [1] }, "a"]);
  }
  return object;
}

/** The value with one thing in it replaced, added, removed or moved. */
function changed(before: unknown, schema: Schema, random: Random): unknown {
  if (Array.isArray(before) && before.length > 0 && !random.once(4)) {
    const index = random.below(before.length);
    const item = changed(before[index], (schema.items ?? {}) as Schema, random);
    return random.pick([
      () => before.toSpliced(index, 1, item),
      () => before.toSpliced(index, 1),
      () => [...before, value((schema.items ?? {}) as Schema, random)],
      () => before.toReversed(),
    ])();
  }
  if (isObject(before) && !random.once(6)) {
    const properties = (schema.properties ?? {}) as Record<string, Schema>;
    const names = [...Object.keys(properties), ...Object.keys(before)];
    if (names.length === 0) return value(schema, random);
    const name = random.pick(names);
    const child = (properties[name] ?? schema.additionalProperties ?? {}) as Schema;
    const { [name]: had, ...rest } = before;
    // No API server gets as far as a rule with metadata that is none.
    if (name === "metadata") return before;
    if (had !== undefined && random.once(5)) return rest;
    return {
      ...before,
      [name]: had === undefined ? value(child, random) : changed(had, child, random),
    };
  }
  return value(schema, random);
}

function isObject(one: unknown): one is Record<string, unknown> {
  return typeof one === "object" && one !== null && !Array.isArray(one);
}
