import { expect, it } from "vitest";
import { FloatLiteral } from "../schema/number.ts";
import { plainScalar } from "./yaml-scalar.ts";

it.each([
  ["8000", 8000],
  ["-1", -1],
  ["+5", 5],
  ["1_000", 1000],
  ["0x1F", 31],
  ["0b101", 5],
  ["017", 15],
  ["0o17", 15],
  ["9007199254740991", 9007199254740991],
  ["9007199254740993", 9007199254740993n],
  ["9223372036854775808", 9223372036854775808n],
  ["8000.0", new FloatLiteral(8000)],
  ["8e3", new FloatLiteral(8000)],
  ["99999999999999999999", new FloatLiteral(1e20)],
  [".5", 0.5],
  ["-1.5", -1.5],
  ["yes", true],
  ["Off", false],
  ["n", false],
  ["True", true],
  ["", null],
  ["~", null],
  ["Null", null],
  // Text, although other readers of YAML see more in it.
  ["22:22", "22:22"],
  ["2026-01-02", "2026-01-02"],
  ["1.2.3", "1.2.3"],
  ["089", new FloatLiteral(89)],
  ["nope", "nope"],
  ["-", "-"],
  [".", "."],
  ["1e999", "1e999"],
])("reads %j as Kubernetes' parser does", (source, value) => {
  expect(plainScalar(source)).toEqual(value);
});
