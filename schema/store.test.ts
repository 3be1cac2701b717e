import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSchema } from "./read-schema.ts";
import { store } from "./store.ts";

const read = readSchema({
  type: "object",
  properties: {
    text: { type: "string", default: "t" },
    list: {
      type: "array",
      items: {
        type: "object",
        properties: { n: { type: "integer", default: 1 }, m: { type: "string" } },
      },
    },
    map: { type: "object", additionalProperties: { type: "string" } },
    open: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "object", properties: {} } },
    },
    nested: {
      type: "object",
      properties: {
        deep: {
          type: "object",
          default: {},
          properties: { leaf: { type: "boolean", default: true } },
        },
      },
    },
  },
});
if (!read.ok) throw new Error(read.problems[0]?.message);
const { schema } = read;

const name = fc.constantFrom("a", "constructor", "__proto__", "toString", "length", "text", "n");
const dictionary = <T>(values: fc.Arbitrary<T>) =>
  fc.dictionary(name, values, { maxKeys: 4, noNullPrototype: true });
const declared = fc.record(
  {
    text: fc.string({ unit: "grapheme" }),
    list: fc.array(
      fc.record(
        { n: fc.integer(), m: fc.string({ unit: "grapheme" }) },
        { requiredKeys: [], noNullPrototype: true },
      ),
      { maxLength: 3 },
    ),
    map: dictionary(fc.string({ unit: "grapheme" })),
    open: dictionary(fc.oneof(fc.constant(null), fc.integer(), fc.constant([null, { a: null }]))),
    nested: fc.record(
      { deep: fc.record({ leaf: fc.boolean() }, { requiredKeys: [], noNullPrototype: true }) },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** Whether everything in `part` is in `whole` too, own keys only. */
function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return Object.is(whole, part);
  if (typeof whole !== "object" || whole === null) return false;
  return Object.keys(part).every(
    (key) => Object.hasOwn(whole, key) && contains(whole[key as never], part[key as never]),
  );
}

describe("store", () => {
  it("loses no declared field", () => {
    fc.assert(
      fc.property(declared, (object) => {
        const { object: stored, unknown } = store(object, schema);
        expect(unknown).toEqual([]);
        expect(contains(stored, object)).toBe(true);
      }),
    );
  });

  it("is done once it is done", () => {
    fc.assert(
      fc.property(fc.oneof(declared, dictionary(fc.jsonValue())), (object) => {
        const once = store(object as Record<string, unknown>, schema).object;
        const twice = store(once, schema);
        expect(twice.object).toEqual(once);
        expect(twice.unknown).toEqual([]);
      }),
    );
  });

  it("fills in what is missing, down to the leaves", () => {
    expect(store({ list: [{}, { n: 2 }], nested: {} }, schema).object).toEqual({
      text: "t",
      list: [{ n: 1 }, { n: 2 }],
      nested: { deep: { leaf: true } },
    });
  });

  it("drops and names what is unknown, with the nearest known name", () => {
    const { object, unknown } = store(
      { txet: 1, list: [{ N: 1, m: "x", z: 2 }], open: { known: { a: 1 }, b: { c: 1 } } },
      schema,
    );
    expect(object).toEqual({
      text: "t",
      list: [{ n: 1, m: "x" }],
      open: { known: {}, b: { c: 1 } },
    });
    expect(unknown).toEqual([
      { field: "list[0].N", path: ["list", 0, "N"], nearest: "n" },
      { field: "list[0].z", path: ["list", 0, "z"] },
      { field: "open.known.a", path: ["open", "known", "a"] },
      { field: "txet", path: ["txet"] },
    ]);
  });

  it("empties what stands where something else belongs, as the API server does", () => {
    expect(store({ list: { a: 1 }, text: [{ b: 1 }] }, schema).object).toEqual({
      list: {},
      text: [{}],
    });
  });

  it("keeps apiVersion, kind and metadata at the root alone", () => {
    const root = { apiVersion: "v1", kind: "A", metadata: { name: "a", labells: {} } };
    expect(store({ ...root, nested: root }, schema)).toMatchObject({
      object: { ...root, metadata: { name: "a" }, nested: { deep: { leaf: true } } },
      unknown: [
        { field: "metadata.labells", nearest: "labels" },
        { field: "nested.apiVersion" },
        { field: "nested.kind" },
        { field: "nested.metadata" },
      ],
    });
  });
});
