import { KeyedList, PreservedValue, SetList } from "../cel/list-values.ts";
import { UnreadableValue } from "../cel/values.ts";
import { isRecord } from "../kube/object.ts";
import { toDuration, toTimestamp } from "./cel-times.ts";
import { FloatLiteral } from "./number.ts";
import type { Structural } from "./structural.ts";
import { jsonText } from "./wording.ts";

/**
 * A stored value as CEL sees it: objects and maps as Map, so that no key can reach a prototype, with
 * properties under their escaped names; integers as bigint by schema. What no schema describes can
 * only be compared.
 */
export function toCel(value: unknown, schema: Structural): unknown {
  if (value === null) {
    if (schema.nullable) return null;
    return new UnreadableValue("invalid data, got null for schema with nullable=false");
  }
  if (schema.intOrString) return intOrString(value);
  switch (schema.type) {
    case "integer":
      return toInt(value);
    case "number":
      if (value instanceof FloatLiteral) return value.value;
      return typeof value === "number" || typeof value === "bigint"
        ? Number(value)
        : unreadable("float", value);
    case "string":
      return typeof value === "string" ? toText(value, schema) : unreadable("string", value);
    case "array":
      return toList(value, schema);
    case "object":
      return isRecord(value)
        ? toMap(value, schema)
        : new UnreadableValue(
            "invalid data, expected a map for the provided schema with type=object",
          );
    case "boolean":
      return typeof value === "boolean" ? value : unreadable("bool", value);
    default:
      return new PreservedValue(() => jsonText(value), true);
  }
}

function unreadable(expected: string, value: unknown): UnreadableValue {
  return new UnreadableValue(`invalid data, expected ${expected}, got ${goType(value)}`);
}

function goType(value: unknown): string {
  if (value instanceof FloatLiteral) return "float64";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    default:
      return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
  }
}

function toInt(value: unknown): unknown {
  if (typeof value === "bigint") return value;
  return Number.isInteger(value) ? BigInt(value as number) : unreadable("int", value);
}

function intOrString(value: unknown): unknown {
  if (typeof value === "string" || typeof value === "bigint") return value;
  if (Number.isInteger(value)) return BigInt(value as number);
  return new UnreadableValue(
    "invalid data, expected XIntOrString value to be either a string or integer",
  );
}

function toText(text: string, { bounds: { format } }: Structural): unknown {
  switch (format) {
    case undefined:
      return text;
    case "date":
    case "date-time":
      return toTimestamp(text, format);
    case "duration":
      return toDuration(text);
    case "byte":
      return new Uint8Array(Buffer.from(text, "base64"));
    default:
      return text;
  }
}

function toList(value: unknown, schema: Structural): unknown {
  const { items } = schema;
  if (!Array.isArray(value)) {
    return new UnreadableValue(
      "invalid data, expected an array for the provided schema with type=array",
    );
  }
  if (items === undefined) {
    return new UnreadableValue("invalid array type, expected Items with a non-empty Schema");
  }
  const list = value.map((item) => toCel(item, items));
  switch (schema.listType) {
    case "set":
      return SetList.holding(list);
    case "map":
      return KeyedList.withKeys(list, keyNames(items, schema.listMapKeys));
    default:
      return list;
  }
}

function toMap(
  value: Readonly<Record<string, unknown>>,
  schema: Structural,
): ReadonlyMap<string, unknown> {
  const map = new Map<string, unknown>();
  const { additional, visible } = schema;
  if (additional !== undefined) {
    for (const key of Object.keys(value)) map.set(key, toCel(value[key], additional));
    return map;
  }
  for (const key of Object.keys(value)) {
    const part = value[key];
    const field = visible.get(key);
    if (field === undefined) map.set(key, new PreservedValue(() => jsonText(part), false));
    // A null in an object is as good as absent.
    else if (part !== null) {
      const seen = toCel(part, field.schema);
      map.set(field.name ?? key, seen);
      if (field.alias !== undefined) map.set(field.alias, seen);
    }
  }
  return map;
}

function keyNames({ visible }: Structural, keys: readonly string[]): readonly string[] {
  return keys.map((key) => visible.get(key)?.name ?? key);
}
