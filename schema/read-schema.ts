import { escapeName } from "../cel/escaping.ts";
import { PatternCache } from "../cel/pattern.ts";
import { type Rule, RuleCompiler } from "../cel/rules.ts";
import { isRecord } from "../kube/object.ts";
import type { RawSchema } from "./crossplane.ts";
import { effectiveFormat } from "./formats.ts";
import { readRules } from "./read-rules.ts";
import type {
  Bounds,
  Junctors,
  SchemaProblem,
  SchemaType,
  Structural,
  VisibleField,
} from "./structural.ts";

/** A schema ready to work with, or everything that keeps it from being used here. */
export type ReadSchema =
  | { readonly ok: true; readonly schema: Structural }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] };

const TYPES: ReadonlySet<unknown> = new Set(
  "object array string integer number boolean".split(" "),
);
// The longest name of an object.
const MAX_NAME = 253;
const INT_OR_STRING: readonly SchemaType[] = ["integer", "string"];
const PROSE: ReadonlySet<string> = new Set(["description", "title", "example", "externalDocs"]);
const KNOWN: ReadonlySet<string> = new Set(
  (
    "type nullable properties additionalProperties items default required enum format pattern " +
    "minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems " +
    "maxItems minProperties maxProperties allOf anyOf oneOf not uniqueItems x-kubernetes-int-or-string " +
    "x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource x-kubernetes-list-type " +
    "x-kubernetes-list-map-keys x-kubernetes-map-type x-kubernetes-validations"
  ).split(" "),
);

/**
 * Reads a schema for its structure; what can't be used is left out, and so are the rules unless a
 * compiler is given.
 */
export function readStructure(raw: unknown, rules?: RuleCompiler): Structural {
  return new Reader(rules).read(raw, "");
}

/**
 * Reads a structural schema, compiling its patterns and rules. A keyword that is not known here is
 * a problem, since ignoring it would let pass what the API server refuses.
 */
export function readSchema(raw: unknown): ReadSchema {
  const reader = new Reader(new RuleCompiler());
  const schema = reader.read(raw, "");
  return reader.problems.length === 0
    ? { ok: true, schema }
    : { ok: false, problems: reader.problems };
}

class Reader {
  readonly problems: SchemaProblem[] = [];
  readonly #patterns = new PatternCache();
  readonly #rules: RuleCompiler | undefined;

  /** Without a compiler rules are left out. */
  constructor(rules?: RuleCompiler) {
    this.#rules = rules;
  }

  read(value: unknown, path: string): Structural {
    const raw: RawSchema = isRecord(value) ? value : {};
    if (!isRecord(value)) this.#problem(path, "must be a schema");
    for (const keyword of Object.keys(raw)) {
      if (!KNOWN.has(keyword) && !PROSE.has(keyword)) {
        this.#problem(path, `the keyword ${JSON.stringify(keyword)} is not known here`);
      }
    }
    const intOrString = raw["x-kubernetes-int-or-string"] === true;
    if (raw.type !== undefined && !TYPES.has(raw.type)) this.#problem(path, "type is not known");
    if (raw.uniqueItems === true) this.#problem(path, "uniqueItems may not be true");
    const type = raw.type as SchemaType | undefined;
    const properties = this.#properties(raw, path);
    const additional = this.#additional(raw, path);
    const junctors = this.#junctors(raw, path);
    const items = raw.items === undefined ? undefined : this.read(raw.items, `${path}[]`);
    const children = [...properties.values(), additional, items].filter(
      (node) => node !== undefined,
    );
    const listType = raw["x-kubernetes-list-type"] as Structural["listType"];
    const embeddedResource = raw["x-kubernetes-embedded-resource"] === true;
    const shape: Structural = {
      type,
      types: intOrString ? INT_OR_STRING : type === undefined ? [] : [type],
      nullable: raw.nullable === true,
      intOrString,
      preserveUnknown: raw["x-kubernetes-preserve-unknown-fields"] === true,
      embeddedResource,
      properties,
      visible: visibleFields(
        path === "" || embeddedResource ? this.#wholeObject(properties) : properties,
      ),
      additional,
      additionalAny: raw.additionalProperties === true,
      items,
      default: raw.default ?? undefined,
      listType,
      listMapKeys: strings(raw["x-kubernetes-list-map-keys"]),
      bounds: this.#bounds(raw, intOrString ? undefined : type, path),
      junctors,
      rules: [],
      hasRules: children.some((child) => child.hasRules),
      hasUniqueItems:
        listType === "set" || listType === "map" || children.some((child) => child.hasUniqueItems),
      hasEmbedded: embeddedResource || children.some((child) => child.hasEmbedded),
      defaulted: [...properties].filter(([, property]) => property.default !== undefined),
    };
    const rules = this.#readRules(raw, shape, path);
    return rules.length === 0 ? shape : { ...shape, rules, hasRules: true };
  }

  #wholeObject(properties: ReadonlyMap<string, Structural>): ReadonlyMap<string, Structural> {
    const metadata = properties.get("metadata");
    const isText = (node: Structural | undefined) => node?.type === "string";
    const names = metadata?.properties;
    if (
      isText(properties.get("kind")) &&
      isText(properties.get("apiVersion")) &&
      isText(names?.get("name")) &&
      isText(names?.get("generateName"))
    ) {
      return properties;
    }
    const text = (maxLength?: number) => new Reader().read({ type: "string", maxLength }, "name");
    const name = (key: string, most: number) =>
      text(Math.min(most, names?.get(key)?.bounds.maxLength ?? most));
    const seen = new Reader().read({ type: "object" }, "metadata");
    const known = new Map([
      ["name", name("name", MAX_NAME)],
      ["generateName", name("generateName", MAX_NAME - 1)],
    ]);
    return new Map([
      ...properties,
      ["kind", text()],
      ["apiVersion", text()],
      ["metadata", { ...seen, properties: known, visible: visibleFields(known) }],
    ]);
  }

  #properties(raw: RawSchema, path: string): ReadonlyMap<string, Structural> {
    const properties = isRecord(raw.properties) ? raw.properties : {};
    return new Map(
      Object.keys(properties).map((name) => [
        name,
        this.read(properties[name], path === "" ? name : `${path}.${name}`),
      ]),
    );
  }

  #additional(raw: RawSchema, path: string): Structural | undefined {
    const { additionalProperties } = raw;
    if (additionalProperties === undefined || additionalProperties === true) return undefined;
    if (isRecord(additionalProperties)) return this.read(additionalProperties, `${path}{}`);
    this.#problem(path, "additionalProperties must be a schema or true");
    return undefined;
  }

  #junctors(raw: RawSchema, path: string): Junctors | undefined {
    const list = (keyword: "allOf" | "anyOf" | "oneOf"): readonly Structural[] => {
      const branches = raw[keyword];
      if (branches === undefined) return [];
      if (!Array.isArray(branches)) this.#problem(path, `${keyword} must be a list`);
      return (Array.isArray(branches) ? branches : []).map((branch, index) =>
        this.read(branch, `${path}.${keyword}[${index}]`),
      );
    };
    const not = raw.not === undefined ? undefined : this.read(raw.not, `${path}.not`);
    const anyOf = list("anyOf");
    const anyOfTypes =
      Array.isArray(raw.anyOf) &&
      raw.anyOf.every((one) => isRecord(one) && Object.keys(one).join() === "type");
    const junctors = { allOf: list("allOf"), anyOf, anyOfTypes, oneOf: list("oneOf"), not };
    const count = junctors.allOf.length + junctors.anyOf.length + junctors.oneOf.length;
    return count > 0 || not !== undefined ? junctors : undefined;
  }

  #readRules(raw: RawSchema, shape: Structural, path: string): readonly Rule[] {
    if (this.#rules === undefined) return [];
    const read = readRules(raw, shape, this.#rules);
    for (const { index, message } of read.problems) {
      this.#problem(`${path}.x-kubernetes-validations[${index}]`, message);
    }
    return read.rules;
  }

  #bounds(raw: RawSchema, type: SchemaType | undefined, path: string): Bounds {
    const number = (keyword: string): number | undefined => {
      const value = raw[keyword];
      if (value === undefined || typeof value === "number") return value;
      this.#problem(path, `${keyword} must be a number`);
      return undefined;
    };
    const format = effectiveFormat(type, raw.format);
    return {
      required: strings(raw.required),
      enum: Array.isArray(raw.enum) ? raw.enum : undefined,
      format,
      pattern: this.#pattern(raw.pattern, path),
      minLength: number("minLength"),
      maxLength: number("maxLength"),
      minimum: number("minimum"),
      maximum: number("maximum"),
      exclusiveMinimum: raw.exclusiveMinimum === true,
      exclusiveMaximum: raw.exclusiveMaximum === true,
      multipleOf: number("multipleOf"),
      minItems: number("minItems"),
      maxItems: number("maxItems"),
      minProperties: number("minProperties"),
      maxProperties: number("maxProperties"),
    };
  }

  #pattern(source: unknown, path: string): Bounds["pattern"] {
    if (source === undefined || source === "") return undefined;
    const compiled = this.#patterns.compile(String(source));
    if (compiled.ok) return { source: String(source), compiled: compiled.pattern };
    this.#problem(path, compiled.error);
    return undefined;
  }

  #problem(path: string, message: string): void {
    this.problems.push({ path: path === "" ? "<root>" : path, message });
  }
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function visibleFields(
  properties: ReadonlyMap<string, Structural>,
): ReadonlyMap<string, VisibleField> {
  return new Map(
    [...properties].map(([key, schema]) => {
      const name = escapeName(key);
      // A reserved word is escaped, and yet rules may write it as it is.
      const alias = name === `__${key}__` ? key : undefined;
      return [key, { name, alias, schema }];
    }),
  );
}
