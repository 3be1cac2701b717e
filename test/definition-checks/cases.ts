/**
 * CRDs about which the API server's own packages were asked (`recorded.jsonl` has their answers, line
 * by line): most have one thing wrong.
 */
type Schema = Readonly<Record<string, unknown>>;

const object = (properties: Schema, more: Schema = {}): Schema => ({
  type: "object",
  properties,
  ...more,
});
const text = { type: "string" };
const number = { type: "integer" };
const rules = (...all: readonly (string | Schema)[]) => ({
  "x-kubernetes-validations": all.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});
const map = (values: unknown, more: Schema = {}): Schema => ({
  type: "object",
  additionalProperties: values,
  ...more,
});
const list = (items: unknown, more: Schema = {}): Schema => ({ type: "array", items, ...more });
const keyed = (items: unknown, ...keys: readonly string[]) =>
  list(items, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });
const under = (spec: unknown) => object({ spec });
const embedded = { "x-kubernetes-embedded-resource": true };
const open = { "x-kubernetes-preserve-unknown-fields": true };
const intOrString = { "x-kubernetes-int-or-string": true };

/** A CRD of one version with this schema. */
export function definitionOf(schema: Schema, more: Schema = {}): Schema {
  return crd([
    { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more },
  ]);
}

function crd(versions: readonly Schema[], spec: Schema = {}): Schema {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.org" },
    spec: {
      group: "example.org",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      versions,
      ...spec,
    },
  };
}

const version = (name: string, schema: Schema, storage = false) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: schema },
});

/** Schemas of CRDs with one version. */
const SCHEMAS: readonly Schema[] = [
  // Sound ones.
  object({}),
  under(object({ a: text, b: number, c: { type: "boolean" }, d: { type: "number" } })),
  under(object({ port: intOrString, any: open, body: { type: "object", ...embedded, ...open } })),
  under(object({ p: { ...intOrString, anyOf: [{ type: "integer" }, { type: "string" }] } })),
  under(
    object({
      p: {
        ...intOrString,
        allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { maxLength: 3 }],
      },
    }),
  ),
  object({ metadata: object({ name: { ...text, maxLength: 10 } }) }),
  under(object({ l: keyed(object({ k: text, v: number }, { required: ["k"] }), "k") })),
  under(object({ l: keyed(object({ k: { ...text, default: "x" }, v: number }), "k") })),
  under(object({ s: list(text, { "x-kubernetes-list-type": "set" }) })),
  under(
    object({
      a: { ...text, default: "x" },
      b: { type: "object", default: { c: 1 }, properties: { c: number } },
    }),
  ),
  under(object({ a: text }, rules("self.a == 'x'"))),
  under(
    object({ a: text }, { anyOf: [{ required: ["a"] }, { properties: { a: { minLength: 1 } } }] }),
  ),
  // Types.
  { properties: { a: text } },
  list(text),
  { type: "string" },
  object({ spec: { properties: { a: text } } }),
  under(object({ a: { type: "strin" } })),
  under(object({ a: { type: "null" } })),
  under(object({ a: {} })),
  under(object({ a: { type: "array" } })),
  under(object({ a: list({}) })),
  under(object({ a: map({}) })),
  under(object({ a: { description: "no type", nullable: true } })),
  object({ a: text }, { nullable: true }),
  { type: "object", additionalProperties: text },
  { type: "object", additionalProperties: true },
  under(object({ a: text }, { additionalProperties: text })),
  under(object({ a: text }, { additionalProperties: false })),
  under(object({ a: text }, { additionalProperties: true })),
  // Metadata.
  object({ metadata: object({ labels: map(text) }) }),
  object({ metadata: object({ name: text }, { required: ["name"] }) }),
  object({ metadata: { type: "object", description: "x" } }),
  object({ metadata: { type: "object", default: {} } }),
  object({ metadata: text }),
  object({ kind: number, apiVersion: { type: "boolean" } }),
  object({ kind: { ...text, default: "Thing" } }),
  under(object({ metadata: text })),
  under(object({ o: { ...object({ metadata: text, kind: number }), ...embedded } })),
  under(object({ o: { ...object({ metadata: object({ name: text }) }), ...embedded } })),
  // Embedded resources and preserved fields.
  under(object({ o: { type: "object", ...embedded } })),
  under(object({ o: { ...embedded, ...open } })),
  under(object({ o: { type: "string", ...embedded, ...open } })),
  under(object({ o: { ...map(text), ...embedded } })),
  under(object({ o: { type: "object", "x-kubernetes-preserve-unknown-fields": false } })),
  under(object({ p: { ...intOrString, ...open } })),
  under(object({ p: { ...intOrString, ...embedded } })),
  object({ metadata: object({ name: { type: "object", ...embedded, ...open } }) }),
  // Junctors.
  under(object({ a: text }, { anyOf: [{ properties: { a: { type: "string" } } }] })),
  under(object({ a: text }, { allOf: [{ properties: { a: { default: "x", nullable: true } } }] })),
  under(object({ a: text }, { oneOf: [{ description: "x", title: "y" }] })),
  under(object({ a: text }, { not: { additionalProperties: text } })),
  under(object({ a: text }, { not: { properties: { a: { ...rules("self == 'x'") } } } })),
  under(object({ a: text }, { anyOf: [{ properties: { metadata: { minLength: 1 } } }] })),
  object({ a: text }, { anyOf: [{ required: ["b"] }, { properties: { b: { minLength: 1 } } }] }),
  object({ a: list(text) }, { allOf: [{ properties: { a: { items: { minLength: 1 } } } }] }),
  object({ a: text }, { allOf: [{ properties: { a: { items: { minLength: 1 } } } }] }),
  under(object({ a: { ...text, allOf: [{ pattern: "(" }] } })),
  under(object({ p: { anyOf: [{ type: "integer" }, { type: "string" }] } })),
  under(object({ p: { ...intOrString, anyOf: [{ type: "string" }, { type: "integer" }] } })),
  // Values.
  under(object({ a: { ...text, pattern: "(" } })),
  under(object({ a: { ...text, pattern: "(?=x)" } })),
  under(object({ a: list(text, { uniqueItems: true }) })),
  under(object({ a: text }, { definitions: { x: text } })),
  under(object({ a: text }, { patternProperties: { "^x": text } })),
  under(object({ a: { ...text, $ref: "#/x" } })),
  under(object({ a: { ...text, id: "x" } })),
  // Lists and maps.
  under(object({ s: { ...text, "x-kubernetes-list-type": "set" } })),
  under(object({ s: { "x-kubernetes-list-type": "set", ...open } })),
  under(object({ s: { ...text, "x-kubernetes-map-type": "atomic" } })),
  under(object({ s: list(text, { "x-kubernetes-list-type": "bag" }) })),
  under(object({ s: map(text, { "x-kubernetes-map-type": "open" }) })),
  under(object({ s: list(object({ a: text }), { "x-kubernetes-list-type": "set" }) })),
  under(
    object({
      s: list(
        { ...object({ a: text }), "x-kubernetes-map-type": "atomic" },
        { "x-kubernetes-list-type": "set" },
      ),
    }),
  ),
  under(object({ s: list(list(text), { "x-kubernetes-list-type": "set" }) })),
  under(
    object({
      s: list(list(text, { "x-kubernetes-list-type": "set" }), { "x-kubernetes-list-type": "set" }),
    }),
  ),
  under(object({ s: list({ ...text, nullable: true }, { "x-kubernetes-list-type": "set" }) })),
  under(object({ l: list(text, { "x-kubernetes-list-map-keys": ["a"] }) })),
  under(
    object({
      l: list(text, { "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["a"] }),
    }),
  ),
  under(object({ l: keyed(text, "a") })),
  under(object({ l: keyed(object({ k: text })) })),
  under(object({ l: keyed(object({ k: text }, { required: ["k"] }), "k", "k", "x") })),
  under(object({ l: keyed(object({ k: text }), "k") })),
  under(
    object({
      l: keyed(
        object({ k: { ...text, nullable: true } }, { required: ["k"], nullable: true }),
        "k",
      ),
    }),
  ),
  under(object({ l: keyed(object({ k: list(text) }, { required: ["k"] }), "k") })),
  under(
    object({
      l: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] },
    }),
  ),
  // Defaults.
  under(object({ a: { ...text, default: 1 } })),
  under(object({ a: { ...text, default: "xyz", maxLength: 2 } })),
  under(object({ a: { ...text, default: "x", enum: ["a", "b"] } })),
  under(object({ a: { type: "object", default: { z: 1 }, properties: { c: number } } })),
  under(object({ a: { type: "object", default: { c: "x" }, properties: { c: number } } })),
  under(object({ a: { type: "object", default: {}, required: ["c"], properties: { c: number } } })),
  under(object({ a: list(text, { default: ["a", 1] }) })),
  under(object({ a: list({ ...number, default: "x" }) })),
  under(object({ a: map({ ...number, default: "x" }) })),
  under(object({ a: { ...number, default: 1, ...rules("self > 1") } })),
  under(object({ a: { ...number, default: 2, ...rules("self > 1") } })),
  // Rules: their texts.
  under(object({ a: text }, rules({ rule: "" }))),
  under(object({ a: text }, rules({ rule: "  " }))),
  under(object({ a: text }, rules({ rule: "true", message: " " }))),
  under(object({ a: text }, rules({ rule: "true", message: "a\nb" }))),
  under(object({ a: text }, rules({ rule: "true\n  && true" }))),
  under(object({ a: text }, rules({ rule: "true\n  && true", message: "why" }))),
  under(object({ a: text }, rules({ rule: "true", messageExpression: "  " }))),
  under(object({ a: text }, rules({ rule: "true", reason: "Nope" }))),
  under(object({ a: text }, rules({ rule: "true", reason: "FieldValueForbidden" }))),
  under(
    object(
      { a: text },
      rules({ rule: "true", fieldPath: ".a" }, { rule: "true", fieldPath: "['a']" }),
    ),
  ),
  under(object({ a: text }, rules({ rule: "true", fieldPath: ".b" }))),
  under(object({ a: text }, rules({ rule: "true", fieldPath: "a" }))),
  under(object({ a: text }, rules({ rule: "true", fieldPath: " " }))),
  under(object({ a: text }, rules({ rule: "true", fieldPath: ".a.b" }))),
  under(
    object(
      { m: map(object({ "x.y": text })) },
      rules({ rule: "true", fieldPath: ".m.k['x.y']" }, { rule: "true", fieldPath: ".m['k'].x" }),
    ),
  ),
  under(object({ l: list(text) }, rules({ rule: "true", fieldPath: ".l[0]" }))),
  // Rules: their types.
  under(
    object(
      { a: text },
      rules("self.b == 'x'", "self.a == 1", "self.a", "has(self.c)", "self.a ==", "foo()"),
    ),
  ),
  under(
    object(
      { a: text },
      rules(
        { rule: "true", messageExpression: "self.a + 1" },
        { rule: "true", messageExpression: "1" },
      ),
    ),
  ),
  under(object({ a: text }, rules({ rule: "false", messageExpression: "'a: ' + self.a" }))),
  under(object({ a: text }, rules("self.metadata.name == 'x'"))),
  object(
    { a: text },
    rules(
      "self.metadata.name == 'x'",
      "self.kind == self.apiVersion",
      "self.metadata.labels == {}",
    ),
  ),
  under(
    object({
      o: {
        type: "object",
        ...embedded,
        ...open,
        ...rules("self.kind == 'Pod' && self.metadata.name != ''", "self.spec.x == 1"),
      },
    }),
  ),
  under(
    object({
      p: {
        ...intOrString,
        ...rules("self == 1", "self", "self.startsWith('a')", "type(self) == string"),
      },
    }),
  ),
  under(object({ any: { ...open, ...rules("self == 1") } })),
  under(object({ l: list(open, rules("self.size() == 1")) })),
  under(
    object(
      { "with-dash": text, "9": text, $ref: text, namespace: text },
      rules("self.with__dash__dash == 'x'", "self.__namespace__ == 'x'", "self.namespace == 'x'"),
    ),
  ),
  under(object({ $odd: object({ a: text }, rules("self.a == 'x'", "self.b == 'x'")) })),
  under(
    object({
      t: { ...text, format: "date-time", ...rules("self < timestamp('2024-01-01T00:00:00Z')") },
      d: { ...text, format: "duration", ...rules("self < duration('1h')") },
      b: { ...text, format: "byte", ...rules("self.size() < 3", "self == 'x'") },
    }),
  ),
  under(
    object(
      { a: text },
      rules(
        "self.a.matches('(')",
        "self.a == duration('x')",
        "timestamp('nope') == timestamp('nope')",
        "self.a.matches('[a')",
      ),
    ),
  ),
  under(
    object(
      { a: text },
      rules(
        "cel.bind(x, self.a, x == x)",
        "[1, 'a'].size() == 2",
        "self.all(x, true)",
        "self.a.all(x, true)",
      ),
    ),
  ),
  // Rules about changes.
  under(object({ a: text }, rules("self.a == oldSelf.a"))),
  under(
    object(
      { a: text },
      rules(
        { rule: "self.a == oldSelf.a.value()", optionalOldSelf: true },
        { rule: "!oldSelf.hasValue() || self.a == oldSelf.value().a", optionalOldSelf: true },
      ),
    ),
  ),
  under(
    object(
      { a: text },
      rules(
        { rule: "self.a == 'x'", optionalOldSelf: true },
        { rule: "self.a == 'x'", optionalOldSelf: false },
      ),
    ),
  ),
  under(object({ l: list(object({ a: text }, rules("self.a == oldSelf.a")), { maxItems: 5 }) })),
  under(
    object({
      l: list(
        object({
          m: map({ ...text, maxLength: 3, ...rules("self == oldSelf") }, { maxProperties: 3 }),
        }),
        { maxItems: 5, "x-kubernetes-list-type": "set" },
      ),
    }),
  ),
  under(
    object({
      l: {
        ...keyed(
          object(
            { k: { ...text, maxLength: 5 }, v: { ...number, ...rules("self >= oldSelf") } },
            { required: ["k"] },
          ),
          "k",
        ),
        maxItems: 5,
      },
    }),
  ),
  under(object({ m: map({ ...number, ...rules("self >= oldSelf") }, { maxProperties: 5 }) })),
  under(
    object({
      m: map(
        { ...number, ...rules("self >= oldSelf") },
        { maxProperties: 5, "x-kubernetes-map-type": "atomic" },
      ),
    }),
  ),
  // Costs.
  under(object({ a: list(text) }, rules("self.a.all(x, x.startsWith('a'))"))),
  under(object({ a: list(text) }, rules("self.a.all(x, self.a.exists(y, x == y))"))),
  under(
    object(
      { a: list({ ...text, maxLength: 10 }, { maxItems: 20 }) },
      rules("self.a.all(x, self.a.exists(y, x == y))"),
    ),
  ),
  under(object({ a: list(object({ b: list(text, rules("self.all(x, x.matches('^a.*$'))")) })) })),
  under(
    object({
      a: list(
        object({
          b: list(
            { ...text, maxLength: 63 },
            { maxItems: 16, ...rules("self.all(x, x.matches('^a.*$'))") },
          ),
        }),
        { maxItems: 64 },
      ),
    }),
  ),
  under(
    object({
      a: list(
        object({
          b: list(
            { ...text, maxLength: 63 },
            { maxItems: 16, ...rules("self.all(x, x.matches('^a.*$'))") },
          ),
        }),
        { maxItems: 6400 },
      ),
    }),
  ),
  under(
    object(
      { annotations: map(text) },
      rules("!has(self.annotations) || self.annotations.all(k, k.matches('^[a-z./-]+$'))"),
    ),
  ),
  under(
    object(
      { annotations: map(text, { maxProperties: 64 }) },
      rules("!has(self.annotations) || self.annotations.all(k, k.matches('^[a-z./-]+$'))"),
    ),
  ),
  under(object({ a: { ...text, ...rules("self.matches('^(a|b|c|d|e|f|g|h)*$')") } })),
  under(object({ a: list({ ...text, ...rules("self == 'x'") }) })),
  under(
    object({ a: map({ ...number, ...rules("self > 1", "self > 1 && self < 3 && self != 2") }) }),
  ),
  under(
    object(
      { a: list({ ...text, maxLength: 30 }, { maxItems: 850 }) },
      rules("self.a.all(x, self.a.exists(y, x == y))", "self.a.all(x, self.a.exists(y, x != y))"),
    ),
  ),
  under(
    object(
      { a: list({ ...text, maxLength: 30 }, { maxItems: 700 }) },
      rules(
        ...Array.from(
          { length: 14 },
          (_, n) => `self.a.all(x, self.a.exists(y, x == y && ${n} < ${n + 1}))`,
        ),
      ),
    ),
  ),
  under(
    object(
      { a: { ...text, maxLength: 100_000 } },
      rules(
        { rule: "true", messageExpression: "self.a.replace('a', 'bb') + self.a" },
        {
          rule: "true",
          messageExpression:
            "self.a.matches('^(a|b|c|d|e|f|g|h)*$(a|b|c|d|e|f|g|h)*$(a|b|c|d|e|f|g|h)*$(a|b|c|d|e|f|g|h)*$(a|b|c|d|e|f|g|h)*$') ? 'a' : self.a.split('').join('x')",
        },
      ),
    ),
  ),
  under(
    object({
      a: list(number, rules("self.all(x, x > 1)")),
      b: list(number, rules("self.all(x, self.all(y, x > y))")),
      bad: { type: "array" },
    }),
  ),
  under(
    object({
      a: list(object({ b: text, bad: { type: "strin" } }, rules("self.c == 1"))),
      c: object({ d: text }, rules("self.e == 1")),
    }),
  ),
];

/** CRDs as they are. */
export const DEFINITIONS: readonly Schema[] = [
  ...SCHEMAS.map((schema) => definitionOf(schema)),
  definitionOf(object({ status: object({ a: text }) }, rules("self.status.a == 'x'")), {
    subresources: { status: {} },
  }),
  definitionOf(
    { ...object({ a: text }), anyOf: [{ required: ["a"] }] },
    { subresources: { status: {} } },
  ),
  definitionOf({ type: "object", ...open, description: "x" }, { subresources: { status: {} } }),
  crd([
    version("v1", under(object({ a: { type: "array" } })), true),
    version("v2", under(object({ a: { type: "array" } }))),
  ]),
  crd([
    version("v1", under(object({ a: { type: "array" } })), true),
    version("v2", under(object({ b: { type: "array" } }, rules("self.x")))),
  ]),
  crd([version("v1", under(object({ a: text })), true), version("v1", under(object({ a: text })))]),
  crd([{ name: "v1", served: true, storage: true }]),
  { ...definitionOf(object({})), metadata: { name: "other.example.org" } },
];
