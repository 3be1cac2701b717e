import { PatternCache } from "../cel/pattern.ts";
import { isRecord } from "../kube/object.ts";
import { below, findingAt, listOf, recordOf, type SchemaPlace } from "./check-schema.ts";
import type { RawSchema } from "./crossplane.ts";
import type { Finding, FindingType } from "./finding.ts";
import { valueText } from "./wording.ts";

type Level = "root" | "item" | "field";

const INT_OR_STRING = '[{"type":"integer"},{"type":"string"}]';
const EMBEDDED = "x-kubernetes-embedded-resource";
const PRESERVE = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING_KEYWORD = "x-kubernetes-int-or-string";
const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};
// What decides about an object's shape must not stand under allOf, anyOf, oneOf and not.
const SHAPING: readonly (readonly [keyword: string, why: string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  [PRESERVE, "must be false to be structural"],
  [EMBEDDED, "must be false to be structural"],
  [INT_OR_STRING_KEYWORD, "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

/** What keeps a schema from being structural, in the API server's words (apiextensions `schema/validation.go`). */
export function checkStructural(schema: RawSchema, place: SchemaPlace): readonly Finding[] {
  const check = new StructuralCheck();
  check.node(schema, "root", place);
  check.isComplete(schema, schema, place, place);
  return check.findings;
}

class StructuralCheck {
  readonly findings: Finding[] = [];
  readonly #patterns = new PatternCache();

  node(schema: RawSchema, level: Level, place: SchemaPlace): void {
    const { type, items, additionalProperties } = schema;
    const properties = recordOf(schema.properties);
    if (type === "array" && items === undefined) {
      this.#required(below(place, "items"), "must be specified");
    }
    if (isRecord(items)) this.node(items, "item", below(place, "items"));
    for (const [name, property] of Object.entries(properties)) {
      this.node(recordOf(property), "field", below(place, "properties", name));
    }
    if (additionalProperties !== undefined && level === "root") {
      this.#forbid(below(place, "additionalProperties"), "must not be used at the root");
    }
    if (isRecord(additionalProperties)) {
      this.node(additionalProperties, "field", below(place, "additionalProperties"));
    }
    this.#checkExtensions(schema, level, place);
    const skip = {
      anyOf: JSON.stringify(schema.anyOf) === INT_OR_STRING,
      inAllOf: JSON.stringify(recordOf(listOf(schema.allOf)[0]).anyOf) === INT_OR_STRING,
    };
    this.#junctors(schema, skip, place);
    if (level === "root" && type !== undefined && type !== "" && type !== "object") {
      this.#invalid(below(place, "type"), type, "must be object at the root");
    }
    this.#checkMeta(schema, level, place);
  }

  #checkExtensions(schema: RawSchema, level: Level, place: SchemaPlace): void {
    const { type } = schema;
    const isEmbedded = schema[EMBEDDED] === true;
    const isTypeless = type === undefined || type === "";
    if (schema[INT_OR_STRING_KEYWORD] === true) {
      for (const keyword of [PRESERVE, EMBEDDED]) {
        if (schema[keyword] !== true) continue;
        const why = `must be false if ${INT_OR_STRING_KEYWORD} is true`;
        this.#invalid(below(place, keyword), true, why);
      }
    }
    if (isEmbedded && type !== "object") {
      const why = `must be object if ${EMBEDDED} is true`;
      if (isTypeless) this.#required(below(place, "type"), why);
      else this.#invalid(below(place, "type"), type, why);
    } else if (isTypeless && !schema[INT_OR_STRING_KEYWORD] && !schema[PRESERVE]) {
      this.#required(below(place, "type"), MISSING_TYPE[level]);
    }
    if (isEmbedded && schema.additionalProperties !== undefined) {
      const why = `must not be used if ${EMBEDDED} is set`;
      this.#forbid(below(place, "additionalProperties"), why);
    }
    const isEmpty = Object.keys(recordOf(schema.properties)).length === 0;
    if (isEmbedded && !schema[PRESERVE] && isEmpty) {
      const why = `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`;
      this.#required(below(place, "properties"), why);
    }
  }

  #checkMeta(schema: RawSchema, level: Level, place: SchemaPlace): void {
    if (level !== "root" && schema[EMBEDDED] !== true) return;
    const properties = recordOf(schema.properties);
    for (const name of ["kind", "apiVersion"]) {
      if (!Object.hasOwn(properties, name)) continue;
      const { type } = recordOf(properties[name]);
      if (type === "string") continue;
      this.#invalid(below(place, "properties", name, "type"), type ?? "", "must be string");
    }
    if (!Object.hasOwn(properties, "metadata")) return;
    const metadata = recordOf(properties.metadata);
    const at = below(place, "properties", "metadata");
    if (metadata.type !== "object") {
      this.#invalid(below(at, "type"), metadata.type ?? "", "must be object");
    }
    if (level !== "root") return;
    const { type: _type, properties: names, default: _default, ...rest } = metadata;
    const isNarrow = Object.keys(recordOf(names)).every(
      (name) => name === "name" || name === "generateName",
    );
    const isMore = Object.keys(rest).some(
      (keyword) => !PROSE.has(keyword) && !isUnset(rest[keyword]),
    );
    if (isNarrow && !isMore) return;
    const why =
      "must not specify anything other than name and generateName, but metadata is implicitly specified";
    this.#forbid(at, why);
  }

  #junctors(
    schema: RawSchema,
    skip: { readonly anyOf: boolean; readonly inAllOf: boolean },
    place: SchemaPlace,
  ): void {
    for (const junctor of ["anyOf", "allOf", "oneOf"]) {
      if (junctor === "anyOf" && skip.anyOf) continue;
      for (const [index, branch] of listOf(schema[junctor]).entries()) {
        const inner = { anyOf: junctor === "allOf" && index === 0 && skip.inAllOf, inAllOf: false };
        this.#nested(recordOf(branch), inner, below(place, junctor, index));
      }
    }
    const none = { anyOf: false, inAllOf: false };
    if (isRecord(schema.not)) this.#nested(schema.not, none, below(place, "not"));
    const { pattern } = schema;
    if (typeof pattern !== "string" || pattern === "") return;
    const compiled = this.#patterns.compile(pattern);
    if (compiled.ok) return;
    const why = `must be a valid regular expression, but isn't: ${compiled.error}`;
    this.#invalid(below(place, "pattern"), pattern, why);
  }

  #nested(
    schema: RawSchema,
    skip: { readonly anyOf: boolean; readonly inAllOf: boolean },
    place: SchemaPlace,
  ): void {
    const none = { anyOf: false, inAllOf: false };
    this.#junctors(schema, skip, place);
    if (isRecord(schema.items)) this.#nested(schema.items, none, below(place, "items"));
    const properties = recordOf(schema.properties);
    for (const [name, property] of Object.entries(properties)) {
      this.#nested(recordOf(property), none, below(place, "properties", name));
    }
    for (const [keyword, why] of SHAPING) {
      const value = schema[keyword];
      if (isUnset(value) || (Array.isArray(value) && value.length === 0)) continue;
      this.#forbid(below(place, keyword), why);
    }
    if (Object.hasOwn(properties, "metadata")) {
      const at = below(place, "properties", "metadata");
      this.#forbid(at, "must not be specified in a nested context");
    }
  }

  /** Whatever is demanded under a junctor must also stand in the schema itself. */
  isComplete(
    demands: RawSchema,
    schema: RawSchema | undefined,
    place: SchemaPlace,
    from: SchemaPlace,
  ): void {
    if (schema === undefined) {
      this.#required(place, `because it is defined in ${from.field}`);
      return;
    }
    for (const junctor of ["allOf", "anyOf", "oneOf"]) {
      for (const [index, branch] of listOf(demands[junctor]).entries()) {
        this.#hasAll(recordOf(branch), schema, place, below(from, junctor, index));
      }
    }
    if (isRecord(demands.not)) this.#hasAll(demands.not, schema, place, below(from, "not"));
  }

  #hasAll(
    demands: RawSchema,
    schema: RawSchema | undefined,
    place: SchemaPlace,
    from: SchemaPlace,
  ): void {
    this.isComplete(demands, schema, place, from);
    if (schema === undefined) return;
    if (isRecord(demands.items)) {
      const items = isRecord(schema.items) ? schema.items : undefined;
      this.#hasAll(demands.items, items, below(place, "items"), below(from, "items"));
    }
    const properties = recordOf(schema.properties);
    for (const [name, property] of Object.entries(recordOf(demands.properties))) {
      const known = Object.hasOwn(properties, name) ? recordOf(properties[name]) : undefined;
      const [at, origin] = [below(place, "properties", name), below(from, "properties", name)];
      this.#hasAll(recordOf(property), known, at, origin);
    }
  }

  #required(place: SchemaPlace, why: string): void {
    this.#report(place, "FieldValueRequired", `Required value: ${why}`);
  }

  #forbid(place: SchemaPlace, why: string): void {
    this.#report(place, "FieldValueForbidden", `Forbidden: ${why}`);
  }

  #invalid(place: SchemaPlace, value: unknown, why: string): void {
    this.#report(place, "FieldValueInvalid", `Invalid value: ${valueText(value)}: ${why}`);
  }

  #report(place: SchemaPlace, type: FindingType, message: string): void {
    this.findings.push(findingAt(place, type, message));
  }
}

// What the API server forgets when it reads a schema as a structural one.
const PROSE: ReadonlySet<string> = new Set(["example", "externalDocs"]);

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === false;
}
