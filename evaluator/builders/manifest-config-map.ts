import { manifestName } from "../../api/decision-model.ts";
import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import type { KubeObject } from "../../kube/object.ts";
import { ownedMetadata, servingLabels } from "./owned.ts";

/**
 * Builds the ConfigMap that keeps the manifest of a revision, since registries give a manifest by its
 * tag alone: a lost store is filled from it. `manifest` is base64.
 */
export function buildManifestConfigMap(
  model: DecisionModel,
  revision: string,
  manifest: string,
): KubeObject {
  const name = manifestName(model.metadata.name ?? "", revision);
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: ownedMetadata(model, name, servingLabels(model, revision)),
    immutable: true,
    binaryData: { manifest },
  };
}
