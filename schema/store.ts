import { isRecord } from "../kube/object.ts";
import type { UnknownField } from "./definitions.ts";
import { coerceMetadata } from "./embedded.ts";
import { type FieldPath, fieldText, type PathStyle } from "./field-path.ts";
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
 * one given is left alone. The root's apiVersion and kind are kept as they are, its metadata and
 * that of embedded resources lose what ObjectMeta has no place for.
 */
export function store(object: Readonly<Record<string, unknown>>, schema: Structural): Stored {
  const walk = new Walk(schema);
  const stored = walk.object(object, { ...schema, embeddedResource: true }, false);
  const unknown = walk.unknown.sort((left, right) => (left.field < right.field ? -1 : 1));
  return { object: stored, unknown };
}

/**
 * Where the walk is, and what it has dropped on the way. `keep` is set below a list that stands in
 * a preserve-unknown field: there the items keep what no schema names, whatever they say themselves.
 */
class Walk {
  readonly unknown: UnknownField[] = [];
  readonly #root: Structural;
  readonly #path: (string | number)[] = [];

  constructor(root: Structural) {
    this.#root = root;
  }

  value(value: unknown, schema: Structural | undefined, keep: boolean): unknown {
    if (typeof value === "string") return value.toWellFormed();
    if (Array.isArray(value)) return this.list(value, schema, keep);
    if (isRecord(value) && !(value instanceof FloatLiteral)) {
      return this.object(value, schema, keep);
    }
    return value;
  }

  list(values: readonly unknown[], schema: Structural | undefined, keep: boolean): unknown[] {
    const items = schema?.items;
    const preserve = keep || schema?.preserveUnknown === true;
    if (preserve && items === undefined) return values.map(copy);
    return values.map((item, index) => {
      if (item === null && items?.nullable === false) return this.fill(items) ?? null;
      this.#path.push(index);
      const stored = this.value(item, items, preserve);
      this.#path.pop();
      return stored;
    });
  }

  object(
    object: Readonly<Record<string, unknown>>,
    schema: Structural | undefined,
    keep: boolean,
  ): Record<string, unknown> {
    const stored: Record<string, unknown> = {};
    const preserve = keep || schema?.preserveUnknown === true;
    for (const rawKey of Object.keys(object)) {
      const value = object[rawKey];
      if (value === undefined) continue;
      const key = rawKey.toWellFormed();
      const child = schema?.properties.get(key) ?? schema?.additional;
      if (schema?.embeddedResource && TYPE_AND_META.has(key)) {
        this.#typeOrMeta(stored, key, value, child);
      } else if (child === undefined) {
        if (schema?.additionalAny) this.#enter(stored, key, value, undefined);
        else if (preserve) put(stored, key, copy(value));
        else this.#drop([key], schema?.properties.keys() ?? []);
      } else if (value === null && !child.nullable) {
        // A null counts as absent: it takes the default, or goes.
        if (child.default !== undefined) put(stored, key, this.fill(child));
      } else this.#enter(stored, key, value, child);
    }
    for (const [name, property] of schema?.defaulted ?? []) {
      if (!Object.hasOwn(stored, name)) put(stored, name, this.fill(property));
    }
    return stored;
  }

  /** A node's default, with the defaults below it filled in as well. */
  fill(schema: Structural): unknown {
    return new Walk(schema).value(schema.default, schema, false);
  }

  #enter(
    stored: Record<string, unknown>,
    key: string,
    value: unknown,
    schema: Structural | undefined,
  ): void {
    this.#path.push(key);
    put(stored, key, this.value(value, schema, false));
    this.#path.pop();
  }

  #typeOrMeta(
    stored: Record<string, unknown>,
    key: string,
    value: unknown,
    schema: Structural | undefined,
  ): void {
    const isRoot = this.#path.length === 0;
    if (value === null && schema?.nullable === false && !isRoot) return;
    if (key !== "metadata") put(stored, key, copy(value));
    else {
      const drop = (path: readonly (string | number)[], known: Iterable<string>) =>
        this.#drop(["metadata", ...path], known, "bracketed");
      put(stored, key, coerceMetadata(copy(value), drop));
    }
  }

  #drop(path: FieldPath, known: Iterable<string>, style: PathStyle = "dotted"): void {
    const whole = [...this.#path, ...path];
    const nearest = nearestName(String(path.at(-1)), known);
    const field = fieldText(whole, style, this.#root);
    this.unknown.push(
      nearest === undefined ? { field, path: whole } : { field, path: whole, nearest },
    );
  }
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
