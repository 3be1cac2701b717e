import { expect, test } from "vitest";
import { excerpt, quoteFindings, quoteProblems } from "./findings.ts";

test("a text is cut where it is too long, and never within a character", () => {
  expect(excerpt("abc", 3)).toBe("abc");
  expect(excerpt("abcd", 3)).toBe("abc…");
  expect(excerpt("ab😀d", 3)).toBe("ab…");
  expect(excerpt("a😀cd", 3)).toBe("a😀…");
});

test("of many long problems the beginnings of eight are quoted, and the rest counted", () => {
  const problems = Array.from({ length: 10 }, (_, at) => `${at}${"x".repeat(10_000)}`);
  const quoted = quoteProblems(problems);
  expect(quoted.match(/[0-9]x/g)).toEqual(["0x", "1x", "2x", "3x", "4x", "5x", "6x", "7x"]);
  expect(quoted.endsWith("; and 2 more")).toBe(true);
  expect(quoted.length).toBeLessThan(8_100);
});

test("a finding whose field the API server leaves out is quoted without", () => {
  const type = "FieldValueInvalid";
  expect(
    quoteFindings([
      { type, field: "spec.a", path: ["spec", "a"], message: "Invalid value: 1" },
      { type, field: "<nil>", path: [], message: "some rules were not checked" },
    ]),
  ).toBe("spec.a: Invalid value: 1; some rules were not checked");
});
