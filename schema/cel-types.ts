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
  STRING,
  TIMESTAMP,
} from "../cel/checking/type.ts";
import type { Structural } from "./structural.ts";

const FORMATS: Readonly<Record<string, CelType>> = {
  byte: BYTES,
  duration: DURATION,
  date: TIMESTAMP,
  "date-time": TIMESTAMP,
};

/**
 * The type under which rules see values of a schema, or undefined where they see none: what has no
 * type, and lists and maps of that. Objects are named after the field that holds them.
 */
export function celTypeOf(schema: Structural, name = "self"): CelType | undefined {
  if (schema.intOrString) return DYN;
  switch (schema.type) {
    case "array": {
      const items = schema.items && celTypeOf(schema.items, `${name}.@idx`);
      return items && listOf(items);
    }
    case "object": {
      if (schema.additional === undefined) return objectType(schema, name);
      const values = celTypeOf(schema.additional, `${name}.@elem`);
      return values && mapOf(STRING, values);
    }
    case "string":
      return FORMATS[schema.bounds.format ?? ""] ?? STRING;
    case "boolean":
      return BOOL;
    case "integer":
      return INT;
    case "number":
      return DOUBLE;
    default:
      return undefined;
  }
}

function objectType(schema: Structural, name: string): CelType {
  const fields = new Map<string, CelType>();
  for (const { name: field, alias, schema: property } of schema.visible.values()) {
    const type = field && celTypeOf(property, `${name}.${field}`);
    if (field && type) fields.set(field, type);
    if (alias && type) fields.set(alias, type);
  }
  return { kind: "object", name, fields };
}
