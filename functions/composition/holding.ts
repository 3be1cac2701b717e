import { KEEP_ON_DELETE, PROVIDER_OBJECT } from "../../api/provider-object.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";
import type { ComposedResource } from "./composition.ts";

/** The group whose kinds are composite resources that handlers compose for one another. */
const COMPOSITE_GROUP = "modelplane.ai/";
/** The prefix of the labels that are ours to set on them. */
const LABEL_PREFIX = "modelplane.ai/";

/** The fields of an Object's spec that a handler owns, and so may say again. */
const OBJECT_FIELDS = ["providerConfigRef", "managementPolicies", "readiness", "watch"] as const;

/**
 * Says an observed composed object again, with only what a handler owns: for an Object its spec
 * without what the provider defaults, for a composite its name, our labels and its spec without
 * Crossplane's part. `undefined` when it is being deleted or is of a kind that no handler composes.
 */
export function reemit(observed: KubeObject): KubeObject | undefined {
  if (observed.metadata?.deletionTimestamp !== undefined) return undefined;
  const { apiVersion, kind, spec } = observed;
  if (!isRecord(spec)) return undefined;
  if (apiVersion === PROVIDER_OBJECT.apiVersion && kind === PROVIDER_OBJECT.kind) {
    const kept = OBJECT_FIELDS.filter((name) => spec[name] !== undefined);
    const manifest = isRecord(spec.forProvider) ? spec.forProvider.manifest : undefined;
    return {
      apiVersion,
      kind,
      spec: {
        ...Object.fromEntries(kept.map((name) => [name, spec[name]])),
        forProvider: { manifest },
      },
    };
  }
  if (!apiVersion.startsWith(COMPOSITE_GROUP)) return undefined;
  const { name, labels = {} } = observed.metadata ?? {};
  const ours = Object.entries(labels).filter(([key]) => key.startsWith(LABEL_PREFIX));
  const { crossplane: _machinery, ...own } = spec;
  return {
    apiVersion,
    kind,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(ours.length === 0 ? {} : { labels: Object.fromEntries(ours) }),
    },
    spec: own,
  };
}

/** Lets Objects be deleted without their remote objects: they keep the policies that never delete. */
export function abandoned(resources: readonly ComposedResource[]): readonly ComposedResource[] {
  return resources.map((resource) => {
    const { object } = resource;
    if (object.kind !== PROVIDER_OBJECT.kind || !isRecord(object.spec)) return resource;
    const spec = { ...object.spec, managementPolicies: KEEP_ON_DELETE };
    return { ...resource, object: { ...object, spec } };
  });
}
