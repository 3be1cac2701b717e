import { describe, expect, test } from "vitest";
import { scaleFindings } from "./scale.ts";

const told = (object: unknown) =>
  scaleFindings(object, ".spec.replicas").map(({ field, message }) => `${field}: ${message}`);

describe("what a scale subresource demands beyond the schema", () => {
  test.each([
    [{}],
    [{ spec: {} }],
    [{ spec: { replicas: 0 } }],
    [{ spec: { replicas: 2 ** 31 - 1 } }],
  ])("nothing of %j", (object) => {
    expect(told(object)).toEqual([]);
  });

  test.each([
    [{ spec: { replicas: -1 } }, "Invalid value: -1: should be a non-negative integer"],
    [
      { spec: { replicas: 2 ** 31 } },
      "Invalid value: 2147483648: should be less than or equal to 2147483647",
    ],
    [
      { spec: { replicas: 1.5 } },
      "Invalid value: 0: .spec.replicas accessor error: 1.5 is not of the type int64",
    ],
    [
      { spec: { replicas: [[1]] } },
      "Invalid value: 0: .spec.replicas accessor error: [[1]] is not of the type int64",
    ],
    [
      { spec: "x" },
      'Invalid value: 0: .spec.replicas accessor error: "x" is not of the type map[string]interface {}',
    ],
  ])("of %j", (object, message) => {
    expect(told(object)).toEqual([`.spec.replicas: ${message}`]);
  });
});
