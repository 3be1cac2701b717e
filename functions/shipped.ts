import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { Definitions } from "../schema/definitions.ts";
import { definitionsOf } from "../schema/load.ts";

/** The definitions beside the program: `../package` in the tree, and from a bundle's directory too. */
const APIS = fileURLToPath(new URL("../package/apis", import.meta.url));

/**
 * Loads the definition of every kind that sluice ships, `package/apis/<plural>/definition.yaml`;
 * throws when one is missing, since the program is incomplete then. Schemas are read when a kind is
 * first asked for, since many a process serves but a few. An image may hold them as
 * `definition.json`: reading YAML would keep 15 MB of a small process's memory for nothing.
 */
export function shippedDefinitions(): Definitions {
  const documents = readdirSync(APIS)
    .sort()
    .map((plural) => readDefinition(`${APIS}/${plural}`));
  const { definitions, errors } = definitionsOf(documents, true);
  if (errors.length > 0) throw new Error(`broken definitions in ${APIS}: ${errors.join("; ")}`);
  return definitions;
}

function readDefinition(directory: string): unknown {
  const json = `${directory}/definition.json`;
  if (existsSync(json)) return JSON.parse(readFileSync(json, "utf8"));
  return parse(readFileSync(`${directory}/definition.yaml`, "utf8"));
}
