import { isRecord } from "../kube/object.ts";
import { FloatLiteral } from "./number.ts";
import type { Structural } from "./structural.ts";

/** An object as the API server stores it, and the paths of what it dropped as unknown, sorted. */
export interface Stored {
  readonly object: Readonly<Record<string, unknown>>;
  readonly unknownFields: readonly string[];
}

const TYPE_AND_META: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Prunes unknown fields, drops nulls and fills in defaults, in that order, into a new object; the
 * one given is left alone. The root's apiVersion, kind and metadata are kept as they are.
 */
export function store(object: Readonly<Record<string, unknown>>, schema: Structural): Stored {
  const unknownFields: string[] = [];
  const root = schema.embeddedResource ? schema : { ...schema, embeddedResource: true };
  const stored = storeObject(object, root, "", unknownFields);
  return { object: stored, unknownFields: unknownFields.sort() };
}

function storeValue(
  value: unknown,
  schema: Structural | undefined,
  path: string,
  unknown: string[],
): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return storeList(value, schema, path, unknown);
  if (isRecord(value) && !(value instanceof FloatLiteral)) {
    return storeObject(value, schema, path, unknown);
  }
  return value;
}

function storeList(
  list: readonly unknown[],
  schema: Structural | undefined,
  path: string,
  unknown: string[],
): unknown[] {
  const items = schema?.items;
  return list.map((item, index) => {
    if (schema?.preserveUnknown && items === undefined) return copy(item);
    if (item === null && items !== undefined && !items.nullable && items.default !== undefined) {
      return fill(items);
    }
    return storeValue(item, items, `${path}[${index}]`, unknown);
  });
}

function storeObject(
  object: Readonly<Record<string, unknown>>,
  schema: Structural | undefined,
  path: string,
  unknown: string[],
): Record<string, unknown> {
  const stored: Record<string, unknown> = {};
  for (const rawKey of Object.keys(object)) {
    const value = object[rawKey];
    if (value === undefined) continue;
    const key = rawKey.toWellFormed();
    if (schema?.embeddedResource && TYPE_AND_META.has(key)) {
      put(stored, key, copy(value));
      continue;
    }
    const child = schema?.properties.get(key) ?? schema?.additional;
    const childPath = path === "" ? key : `${path}.${key}`;
    if (child === undefined) {
      if (schema?.preserveUnknown) put(stored, key, copy(value));
      else unknown.push(childPath);
    } else if (value === null && !child.nullable) {
      // A null counts as absent: it takes the default, or goes.
      if (child.default !== undefined) put(stored, key, fill(child));
    } else {
      put(stored, key, storeValue(value, child, childPath, unknown));
    }
  }
  for (const [name, property] of schema?.defaulted ?? []) {
    if (!Object.hasOwn(stored, name)) put(stored, name, fill(property));
  }
  return stored;
}

/** A node's default, with the defaults below it filled in as well. */
function fill(schema: Structural): unknown {
  return storeValue(schema.default, schema, "", []);
}

/** Copies what no schema speaks of, nulls included. */
function copy(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(copy);
  if (!isRecord(value) || value instanceof FloatLiteral) return value;
  const copied: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== undefined) put(copied, key.toWellFormed(), copy(value[key]));
  }
  return copied;
}

/** Sets an own field; plain assignment of `__proto__` would set the prototype instead. */
function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") target[key] = value;
  else {
    const descriptor = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(target, key, descriptor);
  }
}
