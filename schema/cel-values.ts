import { UnreadableValue } from "../cel/values.ts";
import { isRecord } from "../kube/object.ts";
import { FloatLiteral } from "./number.ts";
import type { Structural } from "./structural.ts";

/**
 * A stored value as CEL sees it: objects and maps as Map, so that no key can reach a prototype,
 * integers as bigint by schema, and nothing of what the schema does not name.
 */
export function toCel(value: unknown, schema: Structural): unknown {
  if (value === null) return null;
  if (schema.intOrString) return intOrString(value);
  switch (schema.type) {
    case "integer":
      return value instanceof FloatLiteral
        ? new UnreadableValue("invalid data, expected int, got float64")
        : toInt(value);
    case "number":
      return value instanceof FloatLiteral ? value.value : Number(value);
    case "string":
      return schema.bounds.format === undefined || schema.bounds.format === "password"
        ? value
        : new UnreadableValue(`strings of format ${schema.bounds.format} are not known here`);
    case "array":
      return toList(value, schema);
    case "object":
      return toMap(value, schema);
    case "boolean":
      return value;
    default:
      return new UnreadableValue("a value without a declared type can't be read");
  }
}

function toInt(value: unknown): unknown {
  return typeof value === "number" ? BigInt(value) : value;
}

function intOrString(value: unknown): unknown {
  return value instanceof FloatLiteral
    ? new UnreadableValue(
        "invalid data, expected XIntOrString value to be either a string or integer",
      )
    : toInt(value);
}

function toList(value: unknown, schema: Structural): unknown {
  const { items } = schema;
  if (!Array.isArray(value) || items === undefined) return [];
  return value.map((item) => toCel(item, items));
}

function toMap(value: unknown, schema: Structural): ReadonlyMap<string, unknown> {
  const map = new Map<string, unknown>();
  if (!isRecord(value)) return map;
  for (const key of Object.keys(value)) {
    const child = schema.properties.get(key) ?? schema.additional;
    if (child !== undefined) map.set(key, toCel(value[key], child));
  }
  return map;
}
