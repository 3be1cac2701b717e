import { sortKeys } from "../../kube/canonical.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";

const first = ["apiVersion", "kind", "metadata"];

/** Copies an object with `apiVersion`, `kind` and `metadata` first and every other key sorted. */
export function canonicalOrder(object: KubeObject): KubeObject {
  const sorted: Readonly<Record<string, unknown>> = sortKeys(withoutUndefined(object));
  const rest = Object.entries(sorted).filter(([key]) => !first.includes(key));
  const { apiVersion, kind, metadata } = sorted as KubeObject;
  return {
    apiVersion,
    kind,
    ...(metadata === undefined ? {} : { metadata }),
    ...Object.fromEntries(rest),
  };
}

function withoutUndefined(value: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(isRecord(value) ? value : {})
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, isRecord(member) ? withoutUndefined(member) : member]),
  );
}
