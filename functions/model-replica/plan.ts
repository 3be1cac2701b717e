import type { ModelReplicaSpec } from "../../api/gen/modelreplicas.ts";
import { LABEL } from "../../api/labels.ts";
import type { KubeObject } from "../../kube/object.ts";
import { stringField } from "../../kube/object.ts";
import { servingPort } from "../builders/pod.ts";
import { remoteNamespaceName } from "../builders/remote-namespace.ts";

/** What a cluster runs gangs with. */
export type Stack = "Standard" | "Dynamo";

/** What every part of a replica's composition needs to know. */
export interface ReplicaContext {
  readonly replica: string;
  /** The XR's namespace on the control plane. */
  readonly controlNamespace: string;
  /** The namespace on the remote cluster. */
  readonly namespace: string;
  readonly spec: ModelReplicaSpec;
  readonly mode: "Unified" | "PrefillDecode";
  readonly port: number;
  readonly stack: Stack;
  /** Labels that metrics tell replicas apart by, where the XR carries them. */
  readonly identity: Readonly<Record<string, string>>;
}

/** One remote object to compose. */
export interface Planned {
  /** The key to compose it under, before `objectKey` looks at what is observed there. */
  readonly key: string;
  readonly manifest: KubeObject;
  readonly readinessQuery?: string;
  readonly managementPolicies?: readonly string[];
  readonly watch?: boolean;
}

/** Gathers the context of a replica whose spec is valid. */
export function replicaContext(
  composite: KubeObject,
  spec: ModelReplicaSpec,
  stack: Stack,
): ReplicaContext {
  const controlNamespace = composite.metadata?.namespace ?? "";
  const deployment = stringField(composite, "metadata", "labels", LABEL.deployment);
  const index = stringField(composite, "metadata", "labels", LABEL.replicaIndex);
  return {
    replica: composite.metadata?.name ?? "",
    controlNamespace,
    namespace: remoteNamespaceName(controlNamespace),
    spec,
    mode: spec.serving?.mode ?? "Unified",
    port: servingPort(spec.serving),
    stack,
    identity: {
      ...(deployment === undefined ? {} : { [LABEL.deployment]: deployment }),
      ...(index === undefined ? {} : { [LABEL.replica]: index }),
    },
  };
}
