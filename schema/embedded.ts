import { isRecord } from "../kube/object.ts";
import { type FieldPath, fieldText } from "./field-path.ts";
import type { Finding, FindingType } from "./finding.ts";
import { pathSegmentProblems, validateMetadata } from "./object-meta.ts";
import type { Structural } from "./structural.ts";
import { valueText } from "./wording.ts";

type Drop = (path: readonly (string | number)[], known: Iterable<string>) => void;
/** The fields of a struct; a nested table for a list of structs. */
type Fields = ReadonlyMap<string, Fields | undefined>;

const fields = (names: string, nested: readonly (readonly [string, Fields])[] = []): Fields =>
  new Map<string, Fields | undefined>([
    ...names.split(" ").map((name) => [name, undefined] as const),
    ...nested,
  ]);

const OWNER_REFERENCE = fields("apiVersion kind name uid controller blockOwnerDeletion");

/** ObjectMeta as apimachinery declares it. */
const OBJECT_META: Fields = fields(
  "name generateName namespace selfLink uid resourceVersion generation creationTimestamp " +
    "deletionTimestamp deletionGracePeriodSeconds labels annotations finalizers",
  [
    ["ownerReferences", OWNER_REFERENCE],
    ["managedFields", fields("manager operation apiVersion time fieldsType fieldsV1 subresource")],
  ],
);

/**
 * Metadata as it comes out of Go's ObjectMeta: fields it does not have are dropped, and so is what
 * is empty. A value that is no object, or a field of the wrong type, is left for validation.
 */
export function coerceMetadata(value: unknown, drop: Drop): unknown {
  if (!isRecord(value)) return value;
  return coerceStruct(value, OBJECT_META, [], drop);
}

function coerceStruct(
  value: Readonly<Record<string, unknown>>,
  known: Fields,
  path: readonly (string | number)[],
  drop: Drop,
): Readonly<Record<string, unknown>> {
  // Go prints these even when they are empty, since every owner has them.
  const kept: Record<string, unknown> =
    known === OWNER_REFERENCE ? { apiVersion: "", kind: "", name: "", uid: "" } : {};
  for (const key of Object.keys(value)) {
    const nested = known.get(key);
    const one = value[key];
    if (!known.has(key)) drop([...path, key], known.keys());
    else if (nested !== undefined && Array.isArray(one) && one.every(isRecord)) {
      const items = one.map((item, index) =>
        coerceStruct(item, nested, [...path, key, index], drop),
      );
      if (items.length > 0) kept[key] = items;
    } else if (!isEmpty(one)) kept[key] = one;
  }
  return kept;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === "" || value === 0) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

const KIND_ERROR =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character" +
  " (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/** Judges every embedded resource of a stored object: its apiVersion, kind and metadata. */
export function validateEmbedded(object: unknown, schema: Structural): readonly Finding[] {
  const findings: Finding[] = [];
  const path: (string | number)[] = [];
  const visit = (value: unknown, node: Structural): void => {
    if (!node.hasEmbedded) return;
    if (Array.isArray(value)) {
      const { items } = node;
      if (items === undefined) return;
      for (const [index, item] of value.entries()) {
        path.push(index);
        visit(item, items);
        path.pop();
      }
    } else if (isRecord(value)) {
      if (node.embeddedResource) findings.push(...resourceFindings(value, [...path], schema));
      for (const key of Object.keys(value)) {
        const child = node.properties.get(key) ?? node.additional;
        if (child === undefined) continue;
        path.push(key);
        visit(value[key], child);
        path.pop();
      }
    }
  };
  visit(object, schema);
  return findings;
}

function resourceFindings(
  resource: Readonly<Record<string, unknown>>,
  at: FieldPath,
  schema: Structural,
): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (type: FindingType, name: string, message: string, value?: unknown) => {
    const path = [...at, name];
    const prefix = fieldText(at, "bracketed", schema);
    const finding = { type, field: at.length === 0 ? name : `${prefix}.${name}`, path, message };
    findings.push(value === undefined ? finding : { ...finding, value });
  };
  for (const name of ["apiVersion", "kind"]) {
    const value = resource[name];
    if (value === undefined) {
      add("FieldValueRequired", name, "Required value");
      continue;
    }
    const problem =
      typeof value !== "string"
        ? "must be a string"
        : value === ""
          ? "must not be empty"
          : name === "apiVersion"
            ? groupVersionProblem(value)
            : kindProblem(value);
    if (problem !== undefined) {
      add("FieldValueInvalid", name, `Invalid value: ${valueText(value)}: ${problem}`, value);
    }
  }
  if (Object.hasOwn(resource, "metadata")) {
    findings.push(...metadataFindings(resource.metadata, at, schema));
  }
  return findings;
}

function metadataFindings(
  metadata: unknown,
  at: FieldPath,
  schema: Structural,
): readonly Finding[] {
  const prefix = at.length === 0 ? "" : `${fieldText(at, "bracketed", schema)}.`;
  return validateMetadata(metadata, {
    nameProblems: pathSegmentProblems,
    nameRequired: false,
  }).map((finding) => ({
    ...finding,
    field: `${prefix}${finding.field}`,
    path: [...at, ...finding.path],
  }));
}

function groupVersionProblem(apiVersion: string): string | undefined {
  return apiVersion.split("/").length > 2 && apiVersion !== "/"
    ? `unexpected GroupVersion string: ${apiVersion}`
    : undefined;
}

function kindProblem(kind: string): string | undefined {
  const lower = kind.toLowerCase();
  const problems = [
    ...(lower.length > 63 ? ["must be no more than 63 bytes"] : []),
    ...(/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(lower) ? [] : [KIND_ERROR]),
  ];
  return problems.length === 0
    ? undefined
    : `may have mixed case, but should otherwise match: ${problems.join(",")}`;
}
