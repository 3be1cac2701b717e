import { LABEL } from "../../api/labels.ts";
import { childName } from "../../kube/names.ts";
import type { KubeObject } from "../../kube/object.ts";

/** Names the namespace of a remote cluster that mirrors one of the control plane. */
export function remoteNamespaceName(namespace: string): string {
  return childName(["mp", namespace]);
}

/**
 * Builds that namespace from the mirrored one's name alone, so that the Objects of several
 * replicas are equal and never fight over it.
 */
export function buildRemoteNamespace(namespace: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: remoteNamespaceName(namespace),
      labels: { [LABEL.namespace]: namespace },
    },
  };
}
