import type { SizedType } from "../cel/cost/sized.ts";
import { escapeName } from "../cel/escaping.ts";
import type { Structural } from "./structural.ts";

/** The largest request that the API server reads, in bytes; what has no bound is bounded by it. */
export const MAX_REQUEST = 3 * 1024 * 1024;

const MAX_NAME = 253;
const MAX_GENERATE_NAME = MAX_NAME - 1;
// The longest that a text of these formats gets, and the least that it takes in JSON.
const TIMES: Readonly<Record<string, readonly [max: number, min: number]>> = {
  duration: [32, 3],
  date: [12, 12],
  "date-time": [32, 21],
};

/** How large the values of a schema can be, and the least that one of them takes in JSON. */
export interface Sized extends SizedType {
  readonly minBytes: number;
}

/**
 * The sizes that a schema bounds its values to, as the API server takes them for its estimates;
 * undefined where a schema's values are hidden from rules. `isRoot` says that it is a whole object's.
 */
export function sizedType(schema: Structural, isRoot: boolean): Sized | undefined {
  if (schema.intOrString) return text(maxText(schema, MAX_REQUEST - 2), 1);
  switch (schema.type) {
    case "array":
      return schema.items && sizedList(schema, schema.items);
    case "object":
      return schema.additional === undefined
        ? sizedObject(schema, isRoot)
        : sizedMap(schema, schema.additional);
    case "string":
      return sizedString(schema);
    case "boolean":
      return text(0, 4);
    case "integer":
    case "number":
      return text(0, 1);
    default:
      return undefined;
  }
}

/** How often a value may occur in one request where no bound says it, by the least that it takes. */
export function unboundedCount(minBytes: number): bigint {
  return BigInt(Math.floor(MAX_REQUEST / (minBytes + 1)));
}

function sizedList({ bounds }: Structural, items: Structural): Sized | undefined {
  const element = sizedType(items, items.embeddedResource);
  if (element === undefined) return undefined;
  const most = bounds.maxItems ?? Math.floor((MAX_REQUEST - 2) / (element.minBytes + 1));
  return { maxElements: count(most), element, minBytes: 2 };
}

function sizedMap({ bounds }: Structural, values: Structural): Sized | undefined {
  const element = sizedType(values, values.embeddedResource);
  if (element === undefined) return undefined;
  const most = bounds.maxProperties ?? Math.floor((MAX_REQUEST - 2) / (element.minBytes + 6));
  // The API server sizes no key.
  return { maxElements: count(most), key: text(0, 2), element, minBytes: 2 };
}

function sizedObject(schema: Structural, isRoot: boolean): Sized {
  const fields = new Map<string, SizedType>();
  let minBytes = 2;
  const add = (name: string, field: Sized, isRequired: boolean) => {
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, field);
    if (isRequired) minBytes += Buffer.byteLength(name) + field.minBytes + 4;
  };
  const implied = isRoot && !namesItself(schema) ? objectFields(schema) : new Map<string, Sized>();
  for (const [name, property] of schema.properties) {
    if (implied.has(name)) continue;
    const field = sizedType(property, property.embeddedResource);
    const isRequired = schema.bounds.required.includes(name) && property.default === undefined;
    if (field !== undefined) add(name, field, isRequired);
  }
  for (const [name, field] of implied) add(name, field, schema.bounds.required.includes(name));
  return { maxElements: 0n, fields, minBytes };
}

/** What rules see of every whole object, whether its schema speaks of it or not. */
function objectFields(schema: Structural): ReadonlyMap<string, Sized> {
  const metadata = schema.properties.get("metadata")?.properties;
  const name = (key: string, most: number) =>
    text(4 * Math.min(most, metadata?.get(key)?.bounds.maxLength ?? most), 2);
  const fields = new Map([
    ["name", name("name", MAX_NAME)],
    ["generateName", name("generateName", MAX_GENERATE_NAME)],
  ]);
  return new Map<string, Sized>([
    ["kind", text(MAX_REQUEST - 2, 2)],
    ["apiVersion", text(MAX_REQUEST - 2, 2)],
    ["metadata", { maxElements: 0n, fields, minBytes: 2 }],
  ]);
}

function namesItself({ properties }: Structural): boolean {
  const metadata = properties.get("metadata");
  return (
    properties.get("kind")?.type === "string" &&
    properties.get("apiVersion")?.type === "string" &&
    metadata?.type === "object" &&
    metadata.properties.get("name")?.type === "string" &&
    metadata.properties.get("generateName")?.type === "string"
  );
}

function sizedString(schema: Structural): Sized {
  const { format, maxLength, enum: choices } = schema.bounds;
  const time = format === undefined ? undefined : TIMES[format];
  if (time !== undefined) return text(...time);
  if (format === "byte") return text(maxLength ?? MAX_REQUEST - 2, 2);
  if (maxLength === undefined && choices !== undefined && choices.length > 0) {
    const lengths = choices.map((one) => (typeof one === "string" ? Buffer.byteLength(one) : 0));
    return text(Math.max(...lengths), 2);
  }
  return text(maxText(schema, MAX_REQUEST - 2), 2);
}

// A code point takes four bytes at most.
function maxText({ bounds: { maxLength } }: Structural, otherwise: number): number {
  return maxLength === undefined ? otherwise : 4 * Math.max(0, maxLength);
}

function text(maxElements: number, minBytes: number): Sized {
  return { maxElements: count(maxElements), minBytes };
}

function count(value: number): bigint {
  return value < 0 ? 0n : BigInt(value);
}
