import { describe, expect, test } from "vitest";
import { shippedDefinitions } from "../functions/shipped.ts";
import { gpus, inferenceCluster, pool } from "../test/support/deployment.ts";
import { readDocuments } from "./documents.ts";
import { fleetWarnings } from "./fleet-check.ts";

const definitions = shippedDefinitions();

function warnings(...objects: readonly object[]): readonly string[] {
  const text = objects.map((object) => JSON.stringify(object)).join("\n---\n");
  const { documents, problems } = readDocuments("fleet.yaml", Buffer.from(text));
  expect(problems).toEqual([]);
  return fleetWarnings(documents, definitions);
}

const east = (change: Record<string, unknown> = {}) =>
  inferenceCluster("east", [pool("gpu", 4, undefined, change)]);

describe("of the clusters of a fleet", () => {
  test("nothing is said where all is well, though their spec is not complete", () => {
    expect(
      warnings(east({ costPerNodeHour: "98.32" }), east({ costPerNodeHour: "98.32" })),
    ).toEqual([]);
  });

  test.each([
    ["nodes that are no number", east({ nodes: "many" }), /status\.gpuPools\[0\]\.nodes/],
    ["a price that is a number", east({ costPerNodeHour: 98.32 }), /costPerNodeHour.*number/],
    [
      "a price with a currency",
      east({ costPerNodeHour: "$98.32" }),
      /status\.gpuPools\[0\]\.costPerNodeHour: Invalid value: "\$98\.32"/,
    ],
    [
      "a capacity that is no quantity",
      east({ devices: [{ ...gpus(8, 80), capacity: { memory: { value: "80GiB" } } }] }),
      /status\.gpuPools\[0\]\.devices\[0\]\.capacity\[memory\]\.value: Invalid value: "80GiB"/,
    ],
    [
      "a misspelt field",
      inferenceCluster("east", "unknown", { status: { gpupools: [] } }),
      /unknown field "status\.gpupools".*did you mean "gpuPools"/,
    ],
    [
      "a taint without such an effect",
      inferenceCluster("east", [], { spec: { taints: [{ key: "a", effect: "Never" }] } }),
      /spec\.taints\[0\]\.effect/,
    ],
    ["a name that is missing", { ...east(), metadata: {} }, /metadata\.name/],
  ])("%s is warned of at its place, once", (_, cluster, message) => {
    const said = warnings(cluster).filter((line) => !line.startsWith("  next:"));
    expect(said).toEqual([expect.stringMatching(message)]);
    expect(said[0]).toMatch(/^fleet\.yaml:1:\d+: warning: InferenceCluster/);
  });

  test("that one is given twice, differently", () => {
    expect(warnings(east(), east({ nodes: 1 }))).toEqual([
      "fleet.yaml:3: warning: InferenceCluster east is given twice, differently, and this one counts; the other is at fleet.yaml:1",
    ]);
  });
});

test("a class that the API server would refuse is warned of", () => {
  const { apiVersion } = east();
  const spec = { devices: [{ name: "gpu", ...gpus(8, 80), count: 0 }] };
  const broken = { apiVersion, kind: "InferenceClass", metadata: { name: "h100" }, spec };
  expect(warnings(broken)).toEqual([
    expect.stringMatching(/warning: InferenceClass h100: spec\.devices\[0\]\.count/),
  ]);
});
