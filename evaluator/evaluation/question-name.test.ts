import { expect, test } from "vitest";
import { questionName } from "./question-name.ts";

test.each([
  ["an identifier of 63 bytes stays", "q".repeat(63), /^q{63}$/],
  ["23: one of 70 becomes 54, a dash and 8 digits", "q".repeat(70), /^q{54}-[0-9a-f]{8}$/],
  ["23: no character is split", `a${"ö".repeat(70)}`, /^aö{26}-[0-9a-f]{8}$/u],
  ["23: nor one of four bytes", "😀".repeat(20), /^(😀){13}-[0-9a-f]{8}$/u],
  ["an empty one stays", "", /^$/],
])("%s", (_, id, name) => {
  expect(questionName(id)).toMatch(name);
  expect(Buffer.byteLength(questionName(id))).toBeLessThanOrEqual(63);
});

test("identifiers that begin alike have different names", () => {
  expect(questionName(`${"q".repeat(70)}a`)).not.toBe(questionName(`${"q".repeat(70)}b`));
});
