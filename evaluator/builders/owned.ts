import { LABELS } from "../../api/decision-model.ts";
import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import type { KubeObject, ObjectMeta } from "../../kube/object.ts";

/** The labels of what serves a revision: a Service selects pods by them. */
export function servingLabels(model: DecisionModel, revision: string): Record<string, string> {
  return { [LABELS.name]: model.metadata.name ?? "", [LABELS.revision]: revision };
}

/** The labels of what downloads a revision; no Service may ever select its pods. */
export function prefetchLabels(model: DecisionModel, revision: string): Record<string, string> {
  return { [LABELS.name]: model.metadata.name ?? "", [LABELS.prefetchRevision]: revision };
}

/** Metadata of an object that is deleted with its DecisionModel and belongs to nobody else. */
export function ownedMetadata(
  model: DecisionModel,
  name: string,
  labels: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>> = {},
): ObjectMeta {
  const { apiVersion, kind, metadata } = model;
  return {
    name,
    namespace: metadata.namespace ?? "",
    labels,
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ownerReferences: [
      {
        apiVersion,
        kind,
        name: metadata.name,
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  };
}

/** Whether the object that controls this one is that one. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const references = object.metadata?.ownerReferences;
  return (
    Array.isArray(references) &&
    references.some((one) => one?.controller === true && one.uid === owner.metadata?.uid)
  );
}
