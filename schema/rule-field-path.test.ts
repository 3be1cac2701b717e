import { expect, it } from "vitest";
import { readStructure } from "./read-schema.ts";
import { isRuleFieldPath, readRuleFieldPath } from "./rule-field-path.ts";

const text = { type: "string" };
const raw = {
  type: "object",
  properties: {
    a: { type: "object", properties: { b: text, "x.y": text, "it's": text, "[0]": text } },
    m: { type: "object", additionalProperties: { type: "object", properties: { c: text } } },
    l: { type: "array", items: text },
  },
};

it.each([
  [".a", "a", ["a"]],
  [".a.b", "a.b", ["a", "b"]],
  ["['a']['b']", "a.b", ["a", "b"]],
  [".a['x.y']", "a.x.y", ["a", "x.y"]],
  [".a['it\\'s']", "a.it's", ["a", "it's"]],
  [".a['[0]']", "a.[0]", ["a", "[0]"]],
  [".m.k", "m[k]", ["m", "k"]],
  [".m['k'].c", "m[k].c", ["m", "k", "c"]],
])("reads %s", (path, shown, steps) => {
  expect(readRuleFieldPath(path, readStructure(raw))).toEqual({ text: shown, steps });
  expect(isRuleFieldPath(path, raw)).toBe(true);
});

it.each([
  "a",
  ".",
  ".x",
  ".a.c",
  ".a.",
  "..a",
  ".a[b]",
  ".l[0]",
  ".l['0']",
  ".a['b'",
  ".a['\\q']",
  ".a.b.c",
  " .a",
])("refuses %j", (path) => {
  expect(readRuleFieldPath(path, readStructure(raw))).toBeUndefined();
  expect(isRuleFieldPath(path, raw)).toBe(false);
});
