import { expect, test } from "vitest";
import { deployment, engine } from "../../test/support/deployment.ts";
import { createRefusals } from "../model-replica/refusals.ts";
import { shippedDefinitions } from "../shipped.ts";
import { deploymentFindings, isSelectorFinding } from "./refusals.ts";

const definition = shippedDefinitions().get("modelplane.ai/v1alpha1/ModelDeployment");

/** What a deployment with one engine, changed so, is refused for beyond its schema. */
function findings(change: Record<string, unknown>, selectors: readonly string[] = []) {
  const checked = definition?.check(deployment({}, { engines: [engine(change, selectors)] }));
  expect(checked?.findings).toEqual([]);
  return deploymentFindings(checked?.object ?? deployment(), createRefusals());
}

test("a good template has no findings", () => {
  expect(findings({}, ["device.driver == 'gpu.nvidia.com'"])).toEqual([]);
});

test("a finding points to the field of the template, in text and as a path", () => {
  const [finding] = findings({}, ["device.driver == 1"]);
  expect(finding).toMatchObject({
    field: "spec.template.spec.engines[0].members[0].nodeSelector.devices[0].selectors[0].cel",
    path: [
      ..."spec template spec engines".split(" "),
      0,
      "members",
      0,
      "nodeSelector",
      "devices",
      0,
      "selectors",
      0,
      "cel",
    ],
  });
  expect(finding !== undefined && isSelectorFinding(finding)).toBe(true);
});

test("what no cluster would run is found in a template too", () => {
  const member = {
    role: "Standalone",
    nodeSelector: { devices: [{ name: "My_GPU" }] },
    template: {
      spec: {
        containers: [{ name: "engine", image: "i", resources: { requests: { cpu: "lots" } } }],
      },
    },
  };
  expect(findings({ members: [member] }).map(({ field }) => field)).toEqual([
    "spec.template.spec.engines[0].members[0].nodeSelector.devices[0].name",
    "spec.template.spec.engines[0].members[0].template.spec.containers[0].resources.requests[cpu]",
  ]);
});
