import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { allDefinitions } from "../functions/shipped.ts";
import type { KubeObject } from "../kube/object.ts";

const page = readFileSync(
  fileURLToPath(new URL("../docs/decision-model.md", import.meta.url)),
  "utf8",
);

test("the DecisionModel that docs/decision-model.md shows is one, and its fields are the spec's", () => {
  const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const definition = allDefinitions().get("decisionmodel.io/v1alpha1/DecisionModel");
  const checked = definition?.check(parse(yaml) as KubeObject);
  expect(checked?.findings).toEqual([]);
  expect(checked?.unknownFields).toEqual([]);
  const defaults = checked?.object.spec as Record<string, unknown>;
  expect(defaults).toMatchObject({ device: "cpu", engine: "ollaya" });
});
