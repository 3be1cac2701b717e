import { isRecord, type KubeObject } from "../kube/object.ts";
import type { Finding, FindingType } from "./finding.ts";
import { jsonType } from "./number.ts";
import { quote } from "./wording.ts";

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED})?`;

const SUBDOMAIN_ERROR =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character" +
  ` (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const LABEL_ERROR =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character" +
  ` (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
const QUALIFIED_ERROR =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character" +
  ` (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`;
const LABEL_VALUE_ERROR =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character" +
  ` (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`;

/**
 * Judges the name, namespace, labels and annotations of an object that is to be created, as the API
 * server does for every custom resource (apimachinery `ValidateObjectMeta`). No namespace is fine:
 * a client fills it in.
 */
export function validateObjectMeta(object: KubeObject): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (type: FindingType, path: readonly string[], message: string, value?: unknown) => {
    const finding = { type, field: path.join("."), path, message };
    findings.push(value === undefined ? finding : { ...finding, value });
  };
  const invalid = (path: readonly string[], value: string, why: string) =>
    add("FieldValueInvalid", path, `Invalid value: ${quote(value)}: ${why}`, value);
  // The path leads to the key, the field names the map: so the API server prints it.
  const invalidKey = (map: string, key: string, value: string, why: string) => {
    const message = `Invalid value: ${quote(value)}: ${why}`;
    const path = ["metadata", map, key];
    findings.push({ type: "FieldValueInvalid", field: `metadata.${map}`, path, message, value });
  };
  const text = (path: readonly string[], value: unknown): string | undefined => {
    if (value === undefined || value === null || typeof value === "string") return value ?? "";
    const type = jsonType(value);
    const why = `${path.join(".")} in body must be of type string: ${quote(type)}`;
    add("FieldValueTypeInvalid", path, `Invalid value: ${quote(type)}: ${why}`);
    return undefined;
  };

  const metadata = isRecord(object.metadata) ? object.metadata : {};
  const generateName = text(["metadata", "generateName"], metadata.generateName);
  if (generateName) {
    const shape = subdomainProblem(generateName.replace(/-$/, "a"));
    if (shape !== undefined) invalid(["metadata", "generateName"], generateName, shape);
  }
  const name = text(["metadata", "name"], metadata.name);
  if (name === "" && !generateName) {
    const message = "Required value: name or generateName is required";
    add("FieldValueRequired", ["metadata", "name"], message);
  } else if (name) {
    const problem = subdomainProblem(name);
    if (problem !== undefined) invalid(["metadata", "name"], name, problem);
  }
  const namespace = text(["metadata", "namespace"], metadata.namespace);
  if (namespace && !matches(LABEL, namespace)) {
    invalid(["metadata", "namespace"], namespace, LABEL_ERROR);
  }
  for (const map of ["labels", "annotations"]) {
    const entries = isRecord(metadata[map]) ? metadata[map] : {};
    for (const key of Object.keys(entries)) {
      const value = text(["metadata", map, key], entries[key]);
      const problem = qualifiedNameProblem(map === "annotations" ? key.toLowerCase() : key);
      if (problem !== undefined) invalidKey(map, key, key, problem);
      if (map === "annotations" || !value) continue;
      if (value.length > 63) invalidKey(map, key, value, "must be no more than 63 bytes");
      if (!matches(LABEL_VALUE, value)) invalidKey(map, key, value, LABEL_VALUE_ERROR);
    }
  }
  return findings;
}

function matches(pattern: string, text: string): boolean {
  // The patterns are our own, and linear on any text.
  return new RegExp(`^(?:${pattern})$`).test(text);
}

function subdomainProblem(name: string): string | undefined {
  if (name.length > 253) return "must be no more than 253 characters";
  return matches(SUBDOMAIN, name) ? undefined : SUBDOMAIN_ERROR;
}

function qualifiedNameProblem(key: string): string | undefined {
  const parts = key.split("/");
  const name = parts.at(-1) ?? "";
  if (parts.length > 2) {
    return "a valid label key must consist of a name and an optional prefix before one slash";
  }
  if (parts.length === 2) {
    if (parts[0] === "") return "prefix part must be non-empty";
    const prefix = subdomainProblem(parts[0] ?? "");
    if (prefix !== undefined) return `prefix part ${prefix}`;
  }
  if (name === "") return "name part must be non-empty";
  if (name.length > 63) return "name part must be no more than 63 bytes";
  return matches(QUALIFIED, name) ? undefined : QUALIFIED_ERROR;
}
