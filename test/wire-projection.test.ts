import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldTree } from "../functions/composition/requirement.ts";
import { MalformedMessage } from "../functions/wire/malformed.ts";
import { decodeRequest } from "../functions/wire/request.ts";
import { isRecord } from "../kube/object.ts";
import { encodeRequest } from "./wire-messages.ts";

const xr = { apiVersion: "example.org/v1", kind: "Example", metadata: { name: "x" } };

/** The only required object, read whole or in part. */
function read(object: object, fields?: FieldTree): unknown {
  const decoded = decodeRequest(
    encodeRequest({ composite: xr, required: { one: [{ ...xr, ...object }] } }),
  );
  if ("problem" in decoded) throw new Error(decoded.problem);
  const found = decoded.request.required("one", fields);
  if (found.state !== "present") throw new Error(found.state);
  return found.value[0];
}

/** What a tree names of a value that was read whole. */
function project(value: unknown, fields: true | FieldTree): unknown {
  if (fields === true) return value;
  if (Array.isArray(value)) return value.map((item) => project(item, fields));
  if (!isRecord(value)) return value;
  const named = Object.keys(value).filter((name) => Object.hasOwn(fields, name));
  return Object.fromEntries(
    named.map((name) => [name, project(value[name], fields[name] as true | FieldTree)]),
  );
}

const identity = {
  apiVersion: true,
  kind: true,
  metadata: { name: true, namespace: true },
} as const;

describe("a required object that is read in part", () => {
  test.each([
    ["a field", { spec: 1, status: 2 }, { spec: true }, { spec: 1 }],
    ["a field of a field", { spec: { a: 1, b: 2 } }, { spec: { a: true } }, { spec: { a: 1 } }],
    [
      "a field of each item of a list",
      { spec: [{ a: 1, b: 2 }, { b: 3 }, [{ a: 4, b: 5 }], "text"] },
      { spec: { a: true } },
      { spec: [{ a: 1 }, {}, [{ a: 4 }], "text"] },
    ],
    ["what is no object as it is", { spec: null }, { spec: { a: true } }, { spec: null }],
    ["nothing of a field that is not there", {}, { spec: { a: true } }, {}],
    ["nothing for an inherited name", { spec: { toString: 1 } }, { spec: {} }, { spec: {} }],
  ] as const)("is %s", (_, object, fields, expected) => {
    expect(read(object, fields)).toStrictEqual({ ...xr, ...expected });
  });

  test("is what its whole says, whatever is named", () => {
    const name = fc.constantFrom(
      ..."a b c __proto__ constructor metadata status atProvider manifest managedFields".split(" "),
    );
    const { value, tree } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom(null, true, 1.5, "", "text"),
        fc.array(tie("value"), { maxLength: 3 }),
        tie("object"),
      ),
      object: fc
        .array(fc.tuple(name, tie("value")), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries)),
      tree: fc
        .array(fc.tuple(name, fc.oneof({ depthSize: "small" }, fc.constant(true), tie("tree"))), {
          maxLength: 4,
        })
        .map((entries) => Object.fromEntries(entries)),
    }));
    fc.assert(
      fc.property(value, value, tree, (spec, status, fields) => {
        const metadata = { name: "x", managedFields: [spec] };
        const object = { metadata, spec, status };
        const all: FieldTree = { ...(fields as FieldTree), spec: fields as FieldTree };
        const named = isRecord(all.metadata) ? { ...identity.metadata, ...all.metadata } : true;
        const wanted = { ...all, ...identity, metadata: all.metadata ? named : identity.metadata };
        expect(JSON.stringify(read(object, all))).toBe(
          JSON.stringify(project(read(object), wanted as FieldTree)),
        );
      }),
      { seed: 20261201, numRuns: 500 },
    );
  });

  test("is checked in what is read, and only there", () => {
    // The text is as long as the bytes that it is replaced with, so that every length stays right.
    const text = "x".repeat(40);
    const valid = encodeRequest({
      composite: xr,
      required: { one: [{ ...xr, spec: { members: [{ template: text, role: "r" }] } }] },
    });
    valid[valid.indexOf(text)] = 0xff;
    const decoded = decodeRequest(valid);
    if ("problem" in decoded) throw new Error(decoded.problem);
    const { required } = decoded.request;
    expect(required("one", { spec: { members: { role: true } } })).toStrictEqual({
      state: "present",
      value: [{ ...xr, spec: { members: [{ role: "r" }] } }],
    });
    expect(() => required("one", { spec: true })).toThrow(MalformedMessage);
    expect(() => required("one")).toThrow(MalformedMessage);
  });

  test("is decoded once for each tree, and never answers for another", () => {
    const decoded = decodeRequest(
      encodeRequest({ composite: xr, required: { one: [{ ...xr, spec: 1, status: 2 }] } }),
    );
    if ("problem" in decoded) throw new Error(decoded.problem);
    const { required } = decoded.request;
    const tree = { spec: true } as const;
    expect(required("one", tree)).toBe(required("one", tree));
    expect(required("one", { status: true })).toMatchObject({ value: [{ ...xr, status: 2 }] });
    expect(required("one")).toMatchObject({ value: [{ ...xr, spec: 1, status: 2 }] });
    expect(required("other", tree)).toStrictEqual({ state: "unresolved" });
  });
});
