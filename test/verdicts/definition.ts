import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Definition } from "../../schema/definitions.ts";
import { loadDefinition } from "../../schema/load.ts";

/** Loads the one version of a shipped kind; throws when its definition is broken. */
export function shippedDefinition(plural: string): Definition {
  const url = new URL(`../../package/apis/${plural}/definition.yaml`, import.meta.url);
  const loaded = loadDefinition(parse(readFileSync(url, "utf8")));
  const [definition] = loaded.ok ? loaded.definitions : [];
  if (definition === undefined) throw new Error(loaded.ok ? "no version" : loaded.error);
  return definition;
}
