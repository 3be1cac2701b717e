import { jsonEqual } from "../../kube/canonical.ts";
import { isRecord, type KubeObject, type ObjectMeta } from "../../kube/object.ts";
import { isProviderObject } from "./healthy.ts";
import { composedName, deterministicUid } from "./identity.ts";

/** The annotation that holds a composed resource's key. */
export const KEY_ANNOTATION = "crossplane.io/composition-resource-name";

/** The label that names a composed resource's composite, and the prefix of generated names. */
export const COMPOSITE_LABEL = "crossplane.io/composite";

/** The composed resources of a composite, by resource key, among the objects that it controls. */
export function observedResources(
  controlled: readonly KubeObject[],
): ReadonlyMap<string, KubeObject> {
  const keyed = controlled.flatMap((object) => {
    const key = object.metadata?.annotations?.[KEY_ANNOTATION];
    return key === undefined ? [] : [[key, object] as const];
  });
  return new Map(keyed);
}

/**
 * Completes a desired resource as Crossplane does before it applies it: the observed name or a
 * generated one, the composite's namespace, the key's annotation, the composite's label and the
 * controller reference.
 */
export function completeResource(
  key: string,
  desired: KubeObject,
  composite: KubeObject,
  observed: KubeObject | undefined,
): KubeObject {
  const owner = composite.metadata ?? {};
  const uid = owner.uid ?? "";
  const metadata = desired.metadata ?? {};
  const prefix = owner.labels?.[COMPOSITE_LABEL] ?? owner.name ?? "";
  const named = names(key, metadata, observed?.metadata, prefix, uid);
  const namespace = owner.namespace ?? observed?.metadata?.namespace ?? metadata.namespace;
  return {
    ...desired,
    metadata: {
      ...metadata,
      ...named,
      ...(namespace === undefined ? {} : { namespace }),
      annotations: { ...metadata.annotations, [KEY_ANNOTATION]: key },
      labels: { ...metadata.labels, [COMPOSITE_LABEL]: prefix },
      ownerReferences: [
        {
          apiVersion: composite.apiVersion,
          blockOwnerDeletion: true,
          controller: true,
          kind: composite.kind,
          name: owner.name,
          uid,
        },
      ],
    },
  };
}

function names(
  key: string,
  desired: ObjectMeta,
  observed: ObjectMeta | undefined,
  prefix: string,
  uid: string,
): { name?: string; generateName?: string } {
  if (observed?.name !== undefined) {
    const { name, generateName } = observed;
    return { name, ...(typeof generateName === "string" ? { generateName } : {}) };
  }
  if (desired.name !== undefined) return {};
  const given = desired.generateName;
  const generateName = typeof given === "string" ? given : `${prefix}-`;
  return { generateName, name: composedName(generateName, uid, key) };
}

/**
 * What the API server stores after a server-side apply over the object it has: our fields, with the
 * status and the metadata that others wrote. A changed spec is a new generation.
 */
export function storeApplied(applied: KubeObject, before: KubeObject | undefined): KubeObject {
  if (before === undefined) {
    const uid = deterministicUid(applied);
    return { ...applied, metadata: { ...applied.metadata, uid, generation: 1 } };
  }
  const old = before.metadata ?? {};
  const { metadata = {} } = applied;
  const generation = (old.generation ?? 1) + (sameSpec(applied, before) ? 0 : 1);
  return {
    ...applied,
    metadata: {
      ...old,
      ...metadata,
      annotations: { ...old.annotations, ...metadata.annotations },
      labels: { ...old.labels, ...metadata.labels },
      uid: old.uid ?? deterministicUid(applied),
      generation,
    },
    ...statusAfter(applied, before),
  };
}

/**
 * What of an observed status still stands once an object is applied: all of it, but for a changed
 * Object's conditions, since its provider has not judged the new manifest yet.
 */
function statusAfter(applied: KubeObject, before: KubeObject): { readonly status?: unknown } {
  const { status } = before;
  if (!isRecord(status)) return {};
  if (!isProviderObject(applied) || sameSpec(applied, before)) return { status };
  const { conditions: _judged, ...seen } = status;
  return { status: seen };
}

/** Whether two objects have the same fields beside metadata and status. */
function sameSpec(a: KubeObject, b: KubeObject): boolean {
  return jsonEqual({ ...a, metadata: null, status: null }, { ...b, metadata: null, status: null });
}
