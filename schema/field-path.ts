import type { Structural } from "./structural.ts";

/** A path into an object, as keys and indexes. */
export type FieldPath = readonly (string | number)[];

/**
 * How the API server writes a path: its schema validation puts a dot before every key, its list and
 * rule checks put the keys of a map in brackets.
 */
export type PathStyle = "dotted" | "bracketed";

/** A path as the API server prints it; the empty path is `<nil>`. */
export function fieldText(path: FieldPath, style: PathStyle, schema: Structural): string {
  if (path.length === 0) return "<nil>";
  let text = "";
  let at: Structural | undefined = schema;
  for (const step of path) {
    if (typeof step === "number") {
      text += `[${step}]`;
      at = at?.items;
      continue;
    }
    const property: Structural | undefined = at?.properties.get(step);
    const isMapKey =
      style === "bracketed" && property === undefined && at?.additional !== undefined;
    if (isMapKey) text += `[${step}]`;
    else text += text === "" ? step : `.${step}`;
    at = property ?? at?.additional;
  }
  return text;
}
