import fc from "fast-check";
import { expect, test } from "vitest";
import { mergePatch } from "./merge-patch.ts";

test.each([
  [{}, {}, undefined],
  [{ a: 1 }, { a: 1 }, undefined],
  [{ a: 1 }, {}, { a: null }],
  [{}, { a: [1] }, { a: [1] }],
  [{ a: [1, 2] }, { a: [1] }, { a: [1] }],
  [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, { a: { c: null } }],
  [{ a: { b: 1 } }, { a: "x" }, { a: "x" }],
  [{ a: undefined }, {}, undefined],
])("%j to %j takes %j", (before, after, patch) => {
  expect(mergePatch(before, after)).toEqual(patch);
});

/** RFC 7386, as its text gives it. */
function apply(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const object =
    typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  const result: Record<string, unknown> = { ...object };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = apply(result[key], value);
  }
  return result;
}

test("a patch, applied, gives what was wanted", () => {
  const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      fc.integer({ max: 3 }),
      fc.array(fc.integer({ max: 2 }), { maxLength: 2 }),
      tie("object"),
    ),
    object: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("node"), { maxKeys: 3 }),
  })).object;
  fc.assert(
    fc.property(value, value, (before, after) => {
      const [left, right] = [before, after] as Record<string, unknown>[];
      const patch = mergePatch(left ?? {}, right ?? {});
      expect(apply(before, patch ?? {})).toEqual(after);
    }),
    { seed: 20261201 },
  );
});
