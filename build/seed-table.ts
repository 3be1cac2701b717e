// Takes a table of everything that an XRD demands, so that a test can compare two of them line by
// line. `node build/seed-table.ts FILE` prints the table of FILE as JSON.
import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** Everything that one schema node demands, apart from its children and its prose. */
export interface FieldRow {
  /** `spec.engines[].name`; `{}` stands for every value of a map. */
  readonly path: string;
  /** Every keyword of the node but `description`, `properties`, `items`, `additionalProperties` and rules. */
  readonly keywords: Readonly<Record<string, unknown>>;
}

/** One validation rule, its text with every run of white space as one space. */
export interface RuleRow {
  readonly path: string;
  readonly rule: string;
  readonly message: string | undefined;
  /** What else the rule says: `reason`, `fieldPath`, `messageExpression`, `optionalOldSelf`. */
  readonly more: Readonly<Record<string, unknown>>;
}

/** What an XRD demands of its one version's objects, and how it is named and printed. */
export interface DefinitionTable {
  readonly name: unknown;
  /** The XRD's `spec` without schemas and descriptions. */
  readonly envelope: unknown;
  readonly fields: readonly FieldRow[];
  readonly rules: readonly RuleRow[];
}

interface SchemaNode {
  readonly [keyword: string]: unknown;
}

/** Takes the table of an XRD with one version; throws when the document is something else. */
export function tableOf(document: unknown): DefinitionTable {
  const xrd = document as {
    metadata: { name: unknown };
    spec: { versions: { schema: { openAPIV3Schema: SchemaNode } }[] };
  };
  const [version, ...others] = xrd.spec.versions;
  if (version === undefined || others.length > 0) throw new Error("expected an XRD of one version");
  const fields: FieldRow[] = [];
  const rules: RuleRow[] = [];
  walk(version.schema.openAPIV3Schema, "", fields, rules);
  return {
    name: xrd.metadata.name,
    envelope: withoutProse({
      ...xrd.spec,
      versions: [{ ...version, schema: "see fields and rules" }],
    }),
    fields: fields.sort((left, right) => (left.path < right.path ? -1 : 1)),
    rules,
  };
}

function walk(node: SchemaNode, path: string, fields: FieldRow[], rules: RuleRow[]): void {
  const {
    description: _description,
    properties,
    items,
    additionalProperties,
    "x-kubernetes-validations": validations,
    ...rest
  } = node;
  const keywords =
    typeof additionalProperties === "boolean" ? { ...rest, additionalProperties } : rest;
  fields.push({ path, keywords: sorted(keywords) as Record<string, unknown> });
  for (const entry of (validations ?? []) as Record<string, unknown>[]) {
    const { rule, message, ...more } = entry;
    rules.push({ path, rule: collapse(rule), message: collapse(message), more });
  }
  for (const [name, child] of Object.entries((properties ?? {}) as Record<string, SchemaNode>)) {
    walk(child, path === "" ? name : `${path}.${name}`, fields, rules);
  }
  if (items !== undefined) walk(items as SchemaNode, `${path}[]`, fields, rules);
  if (typeof additionalProperties === "object") {
    walk(additionalProperties as SchemaNode, `${path}{}`, fields, rules);
  }
}

function collapse(text: unknown): string {
  return String(text).trim().replace(/\s+/g, " ");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, sorted(child)]));
}

function withoutProse(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(sorted(value), (key, child) => (key === "description" ? undefined : child)),
  );
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (file === undefined) throw new Error("usage: node build/seed-table.ts FILE");
  console.log(JSON.stringify(tableOf(parse(readFileSync(file, "utf8"))), null, 1));
}
