import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { Definitions } from "../schema/definitions.ts";
import { definitionsOf } from "../schema/load.ts";

/** What is shipped beside the program: `../package` in the tree, and from a bundle's directory too. */
const PACKAGE = fileURLToPath(new URL("../package", import.meta.url));

/**
 * Loads the definition of every kind that the function composes,
 * `package/apis/<plural>/definition.yaml`; throws when one is missing, since the program is
 * incomplete then. Schemas are read when a kind is first asked for, since many a process serves but
 * a few. An image may hold them as `definition.json`: reading YAML would keep 15 MB of a small
 * process's memory for nothing.
 */
export function shippedDefinitions(): Definitions {
  return load(composed());
}

/** Loads the definition of every kind that sluice ships: those of `shippedDefinitions`, and the evaluator's. */
export function allDefinitions(): Definitions {
  return load([...composed(), `${PACKAGE}/evaluator/crd`]);
}

function composed(): readonly string[] {
  const apis = `${PACKAGE}/apis`;
  return readdirSync(apis)
    .sort()
    .map((plural) => `${apis}/${plural}/definition`);
}

function load(files: readonly string[]): Definitions {
  const { definitions, errors } = definitionsOf(files.map(readDefinition), true);
  if (errors.length > 0) throw new Error(`broken definitions in ${PACKAGE}: ${errors.join("; ")}`);
  return definitions;
}

function readDefinition(file: string): unknown {
  if (existsSync(`${file}.json`)) return JSON.parse(readFileSync(`${file}.json`, "utf8"));
  return parse(readFileSync(`${file}.yaml`, "utf8"));
}
