import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pathOf } from "./client.ts";
import { ControlPlane, until } from "./control-plane.ts";
import {
  conditionOf,
  exampleFiles,
  installApis,
  plurals,
  readObjects,
  startCrossplane,
} from "./crossplane.ts";
import { definitionOf, shippedKinds } from "./kinds.ts";

let plane: ControlPlane;
let warnings: readonly string[];
beforeAll(async () => {
  plane = await ControlPlane.start();
  await startCrossplane(plane);
  warnings = await installApis(plane);
  const objects = exampleFiles.flatMap((file) => readObjects(`examples/${file}`));
  for (const namespace of new Set(
    objects.map(({ metadata }) => metadata?.namespace ?? "default"),
  )) {
    await plane.client.createNamespace(namespace);
  }
});
afterAll(() => plane?.stop());

describe("everything that is shipped", () => {
  test("is taken without a warning", () => {
    expect(warnings).toEqual([]);
  });

  test.each(plurals)("%s are established and served", async (plural) => {
    const xrd = `/apis/apiextensions.crossplane.io/v2/compositeresourcedefinitions/${plural}.modelplane.ai`;
    expect(conditionOf((await plane.client.get(xrd)).body, "Established")).toBe("True");
    const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.modelplane.ai`;
    await until(`the CRD of ${plural} is in order`, async () => {
      const { body } = await plane.client.get(crd);
      return (
        conditionOf(body, "NamesAccepted") === "True" &&
        conditionOf(body, "NonStructuralSchema") !== "True"
      );
    });
  });
});

describe("the API server judges examples as sluice does", () => {
  test.each(exampleFiles)("%s", async (file) => {
    for (const object of readObjects(`examples/${file}`)) {
      const kind = shippedKinds.get(object.kind);
      if (kind === undefined) continue;
      const { status: _status, ...created } = object;
      const path = pathOf({ ...object, metadata: { ...object.metadata, name: "" } }, kind.plural);
      const answer = await plane.client.create(`${path}?dryRun=All&fieldValidation=Warn`, created);
      const { findings } = definitionOf(object.kind).check(created as typeof object);
      expect([file, object.metadata?.name, answer.status < 300]).toEqual([
        file,
        object.metadata?.name,
        findings.length === 0,
      ]);
    }
  });
});
