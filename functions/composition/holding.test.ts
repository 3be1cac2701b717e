import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { buildClusterProviderConfig } from "../builders/cluster-provider-config.ts";
import { buildClusterUsage } from "../builders/cluster-usage.ts";
import { keptFromBefore, reemit } from "./holding.ts";

const object = {
  apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
  kind: "Object",
  metadata: { name: "r-0123456789ab", resourceVersion: "7", labels: { a: "b" } },
  spec: {
    providerConfigRef: { kind: "ClusterProviderConfig", name: "east" },
    managementPolicies: ["Observe", "Create", "Update"],
    readiness: { policy: "SuccessfulCreate" },
    watch: true,
    deletionPropagationPolicy: "Background",
    forProvider: { manifest: { kind: "Namespace" }, somethingNew: 1 },
  },
  status: { atProvider: {} },
};

const replica = {
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "ModelReplica",
  metadata: {
    name: "chat-1a2b3",
    namespace: "ml-team",
    uid: "u",
    labels: {
      "modelplane.ai/cluster": "east",
      "example.org/tier": "prod",
      "crossplane.io/composite": "chat",
    },
    annotations: { "crossplane.io/composition-resource-name": "replica-east-0" },
    ownerReferences: [{}],
  },
  spec: { clusterName: "east", crossplane: { resourceRefs: [] } },
  status: { served: true },
};

describe("reemit says again", () => {
  test("of an Object its provider config, policies, readiness, watch and manifest", () => {
    expect(reemit(object)).toEqual({
      apiVersion: object.apiVersion,
      kind: "Object",
      spec: {
        providerConfigRef: object.spec.providerConfigRef,
        managementPolicies: object.spec.managementPolicies,
        readiness: object.spec.readiness,
        watch: true,
        forProvider: { manifest: { kind: "Namespace" } },
      },
    });
  });

  test("of a composite its name, its labels and its spec without Crossplane's part", () => {
    expect(reemit(replica)).toEqual({
      apiVersion: "modelplane.ai/v1alpha1",
      kind: "ModelReplica",
      metadata: {
        name: "chat-1a2b3",
        labels: { "modelplane.ai/cluster": "east", "example.org/tier": "prod" },
      },
      spec: { clusterName: "east" },
    });
  });

  test("of a guard and of a provider config what their builders set", () => {
    const guard = buildClusterUsage({
      of: { apiVersion: "modelplane.ai/v1alpha1", kind: "InferenceCluster", name: "east" },
      reason: "in use",
    });
    const config = buildClusterProviderConfig({
      name: "east-cluster-kubeconfig-1a2b3",
      secret: { name: "east", key: "kubeconfig" },
      identity: { name: "id", key: "private_key", type: "GoogleApplicationCredentials" },
    });
    for (const built of [guard, config]) {
      const stored = {
        ...built,
        metadata: { ...built.metadata, uid: "u", resourceVersion: "7", finalizers: ["x"] },
        spec: { ...(built.spec as object), somethingNew: 1 },
        status: {},
      };
      expect(reemit(stored)).toEqual(built);
    }
  });

  test.each([
    [
      "what is being deleted",
      { ...object, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } },
    ],
    ["a kind that no handler composes", { ...object, kind: "ObservedObjectCollection" }],
    ["an object without a spec", { apiVersion: object.apiVersion, kind: "Object" }],
  ])("nothing of %s", (_, observed) => {
    expect(reemit(observed)).toBeUndefined();
  });
});

describe("keptFromBefore says again", () => {
  const stack = {
    apiVersion: "infrastructure.modelplane.ai/v1alpha1",
    kind: "ServingStack",
    metadata: { name: "east-serving-stack-1a2b3", namespace: "modelplane-system", uid: "u" },
    spec: { stack: "Standard", crossplane: {} },
    status: { conditions: [] },
  };
  const unknown = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "notes", uid: "u", labels: { a: "b", "crossplane.io/composite": "east" } },
    data: { a: "b" },
  };
  const composed = new Map<string, KubeObject>([
    ["guard", replica],
    ["notes", unknown],
    ["old", { ...unknown, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }],
    ["stack", stack],
  ]);
  const observed = { keys: [...composed.keys()], get: (key: string) => composed.get(key) };

  test("what stands under others' keys, in its namespace, of whatever kind", () => {
    expect(keptFromBefore(observed, new Set(["guard"]))).toEqual([
      {
        key: "notes",
        object: {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "notes", labels: { a: "b" } },
          data: { a: "b" },
        },
        ready: true,
      },
      {
        key: "stack",
        object: {
          apiVersion: stack.apiVersion,
          kind: "ServingStack",
          metadata: { name: stack.metadata.name, namespace: "modelplane-system" },
          spec: { stack: "Standard" },
        },
        ready: true,
      },
    ]);
  });
});
