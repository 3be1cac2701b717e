/**
 * Hand-made kinds whose rules cover what rules can be about: every level of an object, changes of it,
 * and all that may stand beside a rule. Each is the `spec` of an object.
 */
export type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: "string", maxLength: 20 };
const number: Schema = { type: "integer" };
const rules = (...all: readonly (string | Schema)[]): Schema => ({
  "x-kubernetes-validations": all.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});
const object = (properties: Schema, more: Schema = {}): Schema => ({
  type: "object",
  properties,
  ...more,
});
const list = (items: Schema, more: Schema = {}): Schema => ({
  type: "array",
  maxItems: 6,
  items,
  ...more,
});
const map = (values: Schema, more: Schema = {}): Schema => ({
  type: "object",
  maxProperties: 6,
  additionalProperties: values,
  ...more,
});
const keyed = (items: Schema, ...keys: readonly string[]) =>
  list(items, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });
const set = (items: Schema) => list(items, { "x-kubernetes-list-type": "set" });
const atomic = { "x-kubernetes-map-type": "atomic" };
const message = (rule: string, messageExpression: string, more: Schema = {}) => ({
  rule,
  messageExpression,
  message: "plain",
  ...more,
});

export const SPECS: Readonly<Record<string, Schema>> = {
  levels: object(
    {
      a: { ...text, ...rules("self != 'x'") },
      n: { ...number, ...rules({ rule: "self > 0", message: " must be positive " }) },
      d: { type: "number", ...rules("self < 2.5") },
      b: { type: "boolean", ...rules("self") },
      l: list({ ...text, ...rules("self.size() > 1") }, rules("self.size() != 2")),
      m: map({ ...number, ...rules("self != 3") }, rules("self.all(k, k != 'bad')")),
      o: object(
        { a: text, p: object({ n: number }, rules("!has(self.n) || self.n < 5")) },
        rules("has(self.a)"),
      ),
    },
    rules("!has(self.a) || !has(self.n) || self.n > self.a.size()"),
  ),
  changes: object(
    {
      a: { ...text, ...rules({ rule: "self == oldSelf", message: "is immutable" }) },
      n: { ...number, ...rules("self >= oldSelf") },
      once: {
        ...text,
        ...rules({ rule: "!oldSelf.hasValue() || oldSelf.value() == self", optionalOldSelf: true }),
      },
      fresh: {
        ...number,
        ...rules({
          rule: "oldSelf.hasValue() || self == 1",
          optionalOldSelf: true,
          message: "begins with 1",
        }),
      },
      m: map({ ...number, ...rules("self >= oldSelf") }),
      o: object({ a: { ...text, ...rules("self.size() >= oldSelf.size()") } }),
      gone: text,
    },
    rules("!has(oldSelf.gone) || has(self.gone)", "has(self.a) == has(oldSelf.a)"),
  ),
  keyed: object({
    one: keyed(
      object(
        { k: text, n: { ...number, ...rules("self >= oldSelf") }, a: { ...text, minLength: 2 } },
        { required: ["k"], ...rules("!has(oldSelf.n) || has(self.n)") },
      ),
      "k",
    ),
    two: keyed(
      object({
        k: { ...text, default: "x" },
        i: { ...number, default: 0 },
        n: { ...number, ...rules("self == oldSelf") },
      }),
      "k",
      "i",
    ),
    same: {
      ...keyed(object({ k: text, n: number }, { required: ["k"] }), "k"),
      ...rules("self == oldSelf", "(self + oldSelf).size() <= 4"),
    },
  }),
  sets: object(
    {
      s: {
        ...set(text),
        ...rules("self == oldSelf || self.size() > oldSelf.size()", "(self + oldSelf).size() < 5"),
      },
      l: { ...list(number), ...rules("oldSelf.all(x, x in self)") },
      whole: { ...object({ a: text, n: number }), ...atomic, ...rules("self == oldSelf") },
    },
    rules(
      "!has(self.l) || !has(self.s) || self.l.size() <= self.s.size()",
      "!has(self.s) || sets.contains(self.s, ['a']) || self.s.size() < 3",
    ),
  ),
  messages: object(
    {
      a: {
        ...text,
        ...rules(
          message("self != 'x'", "'got ' + self"),
          message("self != 'y'", "''"),
          message("self != 'b'", "'a\\nb'"),
          message("self != 'a'", "self.split(',')[1]"),
        ),
      },
      n: {
        ...number,
        ...rules(
          message("self < 3", "'%d is too much'.format([self])"),
          { rule: "self != 5", messageExpression: "' spaces '" },
          message("self != 2", "string(1 / (self - 2))"),
        ),
      },
      c: {
        ...number,
        ...rules(message("self >= oldSelf", "'from %d to %d'.format([oldSelf, self])")),
      },
      o: {
        ...number,
        ...rules(
          message("oldSelf.orValue(0) <= self", "'was %d'.format([oldSelf.orValue(0)])", {
            optionalOldSelf: true,
          }),
        ),
      },
    },
    rules(message("!has(self.a) || self.a != 'abc'", "'long: ' + self.a + self.a"), {
      rule: "!has(self.n) || self.n != 7",
      message: "a message",
    }),
  ),
  paths: object(
    {
      a: text,
      n: number,
      o: object({ p: text, "x.y": number }),
      m: map(object({ n: number })),
      "odd-name": text,
    },
    rules(
      { rule: "!has(self.a) || self.a != 'x'", fieldPath: ".a", message: "not x" },
      {
        rule: "!has(self.n) || self.n < 3",
        fieldPath: ".n",
        reason: "FieldValueForbidden",
        message: "too much",
      },
      { rule: "has(self.o)", fieldPath: ".o.p", reason: "FieldValueRequired", message: "give o" },
      {
        rule: "!has(self.o) || !has(self.o.x__dot__y) || self.o.x__dot__y != 2",
        fieldPath: "['o']['x.y']",
        reason: "FieldValueDuplicate",
      },
      {
        rule: "!has(self.m) || self.m.all(k, self.m[k].n > 1)",
        fieldPath: ".m['k'].n",
        messageExpression: "'one of %d'.format([self.m.size()])",
      },
      {
        rule: "!has(self.odd__dash__name) || self.odd__dash__name != 'y'",
        fieldPath: "['odd-name']",
        reason: "FieldValueInvalid",
      },
    ),
  ),
  reasons: object({
    s: {
      ...text,
      ...rules(
        { rule: "self != 'x'", reason: "FieldValueDuplicate", message: "m" },
        { rule: "self != 'y'", reason: "FieldValueForbidden", message: "m" },
        { rule: "self != 'a'", reason: "FieldValueRequired", message: "m" },
        { rule: "self != 'b'", reason: "FieldValueInvalid", message: "m" },
      ),
    },
    n: {
      ...number,
      ...rules(
        { rule: "self != 1", reason: "FieldValueDuplicate" },
        { rule: "self != 2", reason: "FieldValueForbidden" },
      ),
    },
    l: list(
      text,
      rules(
        { rule: "self.size() < 2", reason: "FieldValueDuplicate" },
        { rule: "self.size() < 3", reason: "FieldValueRequired" },
      ),
    ),
  }),
  ratchets: object(
    {
      a: { ...text, minLength: 2, ...rules("self.size() > 2") },
      e: { ...text, enum: ["abc", "xyz"] },
      l: list({ ...text, minLength: 2 }, { maxItems: 2 }),
      k: keyed(
        object(
          { k: text, v: { ...text, minLength: 2, ...rules("self.size() > 2") } },
          { required: ["k", "v"] },
        ),
        "k",
      ),
      s: set(text),
      m: map({ ...text, maxLength: 2 }, { maxProperties: 2 }),
      o: object(
        { a: { ...text, pattern: "^a" }, n: { ...number, maximum: 3 } },
        { required: ["a"], ...rules("!has(self.n) || self.n != 2") },
      ),
      any: object(
        { n: { ...number, maximum: 1 } },
        { "x-kubernetes-preserve-unknown-fields": true, ...rules("!has(self.n) || self.n != 0") },
      ),
    },
    {
      anyOf: [{ required: ["a"] }, { properties: { e: { minLength: 4 } } }],
      allOf: [{ properties: { a: { maxLength: 3 } } }],
    },
  ),
  names: object(
    {
      "with-dash": text,
      "a.b/c": number,
      namespace: text,
      __odd__: number,
      $ref: number,
      in: number,
      constructor: number,
    },
    rules(
      "!has(self.with__dash__dash) || self.with__dash__dash != 'x'",
      "!has(self.a__dot__b__slash__c) || self.a__dot__b__slash__c < 3",
      "!has(self.namespace) || self.namespace != 'y'",
      "!has(self.__namespace__) || self.__namespace__ != 'a'",
      "!has(self.__underscores__odd__underscores__) || self.__underscores__odd__underscores__ != 2",
      "!has(self.__in__) || self.__in__ != 1",
      "!has(self.constructor) || self.constructor != 1",
      "self == oldSelf || true",
    ),
  ),
  embedded: object({
    pod: object(
      { spec: object({ n: number }) },
      {
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
        ...rules(
          "self.kind == 'Pod'",
          "self.metadata.name != 'x'",
          "self.apiVersion.startsWith('v')",
          "!has(self.spec) || !has(self.spec.n) || self.spec.n > 1",
          "self == oldSelf",
        ),
      },
    ),
    open: object(
      { n: number },
      {
        "x-kubernetes-preserve-unknown-fields": true,
        ...rules("!has(self.n) || self.n > 1", "self == oldSelf"),
      },
    ),
    any: { "x-kubernetes-preserve-unknown-fields": true },
  }),
  values: object(
    {
      port: {
        "x-kubernetes-int-or-string": true,
        ...rules(
          "type(self) == string ? self != 'x' : self > 1",
          "self != 3",
          "self == 1 || self == 'abc' || self.size() > 0",
        ),
      },
      maybe: { ...text, nullable: true, ...rules("self != 'x'") },
      l: list({ ...number, nullable: true }, rules("self.all(x, dyn(x) == null || x > 1)")),
      filled: { ...number, default: 2, ...rules("self > 1", "self >= oldSelf") },
      at: {
        type: "string",
        format: "date-time",
        ...rules("self < timestamp('2024-06-01T00:00:00Z')", "self >= oldSelf"),
      },
      wait: { type: "string", format: "duration", ...rules("self <= duration('1h')") },
      day: { type: "string", format: "date", ...rules("self.getFullYear() == 2024") },
      blob: { type: "string", format: "byte", ...rules("self.size() < 3") },
      cpu: { ...text, ...rules("isQuantity(self)", "quantity(self).isLessThan(quantity('2'))") },
      hex: { ...text, ...rules("self.matches('^[a-f0-9]*$')") },
    },
    rules("has(self.maybe)", "!has(self.port) || !has(self.filled) || self.port != self.filled"),
  ),
  dear: object({
    l: list(number, {
      maxItems: 40,
      ...rules("self.all(x, self.all(y, self.all(z, self.all(w, true))))", "self.size() < 100"),
    }),
    m: map(
      list(number, {
        maxItems: 120,
        ...rules(
          "self.all(x, self.all(y, x + y >= 0))",
          "self.all(x, self.all(y, x - y < 1000))",
          "self.all(x, self.all(y, x * y >= 0))",
        ),
      }),
      { maxProperties: 60 },
    ),
    t: {
      type: "string",
      maxLength: 3000,
      ...rules(
        "self.matches('^(a|b|c)*$') || self.size() == 0",
        message("self.size() < 5", "self + self + self"),
      ),
    },
  }),
};

/** The kind that a name in `SPECS` stands for. */
export function kindOf(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}

/** A CRD of the kind that a name in `SPECS` stands for. */
export function definitionOf(name: string, spec: Schema | undefined): Schema {
  const kind = kindOf(name);
  const plural = `${name}s`;
  const status = object({ n: { ...number, maximum: 3 } });
  const openAPIV3Schema = object({ spec, status });
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.org` },
    spec: {
      group: "example.org",
      scope: "Namespaced",
      names: { plural, singular: name, kind, listKind: `${kind}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          subresources: { status: {} },
        },
      ],
    },
  };
}
