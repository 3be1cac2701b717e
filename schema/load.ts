import { field, isRecord, type KubeObject, listField, stringField } from "../kube/object.ts";
import { Correlation } from "./correlation.ts";
import { compositeSchema, type RawSchema } from "./crossplane.ts";
import type { Checked, Definition, Definitions } from "./definitions.ts";
import { validateEmbedded } from "./embedded.ts";
import type { Finding } from "./finding.ts";
import { findDuplicates } from "./list-types.ts";
import { dropUnchanged } from "./ratchet.ts";
import { readSchema } from "./read-schema.ts";
import { judgeRules } from "./rules.ts";
import { scaleFindings } from "./scale.ts";
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
 * `spec.crossplane` and `status.conditions` keeps them. The schema of a document that is known to be
 * in order is read when it is first asked for, which throws if it is broken: rules take memory.
 */
export function loadDefinition(document: unknown, inOrder = false): LoadedDefinitions {
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
    const readNow = () => readSchema(isXrd(document) ? compositeSchema(raw, spec) : raw);
    const read = inOrder ? undefined : readNow();
    if (read?.ok === false) {
      const [first] = read.problems;
      return { ok: false, error: `${name} ${versionName}: ${first?.path}: ${first?.message}` };
    }
    const hasStatus = isXrd(document) || isRecord(field(version, "subresources", "status"));
    const apiVersion = `${group}/${versionName}`;
    // An XRD's scope is Namespaced if it says none.
    const namespaced = (stringField(document, "spec", "scope") ?? "Namespaced") === "Namespaced";
    definitions.push(
      new SchemaDefinition(
        { apiVersion, kind, namespaced },
        { hasStatus, scale: stringField(version, "subresources", "scale", "specReplicasPath") },
        () => read ?? readNow(),
      ),
    );
  }
  return { ok: true, definitions };
}

/** Gathers the definitions of many documents, as `loadDefinition` reads each; of two for the same kind the later one wins. */
export function definitionsOf(documents: Iterable<unknown>, inOrder = false): DefinitionSet {
  const definitions = new Map<string, Definition>();
  const errors: string[] = [];
  for (const document of documents) {
    const loaded = loadDefinition(document, inOrder);
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
  readonly namespaced: boolean;
  readonly #hasStatus: boolean;
  readonly #scale: string | undefined;
  readonly #read: () => ReturnType<typeof readSchema>;
  #schema: Structural | undefined;

  /**
   * `hasStatus` tells that status is written on its own, by the subresource, and `scale` where the
   * scale subresource reads the wanted number of replicas; `read` reads the schema.
   */
  constructor(
    { apiVersion, kind, namespaced }: Pick<Definition, "apiVersion" | "kind" | "namespaced">,
    { hasStatus, scale }: { readonly hasStatus: boolean; readonly scale: string | undefined },
    read: () => ReturnType<typeof readSchema>,
  ) {
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.namespaced = namespaced;
    this.#hasStatus = hasStatus;
    this.#scale = scale;
    this.#read = read;
  }

  get schema(): Structural {
    if (this.#schema !== undefined) return this.#schema;
    const read = this.#read();
    if (!read.ok) throw new Error(`the definition of ${this.kind}: ${read.problems[0]?.message}`);
    this.#schema = read.schema;
    return read.schema;
  }

  check(
    object: KubeObject,
    written: "object" | "status" = "object",
    old: KubeObject | undefined = undefined,
  ): Checked {
    if (written === "status" || !this.#hasStatus) return this.#judge(object, old);
    const { status, ...rest } = object;
    if (old !== undefined) {
      const kept = old.status === undefined ? rest : { ...rest, status: old.status };
      return this.#judge(kept as KubeObject, old);
    }
    if (status === undefined) return this.#judge(object, undefined);
    const checked = this.#judge(rest as KubeObject, undefined);
    return { ...checked, object: { ...checked.object, status } };
  }

  #judge(object: KubeObject, old: KubeObject | undefined): Checked {
    const schema = this.schema;
    const { object: stored, unknown } = store(object, schema);
    const before = old && store(old, schema).object;
    const update = before && new Correlation(stored, before, schema);
    const findings = [
      ...dropUnchanged(validate(stored, schema), update),
      ...validateEmbedded(stored, schema),
    ];
    // What stood twice before may do so still.
    if (before === undefined || findDuplicates(before, schema).length === 0) {
      findings.push(...findDuplicates(stored, schema));
    }
    const blocked = findings.some((finding) => BLOCKING.has(finding.type));
    if (blocked && schema.hasRules) findings.push(RULES_NOT_CHECKED);
    if (!blocked) findings.push(...judgeRules(stored, schema, before, update));
    if (this.#scale !== undefined) findings.push(...scaleFindings(stored, this.#scale));
    const unknownFields = unknown.map(({ field: text }) => text);
    return { object: stored as KubeObject, findings, unknownFields, unknown };
  }
}
