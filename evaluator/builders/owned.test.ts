import { describe, expect, it, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { decisionModel, UID } from "../../test/support/decision-model.ts";
import { isControlledBy, ownedMetadata, prefetchLabels, servingLabels } from "./owned.ts";

const model = decisionModel();

describe("labels", () => {
  it("of what downloads select nothing that a Service or a budget does", () => {
    const [serving, prefetch] = [servingLabels(model, "abc"), prefetchLabels(model, "abc")];
    expect(serving).toEqual({
      "decisionmodel.io/name": "support-router",
      "decisionmodel.io/revision": "abc",
    });
    expect(prefetch).toEqual({
      "decisionmodel.io/name": "support-router",
      "decisionmodel.io/prefetch-revision": "abc",
    });
  });
});

describe("metadata", () => {
  it("has one controller, whose end is that of the object", () => {
    expect(ownedMetadata(model, "x", { a: "b" })).toEqual({
      name: "x",
      namespace: "default",
      labels: { a: "b" },
      ownerReferences: [
        {
          apiVersion: "decisionmodel.io/v1alpha1",
          kind: "DecisionModel",
          name: "support-router",
          uid: UID,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
  });

  it("has annotations where there are any", () => {
    expect(ownedMetadata(model, "x", {}, { a: "b" }).annotations).toEqual({ a: "b" });
  });
});

describe("an object is this DecisionModel's", () => {
  const reference = { kind: "DecisionModel", name: "support-router", uid: UID, controller: true };
  test.each<readonly [string, unknown, boolean]>([
    ["which controls it", [reference], true],
    ["beside other owners", [{ uid: "other" }, reference], true],
    ["not if it only owns it", [{ ...reference, controller: false }], false],
    ["not if one of its name made it that is gone", [{ ...reference, uid: "older" }], false],
    ["not if nobody owns it", undefined, false],
    ["not if its owners are no list", "none", false],
    ["not if an owner is nothing", [null], false],
  ])("%s", (_, ownerReferences, expected) => {
    const object: KubeObject = { apiVersion: "v1", kind: "Service", metadata: { ownerReferences } };
    expect(isControlledBy(object, model)).toBe(expected);
  });
});
