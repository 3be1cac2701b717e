import { expect, it } from "vitest";
import { FloatLiteral } from "./number.ts";
import { jsonText, valueText } from "./wording.ts";

it.each([
  [8000, "8000"],
  [2 ** 53, "9007199254740992"],
  [9223372036854775807n, "9223372036854775807"],
  [2n ** 63n, "9.223372036854776e+18"],
  [new FloatLiteral(8000), "8000"],
  [new FloatLiteral(8_000_000), "8e+06"],
  [1.5, "1.5"],
  [0.0001, "0.0001"],
  [0.00001, "1e-05"],
  [1e21, "1e+21"],
  [true, "true"],
  [null, "null"],
  [{ b: 1, a: "<&>" }, '{"a":"\\u003c\\u0026\\u003e","b":1}'],
  [[1n, "x"], '[1,"x"]'],
])("prints value %# as Go does", (value, text) => {
  expect(valueText(value)).toBe(text);
});

it("sorts keys and keeps integers exact in JSON", () => {
  expect(jsonText({ z: 9007199254740993n, a: { c: undefined, b: [] } })).toBe(
    '{"a":{"b":[],"c":null},"z":9007199254740993}',
  );
});
