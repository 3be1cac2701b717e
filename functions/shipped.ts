import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { Definitions } from "../schema/definitions.ts";
import { definitionsOf } from "../schema/load.ts";

/** The definitions beside the program: `../package` in the tree, and from a bundle's directory too. */
const APIS = fileURLToPath(new URL("../package/apis", import.meta.url));

/**
 * Loads the definition of every kind that sluice ships, `package/apis/<plural>/definition.yaml`;
 * throws when one is missing or broken, since the program is incomplete then.
 */
export function shippedDefinitions(): Definitions {
  const documents = readdirSync(APIS)
    .sort()
    .map((plural) => parse(readFileSync(`${APIS}/${plural}/definition.yaml`, "utf8")));
  const { definitions, errors } = definitionsOf(documents);
  if (errors.length > 0) throw new Error(`broken definitions in ${APIS}: ${errors.join("; ")}`);
  return definitions;
}
