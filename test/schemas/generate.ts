import { createRandom, type Random } from "../fuzz/random.ts";

/** A JSON value as the generator makes it; numbers that must be floats on the wire are in `Float`. */
type Value = unknown;
type Schema = Record<string, Value>;

/** One question to the API server's code: what becomes of an object under a CRD. */
export interface Question {
  readonly schema: Schema;
  readonly object: Record<string, Value>;
}

const TEXTS = [
  "",
  "a",
  "b",
  "A",
  "é",
  "\u{1f680}",
  "abc",
  "abcd",
  "x-y",
  "10Gi",
  "2024-02-29",
  "2023-02-29",
  "2024-01-01T00:00:00Z",
  "2024-01-01t24:00:00z",
  "1.2.3.4",
  "01.2.3.4",
  "1.2.3",
  "::1",
  "::ffff:1.2.3.4",
  "1:2:3:4:5:6:7:8",
  "1::2::3",
  "10.0.0.0/8",
  "10.0.0.0/33",
  "::/0",
  "::/129",
  "00:00:5e:00:53:01",
  "0000.5e00.5301",
  "00-00-5e-00-53-0",
  "a@b.c",
  "a b <c@d.e>",
  "@b",
  "a@b",
  "example.com",
  "-a.com",
  "a_b",
  "http://a/b",
  "/x",
  "x",
  "http://[::1]:80/",
  "http://a:b/",
  "mailto:x",
  "http://%zz/",
  "1h30m",
  "1 day",
  "-1.5h",
  "5 parsecs",
  "00000000-0000-4000-8000-000000000000",
  "0000000000003000800000000000000f",
  "0321751043",
  "978-0321751041",
  "978-0321751042",
  "4111 1111 1111 1111",
  "4111111111111112",
  "111-22-3333",
  "#fff",
  "ffff",
  "rgb(0, 128,255)",
  "rgb(256,0,0)",
  "aGk=",
  "aGk",
  "507f1f77bcf86cd799439011",
  "my-name",
  "My-name",
  "a.b-c.d",
  "0",
  "null",
] as const;
const NUMBERS: readonly Value[] = [
  0,
  1,
  -1,
  2,
  3,
  4,
  5,
  6,
  7,
  10,
  65,
  97,
  100,
  0.5,
  1.5,
  2.5,
  -0.5,
  5.7,
  1e6,
  1e21,
  2 ** 31,
  -(2 ** 31) - 1,
  1e39,
];
const FORMATS = [
  "bsonobjectid",
  "uri",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "cidr",
  "mac",
  "uuid",
  "uuid3",
  "uuid4",
  "uuid5",
  "isbn",
  "isbn10",
  "isbn13",
  "creditcard",
  "ssn",
  "hexcolor",
  "rgbcolor",
  "byte",
  "password",
  "date",
  "duration",
  "date-time",
  "datetime",
  "k8s-short-name",
  "k8s-long-name",
  "int32",
  "nonsense",
] as const;
const PATTERNS = ["^a", "b$", "^[a-z]+$", "\\d", "(?i)A", "^\\p{L}$"];
const NAMES = ["a", "b", "c", "length", "x-y", "__proto__", "constructor"];

/** Makes the question of one run; equal numbers give equal questions. */
export function question(seed: number, run: number): Question {
  const generator = new Generator(createRandom(seed, run));
  const spec = generator.schema(3);
  const schema = { type: "object", properties: { spec } };
  return { schema, object: { spec: generator.value(spec, 4) } };
}

class Generator {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  schema(depth: number): Schema {
    const kinds = ["string", "string", "integer", "number", "boolean", "int-or-string"];
    const deep = ["object", "object", "object", "map", "array", "array", "embedded", "open"];
    const kind = this.#random.pick(depth > 0 ? [...kinds, ...deep, ...deep] : kinds);
    const schema = this.#shape(kind, depth);
    if (this.#random.once(5)) schema.nullable = true;
    if (this.#random.once(6)) Object.assign(schema, this.#junctors(schema, depth));
    if (this.#random.once(9)) schema.enum = this.#some(4, () => this.value(schema, 2, true));
    return schema;
  }

  #shape(kind: string, depth: number): Schema {
    switch (kind) {
      case "string":
        return { type: "string", ...this.#stringBounds(3) };
      case "integer":
      case "number":
        return { type: kind, ...this.#numberFormat(kind), ...this.#numberBounds(4) };
      case "boolean":
        return { type: "boolean" };
      case "int-or-string": {
        const listed = this.#random.once(2);
        return {
          "x-kubernetes-int-or-string": true,
          ...(listed ? { anyOf: [{ type: "integer" }, { type: "string" }] } : {}),
          ...(this.#random.once(3) ? this.#numberBounds(3) : {}),
          ...(this.#random.once(3) ? this.#stringBounds(3) : {}),
        };
      }
      case "map":
        return {
          type: "object",
          additionalProperties: this.#random.once(6) ? true : this.schema(depth - 1),
          ...this.#sizes("Properties"),
        };
      case "array":
        return this.#array(depth);
      case "embedded":
        return {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          ...(this.#random.once(2)
            ? { "x-kubernetes-preserve-unknown-fields": true }
            : { properties: { spec: this.schema(depth - 1) } }),
        };
      case "open":
        return {
          ...(this.#random.once(2) ? { type: "object" } : {}),
          "x-kubernetes-preserve-unknown-fields": true,
          ...(this.#random.once(2) ? { properties: this.#properties(depth) } : {}),
        };
      default: {
        const properties = this.#properties(depth);
        const required = Object.keys(properties).filter(() => this.#random.once(3));
        return {
          type: "object",
          properties,
          ...(required.length > 0 ? { required } : {}),
          ...this.#sizes("Properties"),
        };
      }
    }
  }

  #properties(depth: number): Schema {
    const properties: Schema = {};
    for (let count = 1 + this.#random.below(3); count > 0; count -= 1) {
      const property = this.schema(depth - 1);
      if (this.#random.once(4)) property.default = this.value(property, 2, true);
      define(properties, this.#random.pick(NAMES.slice(0, 5)), property);
    }
    return properties;
  }

  #array(depth: number): Schema {
    const listType = this.#random.pick([undefined, undefined, "atomic", "set", "map"]);
    const sizes = this.#sizes("Items");
    if (listType === "set") {
      const items = { type: this.#random.pick(["string", "integer", "number"]) };
      return { type: "array", items, "x-kubernetes-list-type": "set", ...sizes };
    }
    if (listType === "map") {
      const keys = this.#random.once(2) ? ["k"] : ["k", "l"];
      const items: Schema = {
        type: "object",
        properties: {
          k: { type: "string", ...(this.#random.once(2) ? { default: "a" } : {}) },
          l: { type: "integer", ...(this.#random.once(2) ? { default: 1 } : {}) },
          v: this.schema(depth - 1),
        },
      };
      const properties = items.properties as Record<string, Schema>;
      items.required = keys.filter((key) => properties[key]?.default === undefined);
      if ((items.required as string[]).length === 0) delete items.required;
      const list = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys };
      return { type: "array", items, ...list, ...sizes };
    }
    const items = this.schema(depth - 1);
    if (this.#random.once(5)) items.default = this.value(items, 2, true);
    return {
      type: "array",
      items,
      ...(listType === undefined ? {} : { "x-kubernetes-list-type": listType }),
      ...sizes,
    };
  }

  #junctors(schema: Schema, depth: number): Schema {
    const branch = (): Schema => {
      if (schema.type === "string") return this.#stringBounds(1);
      if (schema.type === "integer" || schema.type === "number") return this.#numberBounds(1);
      const properties = schema.properties as Schema | undefined;
      const names = Object.keys(properties ?? {});
      if (names.length === 0 || this.#random.once(3)) {
        return schema.type === "array" ? this.#sizes("Items", 1) : this.#sizes("Properties", 1);
      }
      const name = this.#random.pick(names);
      if (this.#random.once(2) || depth < 1) return { required: [name] };
      const child = properties?.[name] as Schema;
      const inner = child.type === "string" ? this.#stringBounds(1) : this.#numberBounds(1);
      return { properties: { [name]: inner } };
    };
    const branches = () => this.#some(3, branch);
    return this.#random.pick([
      () => ({ allOf: branches() }),
      () => ({ anyOf: branches() }),
      () => ({ oneOf: branches() }),
      () => ({ not: branch() }),
    ])();
  }

  #stringBounds(rarity: number): Schema {
    const bounds: Schema = {};
    if (this.#random.once(rarity)) bounds.maxLength = this.#random.below(5);
    if (this.#random.once(rarity)) bounds.minLength = this.#random.below(4);
    if (this.#random.once(rarity)) bounds.pattern = this.#random.pick(PATTERNS);
    if (this.#random.once(2)) bounds.format = this.#random.pick(FORMATS);
    return bounds;
  }

  #numberFormat(kind: string): Schema {
    if (!this.#random.once(3)) return {};
    const formats = ["int32", "int64", "float", "double", "date"];
    return { format: this.#random.pick(kind === "number" ? formats : formats.slice(0, 3)) };
  }

  #numberBounds(rarity: number): Schema {
    const bounds: Schema = {};
    const bound = () => this.#random.pick<Value>([-1, 0, 1, 3, 5, 2.5, 0.5, 1e6]);
    if (this.#random.once(rarity)) bounds.maximum = bound();
    if (bounds.maximum !== undefined && this.#random.once(3)) bounds.exclusiveMaximum = true;
    if (this.#random.once(rarity)) bounds.minimum = bound();
    if (bounds.minimum !== undefined && this.#random.once(3)) bounds.exclusiveMinimum = true;
    if (this.#random.once(rarity + 2)) bounds.multipleOf = this.#random.pick([1, 2, 3, 0.5, 2.5]);
    return bounds;
  }

  #sizes(what: "Items" | "Properties", rarity = 4): Schema {
    const sizes: Schema = {};
    if (this.#random.once(rarity)) sizes[`max${what}`] = this.#random.below(4);
    if (this.#random.once(rarity)) sizes[`min${what}`] = this.#random.below(3);
    return sizes;
  }

  #some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: 1 + this.#random.below(most) }, make);
  }

  /** A value that mostly has the schema's shape; one that is `sound` has none but the types. */
  value(schema: Schema, depth: number, sound = false): Value {
    if (!sound) {
      if (this.#random.once(12)) return null;
      if (this.#random.once(12)) return this.#anything(depth);
    }
    if (this.#random.once(4) && Array.isArray(schema.enum)) return this.#random.pick(schema.enum);
    if (schema["x-kubernetes-int-or-string"] === true) {
      const number = this.#random.pick(
        NUMBERS.filter((one) => (sound ? Number.isInteger(one) && Number(one) < 2 ** 53 : true)),
      );
      return this.#random.once(2) ? number : this.#random.pick(TEXTS);
    }
    switch (schema.type) {
      case "string":
        return this.#random.pick(TEXTS);
      case "integer":
        return this.#random.pick(NUMBERS.slice(0, sound ? 13 : NUMBERS.length));
      case "number":
        return this.#random.pick(NUMBERS);
      case "boolean":
        return this.#random.once(2);
      case "array":
        return this.#list(schema, depth, sound);
      case "object":
        return this.#object(schema, depth, sound);
      default:
        return sound ? {} : this.#anything(depth);
    }
  }

  #list(schema: Schema, depth: number, sound: boolean): Value {
    if (depth <= 0) return [];
    const items = this.#some(3, () => this.value(schema.items as Schema, depth - 1, sound));
    if (this.#random.once(4) && items.length > 0) items.push(structuredClone(items[0]));
    return this.#random.once(8) ? [] : items;
  }

  #object(schema: Schema, depth: number, sound: boolean): Value {
    const object: Schema = {};
    const additional = schema.additionalProperties;
    for (const [name, property] of Object.entries((schema.properties ?? {}) as Schema)) {
      if (this.#random.once(5)) continue;
      define(object, name, this.value(property as Schema, depth - 1, sound));
    }
    if (additional !== undefined && depth > 0) {
      for (const name of this.#some(3, () => this.#random.pick(NAMES))) {
        const value =
          additional === true
            ? this.#anything(depth - 1)
            : this.value(additional as Schema, depth - 1, sound);
        define(object, name, value);
      }
    }
    if (schema["x-kubernetes-embedded-resource"] === true)
      Object.assign(object, this.#resource(sound));
    if (!sound && this.#random.once(4))
      define(object, this.#random.pick(NAMES), this.#anything(depth - 1));
    return object;
  }

  #resource(sound: boolean): Schema {
    const resource: Schema = { apiVersion: "v1", kind: "Pod" };
    if (sound) return resource;
    if (this.#random.once(4))
      resource.apiVersion = this.#random.pick<Value>(["", "a/b", "a/b/c", "v1"]);
    if (this.#random.once(4)) resource.kind = this.#random.pick<Value>(["", "pod", "P_d", "Pod"]);
    if (this.#random.once(8)) delete resource.kind;
    if (this.#random.once(2)) resource.metadata = this.#metadata();
    return resource;
  }

  #metadata(): Schema {
    const choices: Schema = {
      name: this.#random.pick(["a", "", "A/b", "..", "a%"]),
      namespace: this.#random.pick(["", "x", "X"]),
      labels: this.#random.pick<Value>([{}, { a: "b" }, { "a/b/c": "x" }, { a: "-" }]),
      annotations: this.#random.pick<Value>([{}, { "A/b": "x" }]),
      unknown: 1,
      generation: this.#random.pick([0, 1]),
      finalizers: this.#random.pick<Value>([[], ["a/b"], [""]]),
      ownerReferences: [
        {
          apiVersion: "v1",
          kind: "Pod",
          name: "x",
          uid: this.#random.pick(["u", ""]),
          extra: true,
        },
      ],
    };
    return Object.fromEntries(Object.entries(choices).filter(() => this.#random.once(3)));
  }

  #anything(depth: number): Value {
    switch (this.#random.below(depth > 0 ? 8 : 5)) {
      case 0:
        return null;
      case 1:
        return this.#random.pick(NUMBERS);
      case 2:
      case 3:
        return this.#random.pick(TEXTS);
      case 4:
        return this.#random.once(2);
      case 5:
        return this.#some(3, () => this.#anything(depth - 1));
      default: {
        const object: Schema = {};
        for (const name of this.#some(3, () => this.#random.pick(NAMES))) {
          define(object, name, this.#anything(depth - 1));
        }
        return object;
      }
    }
  }
}

function define(target: Schema, key: string, value: Value): void {
  const attributes = { enumerable: true, configurable: true, writable: true };
  Object.defineProperty(target, key, { ...attributes, value });
}
