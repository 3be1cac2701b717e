/** A JSON value as it travels between the API server, Crossplane and us. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** The part of Kubernetes ObjectMeta that sluice reads or writes; times are RFC 3339 strings. */
export interface ObjectMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Any Kubernetes object: the type's two names, metadata, and fields that a decoder must check. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ObjectMeta;
  readonly [field: string]: unknown;
}

/** Tells whether a value is a plain JSON object (neither null nor a list). */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads a nested own field of untrusted data, `undefined` where any step is missing or is no
 * object; never reaches a prototype.
 */
export function field(value: unknown, ...path: readonly string[]): unknown {
  let at: unknown = value;
  for (const key of path) {
    if (!isRecord(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}

/** Reads a nested string of untrusted data, `undefined` where it is missing or of another type. */
export function stringField(value: unknown, ...path: readonly string[]): string | undefined {
  const found = field(value, ...path);
  return typeof found === "string" ? found : undefined;
}

/** Reads a nested finite number of untrusted data, `undefined` where it is missing or of another type. */
export function numberField(value: unknown, ...path: readonly string[]): number | undefined {
  const found = field(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** Reads a nested list of untrusted data, empty where it is missing or of another type. */
export function listField(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = field(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Reads a nested map of strings of untrusted data, such as labels; values of other types are left out. */
export function stringsField(
  value: unknown,
  ...path: readonly string[]
): Readonly<Record<string, string>> {
  const found = field(value, ...path);
  if (!isRecord(found)) return {};
  return Object.fromEntries(
    Object.entries(found).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
}
