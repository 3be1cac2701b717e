import { describe, expect, test } from "vitest";
import { reemit } from "./holding.ts";

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
    labels: { "modelplane.ai/cluster": "east", "crossplane.io/composite": "chat" },
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

  test("of a composite its name, our labels and its spec without Crossplane's part", () => {
    expect(reemit(replica)).toEqual({
      apiVersion: "modelplane.ai/v1alpha1",
      kind: "ModelReplica",
      metadata: { name: "chat-1a2b3", labels: { "modelplane.ai/cluster": "east" } },
      spec: { clusterName: "east" },
    });
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
