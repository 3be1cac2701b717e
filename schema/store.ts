import { isRecord } from "../kube/object.ts";
import type { UnknownField } from "./definitions.ts";
import { fieldText } from "./field-path.ts";
import { nearestName } from "./nearest-name.ts";
import { FloatLiteral } from "./number.ts";
import type { Structural } from "./structural.ts";

/** An object as the API server stores it, and what it dropped as unknown, sorted by path. */
export interface Stored {
  readonly object: Readonly<Record<string, unknown>>;
  readonly unknown: readonly UnknownField[];
}

const TYPE_AND_META: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Prunes unknown fields, drops nulls and fills in defaults, in that order, into a new object; the
 * one given is left alone. The root's apiVersion, kind and metadata are kept as they are.
 */
export function store(object: Readonly<Record<string, unknown>>, schema: Structural): Stored {
  const root = schema.embeddedResource ? schema : { ...schema, embeddedResource: true };
  const pruned = new Pruned(schema);
  const stored = storeObject(object, root, pruned);
  const unknown = pruned.fields.sort((left, right) => (left.field < right.field ? -1 : 1));
  return { object: stored, unknown };
}

/** Where the walk is, and what it has dropped on the way. */
class Pruned {
  readonly fields: UnknownField[] = [];
  readonly #root: Structural;
  readonly #path: (string | number)[] = [];

  constructor(root: Structural) {
    this.#root = root;
  }

  enter(step: string | number): void {
    this.#path.push(step);
  }

  leave(): void {
    this.#path.pop();
  }

  drop(key: string, schema: Structural | undefined): void {
    const path = [...this.#path, key];
    const nearest = nearestName(key, schema?.properties.keys() ?? []);
    const field = fieldText(path, "dotted", this.#root);
    this.fields.push(nearest === undefined ? { field, path } : { field, path, nearest });
  }
}

function storeValue(value: unknown, schema: Structural | undefined, pruned: Pruned): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return storeList(value, schema, pruned);
  if (isRecord(value) && !(value instanceof FloatLiteral)) {
    return storeObject(value, schema, pruned);
  }
  return value;
}

function storeList(
  list: readonly unknown[],
  schema: Structural | undefined,
  pruned: Pruned,
): unknown[] {
  const items = schema?.items;
  return list.map((item, index) => {
    if (schema?.preserveUnknown && items === undefined) return copy(item);
    if (item === null && items !== undefined && !items.nullable && items.default !== undefined) {
      return fill(items);
    }
    pruned.enter(index);
    const stored = storeValue(item, items, pruned);
    pruned.leave();
    return stored;
  });
}

function storeObject(
  object: Readonly<Record<string, unknown>>,
  schema: Structural | undefined,
  pruned: Pruned,
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
    if (child === undefined) {
      if (schema?.preserveUnknown) put(stored, key, copy(value));
      else pruned.drop(key, schema);
    } else if (value === null && !child.nullable) {
      // A null counts as absent: it takes the default, or goes.
      if (child.default !== undefined) put(stored, key, fill(child));
    } else {
      pruned.enter(key);
      put(stored, key, storeValue(value, child, pruned));
      pruned.leave();
    }
  }
  for (const [name, property] of schema?.defaulted ?? []) {
    if (!Object.hasOwn(stored, name)) put(stored, name, fill(property));
  }
  return stored;
}

/** A node's default, with the defaults below it filled in as well. */
function fill(schema: Structural): unknown {
  return storeValue(schema.default, schema, new Pruned(schema));
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
