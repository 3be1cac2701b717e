import { isRecord, type KubeObject } from "../../kube/object.ts";

const STRINGS = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
] as const;
const MAPS = ["labels", "annotations"] as const;

/**
 * Takes a decoded Struct as a Kubernetes object, or says which field of type or metadata the API
 * server would never have stored. Metadata fields that are null (`creationTimestamp: null` in files
 * that Go tools wrote) are dropped, as the API server does.
 */
export function toKubeObject(value: Record<string, unknown>): KubeObject | string {
  for (const name of ["apiVersion", "kind"]) {
    const seen = value[name];
    if (typeof seen !== "string" || seen === "") return `${name} is ${shown(seen)}, not a name`;
  }
  const metadata = value.metadata;
  if (metadata === undefined) return value as unknown as KubeObject;
  if (metadata === null) {
    delete value.metadata;
    return value as unknown as KubeObject;
  }
  if (!isRecord(metadata)) return `metadata is ${shown(metadata)}, not an object`;
  return metadataProblem(metadata) ?? (value as unknown as KubeObject);
}

function metadataProblem(metadata: Record<string, unknown>): string | undefined {
  for (const name of Object.keys(metadata)) {
    if (metadata[name] === null) delete metadata[name];
  }
  for (const name of STRINGS) {
    const seen = metadata[name];
    if (seen !== undefined && typeof seen !== "string") {
      return `metadata.${name} is ${shown(seen)}, not a string`;
    }
  }
  for (const name of MAPS) {
    const seen = metadata[name];
    if (seen === undefined) continue;
    if (!isRecord(seen)) return `metadata.${name} is ${shown(seen)}, not an object`;
    for (const key of Object.keys(seen)) {
      if (typeof seen[key] !== "string") {
        return `metadata.${name}[${JSON.stringify(key)}] is ${shown(seen[key])}, not a string`;
      }
    }
  }
  const generation = metadata.generation;
  if (generation !== undefined && typeof generation !== "number") {
    return `metadata.generation is ${shown(generation)}, not a number`;
  }
  return undefined;
}

/** Names the type of a value, never the value: a malformed object may hold a secret anywhere. */
function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === "") return "empty";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
