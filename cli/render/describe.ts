import { field, isRecord, type KubeObject, stringField } from "../../kube/object.ts";
import { isProviderObject } from "../simulation/healthy.ts";
import { visible } from "./text.ts";

/** The InferenceCluster behind each provider config, by the provider config's name. */
export function clusterNames(objects: readonly KubeObject[]): ReadonlyMap<string, string> {
  return new Map(
    objects.flatMap((object) => {
      const config = stringField(object, "status", "providerConfigRef", "name");
      const { name } = object.metadata ?? {};
      const known =
        object.kind === "InferenceCluster" && config !== undefined && name !== undefined;
      return known ? [[config, name] as const] : [];
    }),
  );
}

/** An object by its kind and name; the remote one of a provider-kubernetes Object, and its cluster. */
export function describe(
  object: KubeObject,
  clusters: ReadonlyMap<string, string>,
): { what: string; where: string } {
  const manifest = field(object, "spec", "forProvider", "manifest");
  const remote =
    isProviderObject(object) && isRecord(manifest) ? (manifest as KubeObject) : undefined;
  const { kind, metadata } = remote ?? object;
  const config = stringField(object, "spec", "providerConfigRef", "name") ?? "";
  return {
    what: visible(`${kind} ${metadata?.name ?? ""}`),
    where: remote === undefined ? "" : visible(clusters.get(config) ?? config),
  };
}
