// JSON as Go's encoding/json writes Kubernetes' types, for hashes that operators in Go have recorded:
// fields in the order of the Go struct, keys of maps sorted, empty fields left out, HTML escaped.
import { sortedKeys } from "./canonical.ts";
import { isRecord } from "./object.ts";
import { formatQuantity, parseQuantity } from "./quantity.ts";

/** Writes a value of one Go type; `undefined` where a field with `omitempty` is left out. */
export type GoType = (value: unknown) => string | undefined;

/** A string; left out when empty. */
export const goString: GoType = (value) =>
  typeof value === "string" && value !== "" ? quoted(value) : undefined;

/** A pointer to an integer; left out when there is none. */
export const goInteger: GoType = (value) => (typeof value === "number" ? `${value}` : undefined);

/** A Quantity, in its canonical form where it has one. */
export const goQuantity: GoType = (value) => {
  const parsed = parseQuantity(String(value));
  return quoted(parsed.ok ? formatQuantity(parsed.quantity) : String(value));
};

/** A field without `omitempty`: written as `empty` where there is nothing. */
export function goKept(type: GoType, empty: string): GoType {
  return (value) => type(value) ?? empty;
}

/** A slice; left out when empty. */
export function goList(items: GoType): GoType {
  return (value) => {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    return `[${value.map((item) => items(item) ?? '""').join(",")}]`;
  };
}

/** A map by strings; left out when empty. */
export function goMap(values: GoType): GoType {
  return (value) => {
    if (!isRecord(value) || Object.keys(value).length === 0) return undefined;
    const members = sortedKeys(value).map((key) => `${quoted(key)}:${values(value[key]) ?? '""'}`);
    return `{${members.join(",")}}`;
  };
}

/** A pointer to a struct with these fields in this order; left out when there is none. */
export function goStruct(fields: Readonly<Record<string, GoType>>): GoType {
  return (value) => {
    if (!isRecord(value)) return undefined;
    const members = Object.entries(fields).flatMap(([name, type]) => {
      const text = type(value[name]);
      return text === undefined ? [] : [`"${name}":${text}`];
    });
    return `{${members.join(",")}}`;
  };
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
