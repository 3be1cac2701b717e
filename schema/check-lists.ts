import { isRecord } from "../kube/object.ts";
import {
  below,
  findingAt,
  listOf,
  recordOf,
  type SchemaPlace,
  unsupported,
} from "./check-schema.ts";
import type { RawSchema } from "./crossplane.ts";
import type { Finding, FindingType } from "./finding.ts";
import { valueText } from "./wording.ts";

const LIST_TYPE = "x-kubernetes-list-type";
const MAP_TYPE = "x-kubernetes-map-type";
const KEYS = "x-kubernetes-list-map-keys";

/** What the API server has against the list and map types of one schema node. */
export function checkListTypes(schema: RawSchema, place: SchemaPlace): readonly Finding[] {
  const findings: Finding[] = [];
  const report = (steps: readonly string[], type: FindingType, message: string) =>
    findings.push(findingAt(below(place, ...steps), type, message));
  const invalid = (steps: readonly string[], value: unknown, why: string) =>
    report(steps, "FieldValueInvalid", `Invalid value: ${valueText(value)}: ${why}`);
  const required = (steps: readonly string[], why: string) =>
    report(steps, "FieldValueRequired", `Required value: ${why}`);

  const { items } = schema;
  const listType = schema[LIST_TYPE];
  const mapType = schema[MAP_TYPE];
  const keys = listOf(schema[KEYS]) as readonly string[];
  checkHost(schema, MAP_TYPE, "object", invalid, required);
  if (typeof mapType === "string" && mapType !== "atomic" && mapType !== "granular") {
    findings.push(unsupported(below(place, MAP_TYPE), mapType, ["atomic", "granular"]));
  }
  const isHosted = checkHost(schema, LIST_TYPE, "array", invalid, required);
  if (isHosted && listType === "set" && isRecord(items)) checkSetItems(items, invalid);
  if (typeof listType === "string" && !["atomic", "set", "map"].includes(listType)) {
    findings.push(unsupported(below(place, LIST_TYPE), listType, ["atomic", "set", "map"]));
  }
  if (keys.length > 0 && listType !== "map") {
    const why = `must be map if ${KEYS} is non-empty`;
    if (listType === undefined) required([LIST_TYPE], why);
    else invalid([LIST_TYPE], listType, why);
  }
  if (listType === "map") {
    if (keys.length === 0) required([KEYS], `must not be empty if ${LIST_TYPE} is map`);
    if (items === undefined) required(["items"], `must have a schema if ${LIST_TYPE} is map`);
    if (isRecord(items)) checkKeys(items, keys, invalid);
  }
  if ((listType === "set" || listType === "map") && isRecord(items)) {
    findings.push(...checkNullable(items, listType, keys, place));
  }
  return findings;
}

type Invalid = (steps: readonly string[], value: unknown, why: string) => void;
type Required = (steps: readonly string[], why: string) => void;

/** A list type belongs to an array, a map type to an object; true when it stands where it should. */
function checkHost(
  schema: RawSchema,
  keyword: string,
  host: "array" | "object",
  invalid: Invalid,
  required: Required,
): boolean {
  if (schema[keyword] === undefined) return false;
  if (schema.type === host) return true;
  const why = `must be ${host} if ${keyword} is specified`;
  if (schema.type === undefined || schema.type === "") required(["type"], why);
  else invalid(["type"], schema.type, why);
  return false;
}

/** Items of a set are compared whole, so they must be atomic. */
function checkSetItems(items: RawSchema, invalid: Invalid): void {
  const why = `must be atomic as item of a list with ${LIST_TYPE}=set`;
  const listType = items[LIST_TYPE] ?? null;
  if (items.type === "array" && listType !== null && listType !== "atomic") {
    invalid(["items", LIST_TYPE], listType, why);
  }
  // The value that the API server prints is that of the list type.
  if (items.type === "object" && items[MAP_TYPE] !== "atomic") {
    invalid(["items", MAP_TYPE], listType, why);
  }
}

function checkKeys(items: RawSchema, keys: readonly string[], invalid: Invalid): void {
  if (items.type !== "object") {
    const why = `must be object if parent array's ${LIST_TYPE} is map`;
    invalid(["items", "type"], items.type ?? "", why);
    return;
  }
  const properties = recordOf(items.properties);
  for (const [index, key] of keys.entries()) {
    if (!Object.hasOwn(properties, key)) {
      invalid([KEYS], keys, "entries must all be names of item properties");
    } else if (["array", "object"].includes(String(recordOf(properties[key]).type))) {
      const why = `must be a scalar type if parent array's ${LIST_TYPE} is map`;
      invalid(["items", "properties", key, "type"], items.type, why);
    }
    if (keys.indexOf(key) < index) invalid([KEYS], keys, "must not contain duplicate entries");
  }
}

/** Neither items nor keys may be null, and every key must be there. */
function checkNullable(
  items: RawSchema,
  listType: "set" | "map",
  keys: readonly string[],
  place: SchemaPlace,
): readonly Finding[] {
  const findings: Finding[] = [];
  if (items.nullable === true) {
    const message = `Forbidden: cannot be nullable when ${LIST_TYPE} is ${listType}`;
    findings.push(findingAt(below(place, "items", "nullable"), "FieldValueForbidden", message));
  }
  const properties = recordOf(items.properties);
  for (const key of listType === "map" ? keys : []) {
    if (!Object.hasOwn(properties, key)) continue;
    const property = recordOf(properties[key]);
    const at = below(place, "items", "properties", key);
    const isKey = `this property is in ${KEYS}`;
    const hasDefault = property.default !== undefined && property.default !== null;
    if (!listOf(items.required).includes(key) && !hasDefault) {
      const why = `${isKey}, so it must have a default or be a required property`;
      const message = `Required value: ${why}`;
      findings.push(findingAt(below(at, "default"), "FieldValueRequired", message));
    }
    if (property.nullable === true) {
      const message = `Forbidden: ${isKey}, so it cannot be nullable`;
      findings.push(findingAt(below(at, "nullable"), "FieldValueForbidden", message));
    }
  }
  return findings;
}
