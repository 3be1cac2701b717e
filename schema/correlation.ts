import { isRecord } from "../kube/object.ts";
import { quote } from "../kube/quote.ts";
import { FloatLiteral, jsonType } from "./number.ts";
import type { Structural } from "./structural.ts";
import { floatText } from "./wording.ts";

/**
 * A value of an update beside the one that it replaces, as far as the API server can tell which that
 * is: properties and map entries by name, items of a list of type map by their keys, items of any
 * other list not at all.
 */
export class Correlation {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: Structural;
  readonly #children = new Map<string | number, Correlation | undefined>();
  #oldItems: KeyedItems | undefined;
  #equal: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: Structural) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  /** What is below a property, a map entry or an item, if the old value has one that it replaces. */
  child(step: string | number): Correlation | undefined {
    if (!this.#children.has(step)) {
      const child = typeof step === "number" ? this.#item(step) : this.#property(step);
      this.#children.set(step, child);
    }
    return this.#children.get(step);
  }

  /**
   * Whether the value is as it was. Errors in such a value are no reason to refuse an update. As in
   * the API server, an object with fields that no schema names never counts as unchanged.
   */
  get isUnchanged(): boolean {
    this.#equal ??= this.#isEqual();
    return this.#equal;
  }

  #property(name: string): Correlation | undefined {
    const { value, old } = this;
    if (!isObject(value) || !isObject(old)) return undefined;
    if (!Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
    const schema = this.#schema.properties.get(name) ?? this.#schema.additional;
    return schema && new Correlation(value[name], old[name], schema);
  }

  #item(index: number): Correlation | undefined {
    const { value, old } = this;
    const { items } = this.#schema;
    if (!Array.isArray(value) || !Array.isArray(old) || items === undefined) return undefined;
    this.#oldItems ??= new KeyedItems(this.#schema, old);
    const replaced = this.#oldItems.get(value[index]);
    return replaced === undefined ? undefined : new Correlation(value[index], replaced, items);
  }

  #isEqual(): boolean {
    const { value, old } = this;
    if (Array.isArray(value) || Array.isArray(old)) {
      if (!Array.isArray(value) || !Array.isArray(old) || value.length !== old.length) return false;
      if (this.#schema.listType !== "map") return isSame(value, old);
      return value.every((_, index) => this.child(index)?.isUnchanged === true);
    }
    if (isObject(value) || isObject(old)) {
      if (!isObject(value) || !isObject(old)) return false;
      const names = Object.keys(value);
      if (names.length !== Object.keys(old).length) return false;
      return names.every((name) => this.child(name)?.isUnchanged === true);
    }
    return isSame(value, old);
  }
}

/** The items of a list of type map by their keys; of any other list there are none. */
export class KeyedItems {
  readonly #keyNames: readonly string[];
  readonly #items = new Map<string, unknown>();

  constructor(schema: Structural, items: readonly unknown[]) {
    this.#keyNames = schema.listType === "map" ? schema.listMapKeys : [];
    for (const item of items) {
      const key = this.#keyOf(item);
      // Of several with one key the first counts.
      if (key !== undefined && !this.#items.has(key)) this.#items.set(key, item);
    }
  }

  /** The item that has the keys of the one given. */
  get(like: unknown): unknown {
    const key = this.#keyOf(like);
    return key === undefined ? undefined : this.#items.get(key);
  }

  #keyOf(item: unknown): string | undefined {
    if (this.#keyNames.length === 0 || !isObject(item)) return undefined;
    const parts: string[] = [];
    for (const name of this.#keyNames) {
      const part = Object.hasOwn(item, name) ? keyText(item[name]) : undefined;
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return parts.join("\0");
  }
}

function keyText(value: unknown): string | undefined {
  switch (jsonType(value)) {
    case "string":
      return quote(value as string);
    case "integer":
      return String(BigInt(value as number | bigint));
    case "number":
      return `float ${floatText(numberOf(value))}`;
    case "boolean":
      return String(value);
    default:
      return undefined;
  }
}

/** Whether two values are the same JSON; a whole number written as a float is not the integer. */
export function isSame(left: unknown, right: unknown): boolean {
  const type = jsonType(left);
  if (type !== jsonType(right)) return false;
  switch (type) {
    case "integer":
      return BigInt(left as number | bigint) === BigInt(right as number | bigint);
    case "number":
      return numberOf(left) === numberOf(right);
    case "array": {
      const [items, others] = [left as readonly unknown[], right as readonly unknown[]];
      return (
        items.length === others.length && items.every((item, index) => isSame(item, others[index]))
      );
    }
    case "object": {
      const [object, other] = [left as JsonObject, right as JsonObject];
      const names = Object.keys(object);
      return (
        names.length === Object.keys(other).length &&
        names.every((name) => Object.hasOwn(other, name) && isSame(object[name], other[name]))
      );
    }
    default:
      return left === right;
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return isRecord(value) && !(value instanceof FloatLiteral);
}

function numberOf(value: unknown): number {
  return value instanceof FloatLiteral ? value.value : Number(value);
}
