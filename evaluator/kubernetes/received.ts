import { isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import type { ObjectList, ResourceKind } from "./client.ts";

/**
 * An object as a server sent it, with its type, which items of lists lack, and without
 * `managedFields`; `undefined` where it has no name or no version.
 */
export function receivedObject(
  value: unknown,
  { apiVersion, kind }: ResourceKind,
): KubeObject | undefined {
  if (!isRecord(value) || !isRecord(value.metadata)) return undefined;
  const { managedFields: _, ...metadata } = value.metadata;
  if (typeof metadata.name !== "string" || typeof metadata.resourceVersion !== "string") {
    return undefined;
  }
  return { ...value, apiVersion, kind, metadata };
}

/** A page of a list as a server sent it, and where it goes on; `undefined` where it is none. */
export function receivedPage(
  value: unknown,
  kind: ResourceKind,
): (ObjectList & { readonly next: string }) | undefined {
  const resourceVersion = stringField(value, "metadata", "resourceVersion");
  if (resourceVersion === undefined) return undefined;
  const items: KubeObject[] = [];
  for (const item of listField(value, "items")) {
    const object = receivedObject(item, kind);
    if (object === undefined) return undefined;
    items.push(object);
  }
  return { items, resourceVersion, next: stringField(value, "metadata", "continue") ?? "" };
}

/** The JSON of a text, `undefined` where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
