import { describe, expect, it } from "vitest";
import {
  type GoType,
  goInteger,
  goKept,
  goList,
  goMap,
  goQuantity,
  goString,
  goStruct,
} from "./go-json.ts";

const text = goKept(goString, '""');

// What Go 1.25's encoding/json writes for the same value in a field with `omitempty`.
describe("what Go writes", () => {
  it.each<[string, GoType, unknown, string | undefined]>([
    ["an empty string", goString, "", undefined],
    ["HTML in a string", goString, "<a> & b\u2028", '"\\u003ca\\u003e \\u0026 b\\u2028"'],
    ["a control character", goString, 'tab\t"\u0001', '"tab\\t\\"\\u0001"'],
    ["a kept empty string", text, undefined, '""'],
    ["a pointer to zero", goInteger, 0, "0"],
    ["no pointer", goInteger, undefined, undefined],
    ["an empty list", goList(goString), [], undefined],
    ["an empty string in a list", goList(goString), ["", "a"], '["","a"]'],
    ["an empty map", goMap(goString), {}, undefined],
    [
      "a map with keys like numbers",
      goMap(goString),
      { 9: "", 10: "x", a: "b" },
      '{"10":"x","9":"","a":"b"}',
    ],
    ["an empty struct behind a pointer", goStruct({ a: goString }), {}, "{}"],
    [
      "fields in the order of the type",
      goStruct({ b: text, a: goString }),
      { a: "1", b: "" },
      '{"b":"","a":"1"}',
    ],
    ["fields that the type does not have", goStruct({ a: text }), { a: "1", c: "2" }, '{"a":"1"}'],
  ])("%s", (_what, type, value, written) => {
    expect(type(value)).toBe(written);
  });

  it.each([
    ["1000m", "1"],
    ["1.5Gi", "1536Mi"],
    ["1e3", "1e3"],
    ["0.1", "100m"],
    ["1048576000", "1048576k"],
    ["1000Mi", "1000Mi"],
    ["0", "0"],
    [2.5, "2500m"],
    [1, "1"],
    // The API takes it, and Kubernetes' parser does not.
    ["1e1.5", "1e1.5"],
  ])("the quantity %s as %s", (value, written) => {
    expect(goQuantity(value)).toBe(`"${written}"`);
  });
});
