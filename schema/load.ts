import { field, isRecord, type KubeObject, listField, stringField } from "../kube/object.ts";
import { compositeSchema, type RawSchema } from "./crossplane.ts";
import type { Checked, Definition, Definitions } from "./definitions.ts";
import type { Finding } from "./finding.ts";
import { findDuplicates } from "./list-types.ts";
import { readSchema } from "./read-schema.ts";
import { judgeRules } from "./rules.ts";
import { store } from "./store.ts";
import type { Structural } from "./structural.ts";
import { validate } from "./validate.ts";

/** The definitions of an XRD or CRD, one for each served version, or why it can't be used. */
export type LoadedDefinitions =
  | { readonly ok: true; readonly definitions: readonly Definition[] }
  | { readonly ok: false; readonly error: string };

/** Definitions by `apiVersion/kind`, and one error for each document that could not be used. */
export interface DefinitionSet {
  readonly definitions: Definitions;
  readonly errors: readonly string[];
}

/** Tells whether a document is one that `loadDefinition` reads. */
export function definesKinds(document: unknown): boolean {
  return isXrd(document) || isCrd(document);
}

/**
 * Reads an XRD or a CRD. An XRD's schema is completed as Crossplane completes it, so an object with
 * `spec.crossplane` and `status.conditions` keeps them.
 */
export function loadDefinition(document: unknown): LoadedDefinitions {
  if (!definesKinds(document)) {
    return {
      ok: false,
      error: "neither a CompositeResourceDefinition nor a CustomResourceDefinition",
    };
  }
  const name = stringField(document, "metadata", "name") ?? "without a name";
  const group = stringField(document, "spec", "group");
  const kind = stringField(document, "spec", "names", "kind");
  if (group === undefined || kind === undefined) {
    return { ok: false, error: `${name}: spec.group and spec.names.kind must be strings` };
  }
  const spec = field(document, "spec") as RawSchema;
  const definitions: Definition[] = [];
  for (const version of listField(document, "spec", "versions")) {
    if (field(version, "served") === false) continue;
    const versionName = stringField(version, "name");
    const raw = field(version, "schema", "openAPIV3Schema");
    if (versionName === undefined || !isRecord(raw)) {
      return { ok: false, error: `${name}: a version needs a name and schema.openAPIV3Schema` };
    }
    const read = readSchema(isXrd(document) ? compositeSchema(raw, spec) : raw);
    if (!read.ok) {
      const [first] = read.problems;
      return { ok: false, error: `${name} ${versionName}: ${first?.path}: ${first?.message}` };
    }
    definitions.push(new SchemaDefinition(`${group}/${versionName}`, kind, read.schema));
  }
  return { ok: true, definitions };
}

/** Gathers the definitions of many documents; of two for the same kind the later one wins. */
export function definitionsOf(documents: Iterable<unknown>): DefinitionSet {
  const definitions = new Map<string, Definition>();
  const errors: string[] = [];
  for (const document of documents) {
    const loaded = loadDefinition(document);
    if (!loaded.ok) errors.push(loaded.error);
    else
      for (const one of loaded.definitions) definitions.set(`${one.apiVersion}/${one.kind}`, one);
  }
  return { definitions, errors };
}

function isXrd(document: unknown): boolean {
  const apiVersion = stringField(document, "apiVersion") ?? "";
  return (
    apiVersion.startsWith("apiextensions.crossplane.io/") &&
    stringField(document, "kind") === "CompositeResourceDefinition"
  );
}

function isCrd(document: unknown): boolean {
  const apiVersion = stringField(document, "apiVersion");
  const kind = stringField(document, "kind");
  return apiVersion === "apiextensions.k8s.io/v1" && kind === "CustomResourceDefinition";
}

const BLOCKING: ReadonlySet<string> = new Set([
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueNotSupported",
  "FieldValueTypeInvalid",
]);

const RULES_NOT_CHECKED: Finding = {
  type: "FieldValueInvalid",
  field: "<nil>",
  path: [],
  message:
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
};

class SchemaDefinition implements Definition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly #schema: Structural;

  constructor(apiVersion: string, kind: string, schema: Structural) {
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.#schema = schema;
  }

  check(object: KubeObject, written: "object" | "status" = "object"): Checked {
    const { status, ...rest } = object;
    if (written === "status" || status === undefined) return this.#judge(object);
    const checked = this.#judge(rest as KubeObject);
    return { ...checked, object: { ...checked.object, status } };
  }

  #judge(object: KubeObject): Checked {
    const { object: stored, unknown } = store(object, this.#schema);
    const findings = [...validate(stored, this.#schema), ...findDuplicates(stored, this.#schema)];
    if (findings.some((finding) => BLOCKING.has(finding.type))) findings.push(RULES_NOT_CHECKED);
    else findings.push(...judgeRules(stored, this.#schema));
    const unknownFields = unknown.map(({ field: text }) => text);
    return { object: stored as KubeObject, findings, unknownFields, unknown };
  }
}
