import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Correlation, isSame } from "./correlation.ts";
import { FloatLiteral } from "./number.ts";
import { readStructure } from "./read-schema.ts";

const text = { type: "string" };
const item = { type: "object", properties: { k: text, i: { type: "integer" }, v: text } };
const keyed = (...keys: readonly string[]) => ({
  type: "array",
  items: item,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
});
const schema = readStructure({
  type: "object",
  properties: {
    a: text,
    one: keyed("k"),
    two: keyed("k", "i"),
    set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    list: { type: "array", items: item },
    map: { type: "object", additionalProperties: text },
  },
});
const between = (value: unknown, old: unknown) => new Correlation(value, old, schema);

describe("a value of an update", () => {
  it("belongs to the property or entry of its name", () => {
    const update = between({ a: "x", map: { k: "1" } }, { a: "y", map: { k: "2", l: "3" } });
    expect(update.child("a")?.old).toBe("y");
    expect(update.child("map")?.child("k")?.old).toBe("2");
    expect(update.child("map")?.child("l")).toBeUndefined();
    expect(update.child("unknown")).toBeUndefined();
  });

  it("belongs to the item with its keys, wherever that stood", () => {
    const update = between(
      { one: [{ k: "b" }, { k: "a" }, { k: "c" }, {}], two: [{ k: "a", i: 1 }] },
      {
        one: [
          { k: "a", v: "1" },
          { k: "b", v: "2" },
        ],
        two: [
          { k: "a", i: 2 },
          { k: "a", i: 1, v: "3" },
        ],
      },
    );
    const olds = [0, 1, 2, 3].map((index) => update.child("one")?.child(index)?.old);
    expect(olds).toEqual([{ k: "b", v: "2" }, { k: "a", v: "1" }, undefined, undefined]);
    expect(update.child("two")?.child(0)?.old).toEqual({ k: "a", i: 1, v: "3" });
  });

  it("belongs to nothing in a set or a list without keys", () => {
    const update = between({ set: ["a"], list: [{ k: "a" }] }, { set: ["a"], list: [{ k: "a" }] });
    expect(update.child("set")?.child(0)).toBeUndefined();
    expect(update.child("list")?.child(0)).toBeUndefined();
  });
});

describe("what has not changed", () => {
  it.each([
    [{ a: "x" }, { a: "x" }, true],
    [{ a: "x" }, { a: "y" }, false],
    [{ one: [{ k: "a" }, { k: "b" }] }, { one: [{ k: "b" }, { k: "a" }] }, true],
    [{ one: [{ k: "a" }] }, { one: [{ k: "a" }, { k: "b" }] }, false],
    [{ set: ["a", "b"] }, { set: ["b", "a"] }, false],
    [{ set: ["a", "b"] }, { set: ["a", "b"] }, true],
    [{ list: [{ k: "a" }] }, { list: [{ k: "a" }] }, true],
    [{ unknown: 1 }, { unknown: 1 }, false],
    [{ a: null }, { a: null }, true],
    [{}, {}, true],
  ])("%j after %j: %s", (value, old, unchanged) => {
    expect(between(value, old).isUnchanged).toBe(unchanged);
  });
});

describe("sameness", () => {
  const json = fc.jsonValue({ maxDepth: 3 });

  it("is that of JSON, whatever the order of members", () => {
    fc.assert(
      fc.property(json, json, (left, right) => {
        const sorted = (value: unknown): string =>
          JSON.stringify(value, (_, one) =>
            typeof one === "object" && one !== null && !Array.isArray(one)
              ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
              : one,
          );
        expect(isSame(left, right)).toBe(sorted(left) === sorted(right));
        expect(isSame(left, structuredClone(left))).toBe(true);
      }),
    );
  });

  it("tells a float from the integer, and not how an integer is held", () => {
    expect(isSame(8000, new FloatLiteral(8000))).toBe(false);
    expect(isSame(8000, 8000n)).toBe(true);
  });
});
