import type { SizedType } from "../cel/cost/sized.ts";
import type { Structural } from "./structural.ts";

/** The largest request that the API server reads, in bytes; what has no bound is bounded by it. */
const MAX_REQUEST = 3 * 1024 * 1024;

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
 * The sizes that a schema bounds its values to, as the API server takes them for its estimates; undefined
 * where a schema's values are hidden from rules.
 */
export function sizedType(schema: Structural): Sized | undefined {
  if (schema.intOrString) return text(maxText(schema, MAX_REQUEST - 2), 1);
  switch (schema.type) {
    case "array":
      return schema.items && sizedList(schema, schema.items);
    case "object":
      return schema.additional === undefined
        ? sizedObject(schema)
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
  const element = sizedType(items);
  if (element === undefined) return undefined;
  const most = bounds.maxItems ?? Math.floor((MAX_REQUEST - 2) / (element.minBytes + 1));
  return { maxElements: count(most), element, minBytes: 2 };
}

function sizedMap({ bounds }: Structural, values: Structural): Sized | undefined {
  const element = sizedType(values);
  if (element === undefined) return undefined;
  const most = bounds.maxProperties ?? Math.floor((MAX_REQUEST - 2) / (element.minBytes + 6));
  // The API server sizes no key.
  return { maxElements: count(most), key: text(0, 2), element, minBytes: 2 };
}

function sizedObject(schema: Structural): Sized {
  const fields = new Map<string, SizedType>();
  let minBytes = 2;
  for (const [name, { name: visibleName, schema: property }] of schema.visible) {
    const field = sizedType(property);
    if (field === undefined) continue;
    if (visibleName !== undefined) fields.set(visibleName, field);
    const isRequired = schema.bounds.required.includes(name) && property.default === undefined;
    if (isRequired) minBytes += Buffer.byteLength(name) + field.minBytes + 4;
  }
  return { maxElements: 0n, fields, minBytes };
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
