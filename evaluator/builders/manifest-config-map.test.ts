import { expect, it } from "vitest";
import { decisionModel, UID } from "../../test/support/decision-model.ts";
import { buildManifestConfigMap } from "./manifest-config-map.ts";
import { isControlledBy } from "./owned.ts";

it("keeps the very bytes of a manifest, which nobody can change, and goes with its DecisionModel", () => {
  const model = decisionModel();
  const object = buildManifestConfigMap(model, "0123456789abcdef", "eyJ9");
  expect(object).toMatchObject({
    metadata: {
      name: "support-router-manifest-0123456789abcdef",
      labels: { "decisionmodel.io/revision": "0123456789abcdef" },
    },
    immutable: true,
    binaryData: { manifest: "eyJ9" },
  });
  expect(isControlledBy(object, decisionModel({ metadata: { uid: UID } }))).toBe(true);
});
