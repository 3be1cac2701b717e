import { CLUSTER_PROVIDER_CONFIG, PROVIDER_CONFIG_FIELDS } from "../../api/provider-config.ts";
import { KEEP_ON_DELETE, PROVIDER_OBJECT } from "../../api/provider-object.ts";
import { CLUSTER_USAGE, USAGE_FIELDS } from "../../api/usage.ts";
import { isRecord, type KubeObject, type ObjectMeta } from "../../kube/object.ts";
import type { ComposedResource, ObservedResources } from "./composition.ts";

/** The groups whose kinds are composite resources that handlers compose for one another. */
const COMPOSITE_GROUPS = ["modelplane.ai/", "infrastructure.modelplane.ai/"];
/** The prefix of the labels that Crossplane sets itself on what it composes. */
const CROSSPLANE_PREFIX = "crossplane.io/";

/** The fields of an Object's spec that a handler owns, and so may say again. */
const OBJECT_FIELDS = ["providerConfigRef", "managementPolicies", "readiness", "watch"] as const;

/**
 * Says an observed composed object again, with only what a handler owns: for an Object its spec
 * without what the provider defaults, for a composite its name, its labels without Crossplane's and
 * its spec without Crossplane's part, for a guard or a provider config what their builders set.
 * `undefined` when it is being deleted or is of a kind that no handler composes.
 */
export function reemit(observed: KubeObject): KubeObject | undefined {
  if (observed.metadata?.deletionTimestamp !== undefined) return undefined;
  const { apiVersion, kind, metadata, spec } = observed;
  if (!isRecord(spec)) return undefined;
  if (isKind(observed, PROVIDER_OBJECT)) {
    const manifest = isRecord(spec.forProvider) ? spec.forProvider.manifest : undefined;
    return {
      apiVersion,
      kind,
      spec: { ...picked(spec, OBJECT_FIELDS), forProvider: { manifest } },
    };
  }
  if (isKind(observed, CLUSTER_USAGE) || isKind(observed, { ...CLUSTER_USAGE, kind: "Usage" })) {
    return { apiVersion, kind, spec: picked(spec, USAGE_FIELDS) };
  }
  if (isKind(observed, CLUSTER_PROVIDER_CONFIG)) {
    const own = picked(spec, PROVIDER_CONFIG_FIELDS);
    return { apiVersion, kind, metadata: named(metadata), spec: own };
  }
  if (!COMPOSITE_GROUPS.some((group) => apiVersion.startsWith(group))) return undefined;
  const { crossplane: _machinery, ...own } = spec;
  return {
    apiVersion,
    kind,
    metadata: { ...named(metadata), ...labelled(metadata) },
    spec: own,
  };
}

/**
 * Says every observed resource again that stands under none of a handler's own keys, as ready: what
 * another program composed before sluice took over, such as a serving stack or a cache's volumes,
 * would be deleted otherwise, and nobody asked for that. Each goes once somebody deletes it.
 */
export function keptFromBefore(
  observed: ObservedResources,
  own: ReadonlySet<string>,
): readonly ComposedResource[] {
  return observed.keys.flatMap((key) => {
    const present = own.has(key) ? undefined : observed.get(key);
    const object = present === undefined ? undefined : (reemit(present) ?? repeated(present));
    if (present === undefined || object === undefined) return [];
    return [{ key, object: inNamespace(object, present.metadata?.namespace), ready: true }];
  });
}

/** Names the namespace, which Crossplane itself sets only when the composite has one. */
export function inNamespace(object: KubeObject, namespace: string | undefined): KubeObject {
  if (namespace === undefined) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** All of an object of a kind that sluice knows nothing of, but for what others write. */
function repeated(observed: KubeObject): KubeObject | undefined {
  const { metadata, status: _seen, ...own } = observed;
  if (metadata?.deletionTimestamp !== undefined) return undefined;
  return { ...own, metadata: { ...named(metadata), ...labelled(metadata) } };
}

function isKind(object: KubeObject, kind: { apiVersion: string; kind: string }): boolean {
  return object.apiVersion === kind.apiVersion && object.kind === kind.kind;
}

function picked(spec: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const present = names.filter((name) => spec[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, spec[name]]));
}

function named(metadata: ObjectMeta | undefined): ObjectMeta {
  return metadata?.name === undefined ? {} : { name: metadata.name };
}

function labelled(metadata: ObjectMeta | undefined): ObjectMeta {
  const labels = Object.entries(metadata?.labels ?? {}).filter(
    ([key]) => !key.startsWith(CROSSPLANE_PREFIX),
  );
  return labels.length === 0 ? {} : { labels: Object.fromEntries(labels) };
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
