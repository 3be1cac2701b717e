import { expect, it } from "vitest";
import { quote } from "./quote.ts";

it.each([
  ["a", '"a"'],
  ['"\\', '"\\"\\\\"'],
  ["\u0007\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'],
  ["\u0000\u001f\u007f", '"\\x00\\x1f\\x7f"'],
  ["é 😀", '"é 😀"'],
  ["\u00a0\u200b\ue000", '"\\u00a0\\u200b\\ue000"'],
  ["\u{e0001}", '"\\U000e0001"'],
])("quotes %j as Go does", (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});
