import { describe, expect, test } from "vitest";
import { deployment, inferenceCluster } from "../test/support/deployment.ts";
import { bareClusterHint, clusterLabels, missingHint } from "./preview-hints.ts";

const { apiVersion } = deployment();
const named = (kind: string, name: string, namespace = "") => ({
  apiVersion,
  kind,
  namespace,
  match: { name },
});

describe("what was asked for in vain", () => {
  test.each([
    ["InferenceCluster", "examples/quickstart/required.yaml"],
    ["InferenceClass", "examples/inference-cluster/required.yaml"],
    ["ModelCache", "examples/deployment-cache/required.yaml"],
  ])("%s is shown by an example that has one", (kind, example) => {
    expect(missingHint(named(kind, "x"), [])).toBe(
      `hint: the input has no ${kind} "x"; put it into a required.yaml beside the XR, or pass --cluster-state FILE (${example} shows one)`,
    );
  });

  test("names the namespace it is looked for in", () => {
    expect(missingHint(named("ModelCache", "x", "ml"), [])).toContain(
      'no ModelCache "x" in namespace "ml"; put it into',
    );
  });

  test("by labels is told from the clusters that there are", () => {
    const clusters = [
      inferenceCluster("east", [], { labels: { region: "us", tier: "a" } }),
      inferenceCluster("west"),
    ];
    const selector = { apiVersion, kind: "InferenceCluster", match: { labels: { region: "eu" } } };
    expect(missingHint(selector, clusters)).toBe(
      "hint: the input has no InferenceCluster with the labels region=eu; it has east (region=us,tier=a), west (no labels)",
    );
    expect(missingHint({ ...selector, kind: "ModelReplica" }, clusters)).toBeUndefined();
  });
});

test("many clusters are counted, and never only one", () => {
  const some = (count: number) =>
    Array.from({ length: count }, (_, at) => inferenceCluster(`c${at}`));
  expect(clusterLabels(some(7))).toMatch(/c6 \(no labels\)$/);
  expect(clusterLabels(some(8))).toMatch(/c5 \(no labels\) and 2 more$/);
});

test("a cluster without a status is told about where a deployment could be placed on it", () => {
  const { status: _status, ...bare } = inferenceCluster("madrid");
  const world = { composites: [deployment()], observed: [], others: [bare, inferenceCluster("x")] };
  expect(bareClusterHint(world)).toMatch(
    /^hint: InferenceCluster madrid has no status, so it counts as not ready\. .*--assume ready/,
  );
  expect(bareClusterHint({ ...world, composites: [] })).toBeUndefined();
  expect(bareClusterHint({ ...world, others: [inferenceCluster("x")] })).toBeUndefined();
});
