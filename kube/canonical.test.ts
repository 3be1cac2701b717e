import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, fingerprint, jsonEqual, sha256Hex, sortKeys } from "./canonical.ts";

/** Copies a value with the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reversed(member)] as const);
  return Object.fromEntries(entries.reverse());
}

describe("canonicalJson", () => {
  test.each([
    [{ b: 1, a: [true, null, "x"] }, '{"a":[true,null,"x"],"b":1}'],
    [{ a: undefined, b: {} }, '{"b":{}}'],
    [[undefined], "[null]"],
    [{ "10": 1, "9": 2 }, '{"10":1,"9":2}'],
    ['"', '"\\""'],
  ])("%j is %s", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test("is JSON of an equal value, whatever the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("keeps a key that is named like a prototype's", () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
    expect(JSON.stringify(sortKeys(JSON.parse('{"__proto__":1}')))).toBe('{"__proto__":1}');
  });
});

describe("jsonEqual", () => {
  test("agrees with the canonical text", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(jsonEqual(a, reversed(a))).toBe(true);
        expect(jsonEqual(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
      }),
    );
  });

  test.each([
    [{ toString: 1 }, {}],
    [[1], { 0: 1 }],
    [{ a: 1 }, { b: 1 }],
    [null, {}],
  ])("%j is not %j", (a, b) => {
    expect(jsonEqual(a, b)).toBe(false);
  });
});

describe("fingerprint", () => {
  test("is shared by equal values", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(fingerprint(reversed(value))).toBe(fingerprint(value));
      }),
    );
  });

  test("tells values apart that hold the same in other places", () => {
    const values = ["a", "b", ["a", "b"], ["b", "a"], [["a"], "b"], { a: "b" }, { b: "a" }];
    const more = [{ a: "a", b: "b" }, { a: "b", b: "a" }, { a: { b: "a" } }, {}, [], "", null];
    expect(new Set([...values, ...more].map(fingerprint)).size).toBe(14);
  });
});

test("sha256Hex hashes UTF-8 and cuts", () => {
  expect(sha256Hex("é", 8)).toBe("4a99557e");
});
