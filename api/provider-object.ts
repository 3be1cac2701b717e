import { findCondition, type ObservedCondition } from "../kube/conditions.ts";
import { field, isRecord, type KubeObject, stringField } from "../kube/object.ts";

/** The API version and kind of provider-kubernetes' namespaced wrapper of a remote object. */
export const PROVIDER_OBJECT = {
  apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
  kind: "Object",
} as const;

/** The management policies that keep a remote object when its Object is deleted. */
export const KEEP_ON_DELETE: readonly string[] = ["Observe", "Create", "Update"];

/** What an observed Object says about the remote object that it stands for. */
export interface ObservedProviderObject {
  readonly object: KubeObject;
  /** What was last asked for (`spec.forProvider.manifest`). */
  readonly wanted: Readonly<Record<string, unknown>>;
  /** What the provider last saw (`status.atProvider.manifest`); decoded when it is first read. */
  readonly live: Readonly<Record<string, unknown>> | undefined;
  readonly providerConfig: string;
  readonly ready: ObservedCondition | undefined;
  readonly synced: ObservedCondition | undefined;
  readonly deleting: boolean;
}

/** Decodes an observed Object; `undefined` when it is another kind. */
export function decodeProviderObject(object: KubeObject): ObservedProviderObject | undefined {
  if (object.kind !== PROVIDER_OBJECT.kind || object.apiVersion !== PROVIDER_OBJECT.apiVersion) {
    return undefined;
  }
  const wanted = field(object, "spec", "forProvider", "manifest");
  return {
    object,
    wanted: isRecord(wanted) ? wanted : {},
    get live() {
      const live = field(object, "status", "atProvider", "manifest");
      return isRecord(live) && Object.keys(live).length > 0 ? live : undefined;
    },
    providerConfig: stringField(object, "spec", "providerConfigRef", "name") ?? "",
    get ready() {
      return findCondition(object, "Ready");
    },
    get synced() {
      return findCondition(object, "Synced");
    },
    deleting: object.metadata?.deletionTimestamp !== undefined,
  };
}

/**
 * Identifies a remote object as the provider finds it: API group, kind, namespace, name and
 * provider config. The API version is no part of it.
 */
export function remoteIdentity(manifest: unknown, providerConfig: string): readonly string[] {
  const apiVersion = stringField(manifest, "apiVersion") ?? "";
  return [
    apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "",
    stringField(manifest, "kind") ?? "",
    stringField(manifest, "metadata", "namespace") ?? "",
    stringField(manifest, "metadata", "name") ?? "",
    providerConfig,
  ];
}

/**
 * Tells whether an Object is applied and counts as healthy: Ready for the generation that it has,
 * its last apply good, and staying. Providers before crossplane-runtime 2 say no generation.
 */
export function providerObjectReady(observed: ObservedProviderObject): boolean {
  const { ready, synced, deleting, object } = observed;
  const seen = ready?.observedGeneration ?? object.metadata?.generation;
  return (
    ready?.status === "True" &&
    seen === object.metadata?.generation &&
    synced?.status !== "False" &&
    !deleting
  );
}

/** Says in one clause why an Object is not ready, with the provider's own words where it has some. */
export function providerObjectBlocker(observed: ObservedProviderObject): string | undefined {
  if (observed.deleting) return "is being deleted";
  if (observed.synced?.status === "False") return `could not be applied: ${words(observed.synced)}`;
  if (observed.live === undefined) return "has not been applied yet";
  return undefined;
}

/** Shortens what another controller wrote to what fits in a condition a person reads. */
function words(condition: ObservedCondition): string {
  const text = condition.message === "" ? condition.reason : condition.message;
  return text.length > 512 ? `${text.slice(0, 512)}…` : text;
}
