import { expect, it } from "vitest";
import { decisionModel } from "../../test/support/decision-model.ts";
import { buildDisruptionBudget } from "./disruption-budget.ts";

it("lets drains take one pod of just this revision at a time", () => {
  expect(buildDisruptionBudget(decisionModel(), "0123456789abcdef")).toMatchObject({
    metadata: { name: "support-router-0123456789abcdef", namespace: "default" },
    spec: {
      maxUnavailable: 1,
      selector: {
        matchLabels: {
          "decisionmodel.io/name": "support-router",
          "decisionmodel.io/revision": "0123456789abcdef",
        },
      },
    },
  });
});
