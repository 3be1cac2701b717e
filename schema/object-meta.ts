import {
  labelProblems,
  labelValueProblems,
  prefixAsName,
  qualifiedNameProblems,
  subdomainProblems,
} from "../kube/name-problems.ts";
import { isRecord, type KubeObject } from "../kube/object.ts";
import { quote } from "../kube/quote.ts";
import type { Finding, FindingType } from "./finding.ts";
import { jsonType } from "./number.ts";

/** What differs between the metadata of an object and that of a resource embedded in one. */
export interface MetadataRules {
  /** Why a name, or the prefix that `generateName` is, can't be used. */
  nameProblems(name: string, isPrefix: boolean): readonly string[];
  readonly nameRequired: boolean;
}

/**
 * Judges the name, namespace, labels, annotations, owners and finalizers of an object that is to be
 * created, as the API server does for every custom resource (apimachinery `ValidateObjectMeta`). No
 * namespace is fine: a client fills it in.
 */
export function validateObjectMeta(object: KubeObject): readonly Finding[] {
  return validateMetadata(object.metadata ?? {}, {
    nameProblems: (name, isPrefix) =>
      subdomainProblems(isPrefix ? prefixAsName(name) : name, "characters"),
    nameRequired: true,
  });
}

/** Judges metadata by the given rules; fields and paths begin with `metadata`. */
export function validateMetadata(value: unknown, rules: MetadataRules): readonly Finding[] {
  const judgement = new MetadataJudgement();
  if (!isRecord(value)) judgement.wrongType(["metadata"], "object", value);
  else judgement.judge(value, rules);
  return judgement.findings;
}

class MetadataJudgement {
  readonly findings: Finding[] = [];

  judge(metadata: Readonly<Record<string, unknown>>, rules: MetadataRules): void {
    const generateName = this.#text(["metadata", "generateName"], metadata.generateName);
    if (generateName) {
      const path = ["metadata", "generateName"];
      this.#invalid(path, generateName, rules.nameProblems(generateName, true));
    }
    const name = this.#text(["metadata", "name"], metadata.name);
    if (name === "" && !generateName && rules.nameRequired) {
      const message = "Required value: name or generateName is required";
      this.#add("FieldValueRequired", ["metadata", "name"], message);
    } else if (name) {
      this.#invalid(["metadata", "name"], name, rules.nameProblems(name, false));
    }
    const namespace = this.#text(["metadata", "namespace"], metadata.namespace);
    if (namespace) {
      this.#invalid(["metadata", "namespace"], namespace, labelProblems(namespace));
    }
    this.#judgeMaps(metadata);
    this.#judgeOwners(metadata.ownerReferences);
    this.#judgeFinalizers(metadata.finalizers);
  }

  wrongType(path: readonly (string | number)[], expected: string, value: unknown): void {
    const type = jsonType(value);
    const why = `${fieldOf(path)} in body must be of type ${expected}: ${quote(type)}`;
    this.#add("FieldValueTypeInvalid", path, `Invalid value: ${quote(type)}: ${why}`);
  }

  #judgeMaps(metadata: Readonly<Record<string, unknown>>): void {
    for (const map of ["labels", "annotations"]) {
      const entries = metadata[map] ?? {};
      if (!isRecord(entries)) {
        this.wrongType(["metadata", map], "object", entries);
        continue;
      }
      for (const key of Object.keys(entries)) {
        const value = this.#text(["metadata", map, key], entries[key]);
        for (const problem of qualifiedNameProblems(
          map === "annotations" ? key.toLowerCase() : key,
        )) {
          this.#invalidKey(map, key, key, problem);
        }
        if (map === "annotations" || !value) continue;
        for (const problem of labelValueProblems(value)) {
          this.#invalidKey(map, key, value, problem);
        }
      }
    }
  }

  #judgeOwners(owners: unknown): void {
    if (owners === undefined || owners === null) return;
    if (!Array.isArray(owners)) {
      this.wrongType(["metadata", "ownerReferences"], "array", owners);
      return;
    }
    for (const [index, owner] of owners.entries()) {
      const at = ["metadata", "ownerReferences", index];
      for (const name of ["apiVersion", "kind", "name", "uid"]) {
        const text = isRecord(owner) ? this.#text([...at, name], owner[name]) : "";
        if (text !== "") continue;
        this.#add("FieldValueRequired", [...at, name], "Required value: must not be empty");
      }
    }
  }

  #judgeFinalizers(finalizers: unknown): void {
    if (finalizers === undefined || finalizers === null) return;
    if (!Array.isArray(finalizers)) {
      this.wrongType(["metadata", "finalizers"], "array", finalizers);
      return;
    }
    for (const [index, finalizer] of finalizers.entries()) {
      const text = this.#text(["metadata", "finalizers", index], finalizer);
      if (text === undefined) continue;
      for (const problem of qualifiedNameProblems(text)) {
        const message = `Invalid value: ${quote(text)}: ${problem}`;
        const path = ["metadata", "finalizers", index];
        const field = "metadata.finalizers";
        this.findings.push({ type: "FieldValueInvalid", field, path, message, value: text });
      }
    }
  }

  #text(path: readonly (string | number)[], value: unknown): string | undefined {
    if (value === undefined || value === null || typeof value === "string") return value ?? "";
    this.wrongType(path, "string", value);
    return undefined;
  }

  #invalid(path: readonly (string | number)[], value: string, problems: readonly string[]): void {
    for (const why of problems) {
      this.#add("FieldValueInvalid", path, `Invalid value: ${quote(value)}: ${why}`, value);
    }
  }

  // The path leads to the key, the field names the map: so the API server prints it.
  #invalidKey(map: string, key: string, value: string, why: string): void {
    const message = `Invalid value: ${quote(value)}: ${why}`;
    const path = ["metadata", map, key];
    const field = `metadata.${map}`;
    this.findings.push({ type: "FieldValueInvalid", field, path, message, value });
  }

  #add(
    type: FindingType,
    path: readonly (string | number)[],
    message: string,
    value?: unknown,
  ): void {
    const finding = { type, field: fieldOf(path), path, message };
    this.findings.push(value === undefined ? finding : { ...finding, value });
  }
}

/** Why a name can't stand in a URL's path, which is all that is asked of an embedded resource's. */
export function pathSegmentProblems(name: string, isPrefix: boolean): readonly string[] {
  if (!isPrefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"]
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}

function fieldOf(path: readonly (string | number)[]): string {
  return path
    .map((step, index) =>
      typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join("");
}
