/** A type of the CEL checker. Objects carry their fields, so that a schema is one such type. */
export type CelType =
  | { readonly kind: Simple }
  | { readonly kind: "list"; readonly element: CelType }
  | { readonly kind: "map"; readonly key: CelType; readonly value: CelType }
  | { readonly kind: "type"; readonly of: CelType | undefined }
  | { readonly kind: "opaque"; readonly name: string; readonly parameters: readonly CelType[] }
  | ObjectType
  | { readonly kind: "parameter"; readonly name: string };

type Simple =
  | ("dyn" | "error" | "null" | "bool" | "int" | "uint")
  | ("double" | "string" | "bytes" | "timestamp" | "duration");

/** An object with declared fields; two are the same type when they have the same name. */
export interface ObjectType {
  readonly kind: "object";
  readonly name: string;
  readonly fields: ReadonlyMap<string, CelType>;
}

/** Any value, of a type that only evaluation finds out. */
export const DYN: CelType = { kind: "dyn" };
/** The type of what has a problem already; it fits anywhere, so that no second problem follows. */
export const ERROR: CelType = { kind: "error" };
/** `null_type`. */
export const NULL: CelType = { kind: "null" };
/** `bool`. */
export const BOOL: CelType = { kind: "bool" };
/** `int`: 64 bits, a bigint. */
export const INT: CelType = { kind: "int" };
/** `uint`: 64 bits without a sign. */
export const UINT: CelType = { kind: "uint" };
/** `double`: a number. */
export const DOUBLE: CelType = { kind: "double" };
/** `string`. */
export const STRING: CelType = { kind: "string" };
/** `bytes`. */
export const BYTES: CelType = { kind: "bytes" };
/** `google.protobuf.Timestamp`. */
export const TIMESTAMP: CelType = { kind: "timestamp" };
/** `google.protobuf.Duration`. */
export const DURATION: CelType = { kind: "duration" };

/** `list(element)`. */
export function listOf(element: CelType): CelType {
  return { kind: "list", element };
}

/** `map(key, value)`. */
export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: "map", key, value };
}

/** A type that only its own functions look into, such as `kubernetes.Quantity`. */
export function opaque(name: string, ...parameters: readonly CelType[]): CelType {
  return { kind: "opaque", name, parameters };
}

/** `optional_type(value)`. */
export function optionalOf(value: CelType): CelType {
  return opaque("optional_type", value);
}

/** What an optional holds, or undefined when the type is no optional. */
export function optionalValue(type: CelType): CelType | undefined {
  return type.kind === "opaque" && type.name === "optional_type" ? type.parameters[0] : undefined;
}

/** The types that a type is made of. */
export function parametersOf(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case "list":
      return [type.element];
    case "map":
      return [type.key, type.value];
    case "type":
      return type.of === undefined ? [] : [type.of];
    case "opaque":
      return type.parameters;
    default:
      return [];
  }
}

/** A type with its parts replaced; the type itself when nothing changes. */
export function mapParameters(type: CelType, change: (part: CelType) => CelType): CelType {
  switch (type.kind) {
    case "list":
      return listOf(change(type.element));
    case "map":
      return mapOf(change(type.key), change(type.value));
    case "type":
      return type.of === undefined ? type : { kind: "type", of: change(type.of) };
    case "opaque":
      return type.parameters.length === 0
        ? type
        : opaque(type.name, ...type.parameters.map(change));
    default:
      return type;
  }
}

/** The name of a type without its parts; same for two types of one constructor. */
export function typeName(type: CelType): string {
  switch (type.kind) {
    case "opaque":
    case "object":
    case "parameter":
      return type.name;
    case "error":
      return "!error!";
    default:
      return type.kind;
  }
}

/** Tells whether two types are the same in every part. */
export function isSameType(left: CelType, right: CelType): boolean {
  if (left === right) return true;
  if (left.kind !== right.kind || typeName(left) !== typeName(right)) return false;
  const [ours, theirs] = [parametersOf(left), parametersOf(right)];
  return (
    ours.length === theirs.length &&
    ours.every((part, index) => isSameType(part, theirs[index] as CelType))
  );
}

/** A type as the API server writes it: `list(string)`, `map(string, int)`. */
export function formatType(type: CelType): string {
  const parts = parametersOf(type);
  if (parts.length === 0) return typeName(type);
  return `${typeName(type)}(${parts.map(formatType).join(", ")})`;
}
