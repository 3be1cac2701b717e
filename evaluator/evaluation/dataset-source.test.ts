import { describe, expect, it, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { type DatasetSource, sourceDataset } from "./dataset-source.ts";

const configMap: DatasetSource = { kind: "ConfigMap", name: "golden", key: "cases.jsonl" };
const secret: DatasetSource = { ...configMap, kind: "Secret" };
const base64 = (text: string) => Buffer.from(text).toString("base64");
const object = (fields: object, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "golden", labels },
  ...fields,
});

function textOf(source: DatasetSource, from: KubeObject): string {
  const sourced = sourceDataset(source, from);
  if (sourced.state === "held") throw new Error(sourced.message);
  return Buffer.from(sourced.bytes).toString("utf8");
}

describe("a ConfigMap", () => {
  test.each([
    ["data", { data: { "cases.jsonl": "ä" } }, "ä"],
    ["binaryData", { binaryData: { "cases.jsonl": base64("ä\n") } }, "ä\n"],
    [
      "data before binaryData",
      { data: { "cases.jsonl": "a" }, binaryData: { "cases.jsonl": base64("b") } },
      "a",
    ],
    ["an empty key as it is", { data: { "cases.jsonl": "" } }, ""],
  ])("gives its %s", (_, fields, text) => {
    expect(textOf(configMap, object(fields))).toBe(text);
  });

  it("28: that does not exist holds the candidate", () => {
    expect(sourceDataset(configMap, undefined)).toEqual({
      state: "held",
      reason: "DatasetNotFound",
      message: "ConfigMap golden does not exist: create it, with the key cases.jsonl",
    });
  });

  test.each([{}, { data: {} }, { data: { other: "a" } }, { data: null }])(
    "without the key, as %j, holds the candidate",
    (fields) => {
      expect(sourceDataset(configMap, object(fields))).toMatchObject({
        state: "held",
        reason: "DatasetKeyNotFound",
      });
    },
  );
});

describe("a Secret", () => {
  const data = { data: { "cases.jsonl": base64("a") } };

  it("with the label of datasets gives its data", () => {
    const labels = { "decisionmodel.io/eval-dataset": "true", "decisionmodel.io/api-key": "true" };
    expect(textOf(secret, object(data, labels))).toBe("a");
    expect(sourceDataset(secret, object(data, labels))).toMatchObject({ deprecatedLabel: false });
  });

  it("30: with the label of API keys alone does so too, and says that it is deprecated", () => {
    const labels = { "decisionmodel.io/api-key": "true" };
    expect(sourceDataset(secret, object(data, labels))).toMatchObject({
      state: "found",
      deprecatedLabel: true,
    });
  });

  test.each([
    {},
    { "decisionmodel.io/eval-dataset": "yes" },
    { "decisionmodel.io/download-token": "true" },
  ])("29: labelled %j holds the candidate, and nothing of it is read", (labels) => {
    expect(sourceDataset(secret, object(data, labels))).toEqual({
      state: "held",
      reason: "SecretNotAllowed",
      message:
        'Secret golden is not labelled for evaluation: add the label decisionmodel.io/eval-dataset: "true"',
    });
  });
});
