import { PatternCache } from "../cel/pattern.ts";
import { type Rule, RuleCompiler } from "../cel/rules.ts";
import { isRecord } from "../kube/object.ts";
import type { RawSchema } from "./crossplane.ts";
import { effectiveFormat } from "./formats.ts";
import type { Bounds, SchemaProblem, SchemaType, Structural } from "./structural.ts";

/** A schema ready to work with, or everything that keeps it from being used here. */
export type ReadSchema =
  | { readonly ok: true; readonly schema: Structural }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] };

const TYPES: ReadonlySet<unknown> = new Set(
  "object array string integer number boolean".split(" "),
);
const PROSE: ReadonlySet<string> = new Set(["description", "title", "example", "externalDocs"]);
const KNOWN: ReadonlySet<string> = new Set(
  (
    "type nullable properties additionalProperties items default required enum format pattern " +
    "minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems " +
    "maxItems minProperties maxProperties anyOf x-kubernetes-int-or-string " +
    "x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource x-kubernetes-list-type " +
    "x-kubernetes-list-map-keys x-kubernetes-map-type x-kubernetes-validations"
  ).split(" "),
);

/**
 * Reads a structural schema, compiling its patterns and rules. A keyword that is not known here is
 * a problem, since ignoring it would let pass what the API server refuses.
 */
export function readSchema(raw: unknown): ReadSchema {
  const reader = new Reader();
  const schema = reader.read(raw, "");
  return reader.problems.length === 0
    ? { ok: true, schema }
    : { ok: false, problems: reader.problems };
}

class Reader {
  readonly problems: SchemaProblem[] = [];
  readonly #patterns = new PatternCache();
  readonly #rules = new RuleCompiler();

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
    this.#checkAnyOf(raw, intOrString, path);
    const type = raw.type as SchemaType | undefined;
    const properties = this.#properties(raw, path);
    const additional = this.#additional(raw, path);
    const items = raw.items === undefined ? undefined : this.read(raw.items, `${path}[]`);
    const rules = this.#readRules(raw, path);
    const children = [...properties.values(), additional, items].filter(
      (node) => node !== undefined,
    );
    const listType = raw["x-kubernetes-list-type"] as Structural["listType"];
    return {
      type,
      nullable: raw.nullable === true,
      intOrString,
      preserveUnknown: raw["x-kubernetes-preserve-unknown-fields"] === true,
      embeddedResource: raw["x-kubernetes-embedded-resource"] === true,
      properties,
      additional,
      items,
      default: raw.default ?? undefined,
      listType,
      listMapKeys: strings(raw["x-kubernetes-list-map-keys"]),
      bounds: this.#bounds(raw, type, path),
      rules,
      hasRules: rules.length > 0 || children.some((child) => child.hasRules),
      hasUniqueItems:
        listType === "set" || listType === "map" || children.some((child) => child.hasUniqueItems),
      defaulted: [...properties].filter(([, property]) => property.default !== undefined),
    };
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
    if (additionalProperties === undefined) return undefined;
    if (isRecord(additionalProperties)) return this.read(additionalProperties, `${path}{}`);
    this.#problem(path, "additionalProperties must be a schema here");
    return undefined;
  }

  // The one anyOf that is known repeats what int-or-string says.
  #checkAnyOf(raw: RawSchema, intOrString: boolean, path: string): void {
    if (raw.anyOf === undefined) return;
    const repeated = JSON.stringify(raw.anyOf) === '[{"type":"integer"},{"type":"string"}]';
    if (!intOrString || !repeated) this.#problem(path, "anyOf is not known here");
  }

  #readRules(raw: RawSchema, path: string): readonly Rule[] {
    const entries = raw["x-kubernetes-validations"];
    const rules: Rule[] = [];
    for (const [index, entry] of (Array.isArray(entries) ? entries : []).entries()) {
      const where = `${path}.x-kubernetes-validations[${index}]`;
      const { rule, message, ...more } = isRecord(entry) ? entry : {};
      const other = Object.keys(more)[0];
      if (other !== undefined) this.#problem(where, `${JSON.stringify(other)} is not known here`);
      if (typeof rule !== "string" || (message !== undefined && typeof message !== "string")) {
        this.#problem(where, "rule and message must be strings");
        continue;
      }
      const compiled = this.#rules.compile(rule, message);
      if (compiled.ok) {
        rules.push(compiled.rule);
        continue;
      }
      const at = compiled.position === undefined ? "" : ` at character ${compiled.position + 1}`;
      this.#problem(where, `${compiled.message}${at} of ${JSON.stringify(rule)}`);
    }
    return rules;
  }

  #bounds(raw: RawSchema, type: SchemaType | undefined, path: string): Bounds {
    const number = (keyword: string): number | undefined => {
      const value = raw[keyword];
      if (value === undefined || typeof value === "number") return value;
      this.#problem(path, `${keyword} must be a number`);
      return undefined;
    };
    const format = effectiveFormat(type, raw.format as string | undefined);
    if (format === "unknown") {
      this.#problem(path, `the format ${JSON.stringify(raw.format)} is not known here`);
    }
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
