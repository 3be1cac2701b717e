import { describe, expect, it, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { decisionModel, made } from "../../test/support/decision-model.ts";
import { buildService, endpointOf, selectorPatch } from "./service.ts";

const model = decisionModel();
const own = made(buildService(model, "new"));
const selector = { "decisionmodel.io/name": "support-router", "decisionmodel.io/revision": "new" };
const port = { name: "http", port: 11_435, targetPort: "http", protocol: "TCP" };

it("is of the DecisionModel's name and of no one revision", () => {
  expect(own).toMatchObject({
    metadata: { name: "support-router", labels: { "decisionmodel.io/name": "support-router" } },
    spec: { type: "ClusterIP", selector, ports: [port] },
  });
  expect(own.metadata.labels).not.toHaveProperty("decisionmodel.io/revision");
});

it("answers under its name in the cluster", () => {
  expect(endpointOf(model)).toBe("http://support-router.default.svc:11435/v1/systemone");
});

describe("a live Service", () => {
  const live = (spec: object): KubeObject => ({
    ...own,
    spec: { ...(own.spec as object), ...spec },
  });
  test.each<readonly [string, object, object | undefined]>([
    ["that is as it should be is left alone", {}, undefined],
    [
      "with what the API server adds too",
      {
        clusterIP: "10.0.0.7",
        sessionAffinity: "None",
        ports: [{ ...port, nodePort: 30_000 }],
      },
      undefined,
    ],
    [
      "that reaches the port by its number too",
      { ports: [{ ...port, targetPort: 11_435 }] },
      undefined,
    ],
    [
      "of another revision is moved",
      { selector: { ...selector, "decisionmodel.io/revision": "old" } },
      { selector },
    ],
    ["45: without a selector gets its own", { selector: undefined }, { selector }],
    [
      "45: that selects by more loses that",
      { selector: { ...selector, canary: "true" } },
      { selector: { ...selector, canary: null } },
    ],
    ["to another port is led back", { ports: [{ ...port, targetPort: 80 }] }, { ports: [port] }],
    ["on another port too", { ports: [{ ...port, port: 80 }] }, { ports: [port] }],
    ["with one port more too", { ports: [port, { port: 9090 }] }, { ports: [port] }],
    ["without ports too", { ports: [] }, { ports: [port] }],
  ])("%s", (_, spec, patch) => {
    expect(selectorPatch(live(spec), model, "new")).toEqual(
      patch === undefined ? undefined : { spec: patch },
    );
  });
});
