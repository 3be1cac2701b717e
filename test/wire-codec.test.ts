import { isDeepStrictEqual } from "node:util";
import { Resource, RunFunctionResponse } from "@crossplane-org/function-sdk-typescript";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Composition } from "../functions/composition/composition.ts";
import { MalformedMessage } from "../functions/wire/malformed.ts";
import { WireReader } from "../functions/wire/reader.ts";
import { decodeRequest, type Envelope } from "../functions/wire/request.ts";
import { encodeResponse } from "../functions/wire/response.ts";
import { readStruct } from "../functions/wire/struct-decoder.ts";
import { UnencodableValue, writeStruct } from "../functions/wire/struct-encoder.ts";
import { WireWriter } from "../functions/wire/writer.ts";
import { encodeRequest, frame } from "./wire-messages.ts";

type Fields = Record<string, unknown>;

/** Well-formed text: a lone surrogate has no UTF-8. */
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: "grapheme", maxLength: 70 }),
  fc.constantFrom("", "metadata", "x".repeat(31), "x".repeat(32), "x".repeat(48), "é".repeat(130)),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(0, -0, 2 ** 53, 2 ** 63, Number.MAX_VALUE, Number.MIN_VALUE),
);
const json = (key: fc.Arbitrary<string>) =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: "medium" },
      fc.constant(null),
      fc.boolean(),
      number,
      text,
      fc.array(tie("value"), { maxLength: 5 }),
      tie("fields"),
    ),
    fields: fc
      .array(fc.tuple(key, tie("value")), { maxLength: 6 })
      .map((entries) => Object.fromEntries(entries)),
  })).fields as fc.Arbitrary<Fields>;

const anyFields = json(fc.oneof(text, fc.constantFrom("__proto__", "constructor", "10", "9")));
/** Keys that the SDK keeps and that JavaScript does not reorder. */
const plainFields = json(text.map((key) => `k${key}`));

function encode(fields: object): Buffer {
  const writer = new WireWriter(8);
  writeStruct(writer, fields);
  return Buffer.from(writer.finish());
}

function decode(bytes: Buffer): Fields {
  return readStruct(new WireReader(bytes), bytes.length);
}

/** The Struct inside a Resource message that the SDK encoded. */
function encodeWithSdk(fields: Fields): Buffer {
  const bytes = Resource.encode({ resource: fields, connectionDetails: {}, ready: 0 }).finish();
  const reader = new WireReader(Buffer.from(bytes));
  reader.tag(bytes.length);
  return reader.raw(bytes.length);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, sortKeys(item)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = "bottom";
  for (let i = 0; i < levels; i++) value = wrap(value);
  return value;
}

describe("Struct", () => {
  test("what is encoded decodes to the same, whatever its keys", () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        // vitest's own comparison is misled by a field named constructor
        expect(isDeepStrictEqual(decode(encode(fields)), fields)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("decodes as the SDK does", () => {
    fc.assert(
      fc.property(plainFields, (fields) => {
        const bytes = Resource.encode({
          resource: fields,
          connectionDetails: {},
          ready: 0,
        }).finish();
        expect(decode(encodeWithSdk(fields))).toStrictEqual(Resource.decode(bytes).resource);
      }),
      { numRuns: 2_000 },
    );
  });

  test("encodes to the SDK's bytes, keys sorted", () => {
    fc.assert(
      fc.property(plainFields, (fields) => {
        expect(encode(fields).equals(encodeWithSdk(sortKeys(fields) as Fields))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("equal objects give equal bytes, whatever order their keys came in", () => {
    const one = { b: 1, a: { y: [1], x: null }, "10": 0, "9": 0 };
    const other = { "9": 0, a: { x: null, y: [1] }, "10": 0, b: 1 };
    expect(encode(one)).toStrictEqual(encode(other));
  });

  test("drops undefined fields, keeps null, empty lists and empty objects", () => {
    const fields = { a: undefined, b: null, c: [], d: {}, e: "" };
    expect(decode(encode(fields))).toStrictEqual({ b: null, c: [], d: {}, e: "" });
  });

  test("keeps a __proto__ key as a field and touches no prototype", () => {
    const fields = JSON.parse('{"a":{"__proto__":{"polluted":true}}}');
    const decoded = decode(encode(fields));
    expect(JSON.stringify(decoded)).toBe('{"a":{"__proto__":{"polluted":true}}}');
    expect((decoded.a as Fields).polluted).toBeUndefined();
    expect(({} as Fields).polluted).toBeUndefined();
  });

  test.each([1, 31, 32, 900, 999])("carries %d nested objects and lists", (levels) => {
    const objects = { top: nested(levels, (inner) => ({ inner })) };
    const lists = { top: nested(levels, (inner) => [inner]) };
    expect(decode(encode(objects))).toStrictEqual(objects);
    expect(decode(encode(lists))).toStrictEqual(lists);
  });

  test.each(["objects", "lists"])("refuses 1,001 nested %s", (kind) => {
    const wrap = kind === "objects" ? (inner: unknown) => ({ inner }) : (inner: unknown) => [inner];
    const bytes = encode({ top: nested(1_000, wrap) });
    expect(() => decode(bytes)).toThrow("nested deeper than 1000 levels");
  });

  test.each([
    ["NaN", { spec: { replicas: Number.NaN } }, "spec.replicas is NaN"],
    ["infinity", { a: [1, { b: Number.NEGATIVE_INFINITY }] }, "a[1].b is -Infinity"],
    ["undefined in a list", { a: [undefined] }, "a[0] is undefined"],
    ["bigint", { a: 1n }, "a is 1"],
    ["Date", { a: { when: new Date(0) } }, "a.when is a Date"],
    ["too deep", { a: nested(2_001, (inner) => [inner]) }, "nested deeper than 2000 levels"],
  ])("refuses to encode %s and names the path", (_, fields, message) => {
    expect(() => encode(fields)).toThrow(UnencodableValue);
    expect(() => encode(fields)).toThrow(message);
  });

  test("refuses a cycle", () => {
    const cycle: Fields = {};
    cycle.self = cycle;
    expect(() => encode(cycle)).toThrow("contains itself");
  });
});

/** A Struct with one field `a` whose encoded Value is given. */
const structOf = (...value: (Uint8Array | string)[]) =>
  frame(0x0a, frame(0x0a, "a"), frame(0x12, ...value));
const bytes = (...values: number[]) => Buffer.from(values);

describe("malformed Struct", () => {
  test.each([
    ["truncated entry", bytes(0x0a, 0x05, 0x0a), "does not fit"],
    ["truncated length", bytes(0x0a, 0x80), "cut off"],
    ["truncated double", structOf(bytes(0x11, 0, 0, 0)), "cut off"],
    ["length beyond 4 GiB", bytes(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), "does not fit"],
    ["overlong varint", structOf(bytes(0x20, ...Array(10).fill(0x80), 0x01)), "64 bits"],
    ["varint of 65 bits", structOf(bytes(0x20, ...Array(9).fill(0xff), 0x02)), "64 bits"],
    ["field number 0", bytes(0x02, 0x00), "field number 0"],
    ["field number out of range", bytes(0x82, 0x80, 0x80, 0x80, 0x80, 0x01, 0), "out of range"],
    ["group", bytes(0x0b, 0x0c), "a group"],
    ["wire type 6", bytes(0x0e), "wire type 6"],
    ["wire type 7", bytes(0x0f), "wire type 7"],
    ["known field of another type", bytes(0x08, 0x01), "field 1 has wire type 0"],
    ["string as a number", structOf(bytes(0x18, 0x01)), "field 3 has wire type 0"],
    ["short bad UTF-8", structOf(frame(0x1a, bytes(0xc3))), "UTF-8"],
    ["overlong UTF-8", structOf(frame(0x1a, bytes(0xc0, 0x80))), "UTF-8"],
    ["surrogate in UTF-8", structOf(frame(0x1a, bytes(0xed, 0xa0, 0x80))), "UTF-8"],
    ["long bad UTF-8", structOf(frame(0x1a, "x".repeat(60), bytes(0xff))), "UTF-8"],
    ["bad UTF-8 in a key", frame(0x0a, frame(0x0a, bytes(0xff))), "UTF-8"],
    ["NaN", structOf(bytes(0x11, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f)), "NaN is no number"],
    ["infinity", structOf(bytes(0x11, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f)), "Infinity is no number"],
  ])("refuses %s", (_, encoded, message) => {
    expect(() => decode(encoded)).toThrow(MalformedMessage);
    expect(() => decode(encoded)).toThrow(message);
  });

  test.each([
    ["a Value without a kind", structOf(), { a: null }],
    ["an entry without a value", frame(0x0a, frame(0x0a, "a")), { a: null }],
    ["an entry without a key", frame(0x0a, frame(0x12, frame(0x1a, "v"))), { "": "v" }],
    [
      "a value before its key",
      frame(0x0a, frame(0x12, frame(0x1a, "v")), frame(0x0a, "a")),
      { a: "v" },
    ],
    ["a repeated scalar: the last", structOf(frame(0x1a, "x"), frame(0x1a, "y")), { a: "y" }],
    [
      "a repeated key: the last",
      Buffer.concat([structOf(frame(0x1a, "x")), structOf(frame(0x1a, "y"))]),
      { a: "y" },
    ],
    ["kinds in a row: the last", structOf(frame(0x1a, "x"), bytes(0x20, 1)), { a: true }],
    [
      "unknown fields of every type",
      Buffer.concat([
        structOf(
          bytes(0x20, 0),
          bytes(0x78, 1),
          bytes(0x7d, 1, 2, 3, 4),
          bytes(0x79, 1, 2, 3, 4, 5, 6, 7, 8),
        ),
        frame(0x7a, "later"),
      ]),
      { a: false },
    ],
    ["a boolean in ten bytes", structOf(bytes(0x20, ...Array(9).fill(0x80), 0x01)), { a: true }],
    [
      "a replacement character of the text itself",
      structOf(frame(0x1a, `${"x".repeat(60)}\ufffd`)),
      { a: `${"x".repeat(60)}\ufffd` },
    ],
  ])("reads %s", (_, encoded, fields) => {
    expect(decode(encoded)).toStrictEqual(fields);
  });
});

const xr = { apiVersion: "modelplane.ai/v1alpha1", kind: "ModelReplica", metadata: { name: "r" } };

describe("request", () => {
  test("hostile bytes give a value or a MalformedMessage, never another error", () => {
    const valid = encodeRequest({ tag: "t", composite: xr, observed: { a: xr }, input: xr });
    const mutated = fc
      .tuple(fc.nat(valid.length - 1), fc.uint8Array({ maxLength: 6 }), fc.nat(6))
      .map(([at, inserted, removed]) =>
        Buffer.concat([valid.subarray(0, at), inserted, valid.subarray(at + removed)]),
      );
    const hostile = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((b) => Buffer.from(b)),
      mutated,
    );
    fc.assert(fc.property(hostile, touchAll), { numRuns: 20_000 });
  });

  test("every truncation is handled", () => {
    const valid = encodeRequest({
      tag: "t",
      composite: xr,
      observed: { a: xr },
      required: { c: [xr] },
    });
    for (let end = 0; end < valid.length; end++) touchAll(valid.subarray(0, end));
  });

  test.each([
    ["no composite", {}, "observed.composite is missing"],
    [
      "no apiVersion",
      { composite: { kind: "A" } },
      "observed.composite: apiVersion is missing, not a name",
    ],
    [
      "an odd kind",
      { composite: { ...xr, kind: 1 } },
      "observed.composite: kind is a number, not a name",
    ],
    [
      "a list as metadata",
      { composite: { ...xr, metadata: [] } },
      "metadata is a list, not an object",
    ],
    [
      "a label that is no string",
      { composite: { ...xr, metadata: { labels: { a: 1 } } } },
      'metadata.labels["a"] is a number, not a string',
    ],
    [
      "a name that is no string",
      { composite: { ...xr, metadata: { name: {} } } },
      "metadata.name is an object, not a string",
    ],
    [
      "a generation that is no number",
      { composite: { ...xr, metadata: { generation: "1" } } },
      "metadata.generation is a string, not a number",
    ],
    [
      "an input without a kind",
      { composite: xr, input: { apiVersion: "v1" } },
      "input: kind is missing, not a name",
    ],
  ])("names what is wrong: %s", (_, parts, problem) => {
    const decoded = decodeRequest(encodeRequest(parts));
    expect("problem" in decoded && decoded.problem).toContain(problem);
  });

  test("a malformed observed resource is an error only for who asks for it", () => {
    const decoded = decodeRequest(
      encodeRequest({ composite: xr, observed: { good: xr, 'b"d': {} } }),
    );
    if ("problem" in decoded) throw new Error(decoded.problem);
    expect(decoded.request.observed.keys).toStrictEqual(['b"d', "good"]);
    expect(decoded.request.observed.get("good")).toStrictEqual(xr);
    expect(() => decoded.request.observed.get('b"d')).toThrow(
      'observed.resources["b\\"d"]: apiVersion is missing, not a name',
    );
  });

  test("leaves out managedFields of stored objects, decodes those of a remote manifest on demand", () => {
    const managedFields = [{ manager: "lws" }];
    const object = (remote: unknown) => ({
      ...xr,
      metadata: { name: "r", creationTimestamp: null, managedFields: [{ manager: "crossplane" }] },
      status: { atProvider: { manifest: { metadata: { name: "r", managedFields: remote } } } },
    });
    const decoded = decodeRequest(encodeRequest({ composite: object(managedFields) }));
    if ("problem" in decoded) throw new Error(decoded.problem);
    const { composite } = decoded.request;
    expect(composite.metadata).toStrictEqual({ name: "r" });
    // Twice, since the first read decodes.
    for (let read = 0; read < 2; read++) {
      const { manifest } = (composite.status as Fields).atProvider as Fields;
      expect(manifest).toStrictEqual({ metadata: { name: "r", managedFields } });
    }
    expect(JSON.stringify(composite)).toContain('"managedFields":[{"manager":"lws"}]');
  });

  test("malformed bytes that are decoded on demand are an error for who reads them", () => {
    // The text is as long as the bytes that it is replaced with, so that every length stays right.
    const valid = encodeRequest({
      composite: {
        ...xr,
        status: { atProvider: { manifest: { metadata: { managedFields: "x".repeat(40) } } } },
      },
    });
    const at = valid.indexOf("x".repeat(40));
    const bad = Buffer.concat([valid.subarray(0, at), bytes(0xff), valid.subarray(at + 1)]);
    const decoded = decodeRequest(bad);
    if ("problem" in decoded) throw new Error(decoded.problem);
    expect(() => JSON.stringify(decoded.request.composite)).toThrow(MalformedMessage);
  });

  test("tells the three states of a required resource apart", () => {
    const named = (namespace: string, name: string) => ({ ...xr, metadata: { namespace, name } });
    const decoded = decodeRequest(
      encodeRequest({
        composite: xr,
        required: {
          empty: [],
          both: [xr],
          many: [named("b", "a"), named("a", "b"), named("a", "a")],
        },
        extra: { old: [xr], both: [] },
      }),
    );
    if ("problem" in decoded) throw new Error(decoded.problem);
    const { required } = decoded.request;
    expect(required("never")).toStrictEqual({ state: "unresolved" });
    expect(required("__proto__")).toStrictEqual({ state: "unresolved" });
    expect(required("empty")).toStrictEqual({ state: "absent" });
    expect(required("old")).toStrictEqual({ state: "present", value: [xr] });
    expect(required("both")).toStrictEqual({ state: "present", value: [xr] });
    expect(required("many")).toStrictEqual({
      state: "present",
      value: [named("a", "a"), named("a", "b"), named("b", "a")],
    });
  });
});

/** Decodes everything that a handler could ask for; only MalformedMessage may come out. */
function touchAll(encoded: Uint8Array): void {
  const decoded = decodeRequest(Buffer.from(encoded));
  if ("problem" in decoded) {
    expect(decoded.problem).not.toBe("");
    return;
  }
  const { observed, required } = decoded.request;
  try {
    for (const key of observed.keys) observed.get(key);
    required("c");
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
  }
}

const envelope = (parts: Parameters<typeof encodeRequest>[0]): Envelope => {
  const decoded = decodeRequest(encodeRequest({ composite: xr, ...parts }));
  if ("problem" in decoded) throw new Error(decoded.problem);
  return decoded.envelope;
};

const nothing: Composition = {
  resources: [],
  requirements: {},
  conditions: [],
  results: [],
  status: {},
};

describe("response", () => {
  test("is the SDK's, byte for byte", () => {
    const composition: Composition = {
      resources: [
        { key: "b", object: { apiVersion: "v1", kind: "ConfigMap" }, ready: false },
        { key: "a", object: { apiVersion: "v1", kind: "Secret" }, ready: true },
      ],
      requirements: {
        cluster: { apiVersion: "g/v1", kind: "Cluster", match: { name: "east" } },
        all: {
          apiVersion: "g/v1",
          kind: "Cluster",
          namespace: "n",
          match: { labels: { b: "", a: "1" } },
        },
        every: { apiVersion: "g/v1", kind: "Cluster", match: { labels: {} } },
      },
      conditions: [
        { type: "Accepted", status: "True", reason: "Fine" },
        { type: "Serving", status: "Unknown", reason: "Waiting", message: "é" },
        { type: "Holding", status: "False", reason: "Released", message: "" },
      ],
      results: [
        { severity: "Normal", message: "n", reason: "R" },
        { severity: "Warning", message: "w" },
        { severity: "Fatal", message: "f" },
      ],
      status: { replicas: 2 },
      ready: false,
    };
    const ours = encodeResponse(envelope({ tag: "t", context: { k: 1 } }), xr, composition);
    const selector = { apiVersion: "g/v1", kind: "Cluster" };
    const theirs = RunFunctionResponse.encode({
      meta: { tag: "t", ttl: { seconds: 60, nanos: 0 } },
      desired: {
        composite: {
          resource: { apiVersion: xr.apiVersion, kind: xr.kind, status: { replicas: 2 } },
          connectionDetails: {},
          ready: 2,
        },
        resources: {
          a: { resource: { apiVersion: "v1", kind: "Secret" }, connectionDetails: {}, ready: 1 },
          b: { resource: { apiVersion: "v1", kind: "ConfigMap" }, connectionDetails: {}, ready: 0 },
        },
      },
      results: [
        { severity: 3, message: "n", reason: "R" },
        { severity: 2, message: "w" },
        { severity: 1, message: "f" },
      ],
      context: { k: 1 },
      requirements: {
        extraResources: {},
        schemas: {},
        resources: {
          all: { ...selector, namespace: "n", matchLabels: { labels: { a: "1", b: "" } } },
          cluster: { ...selector, matchName: "east" },
          every: { ...selector, matchLabels: { labels: {} } },
        },
      },
      conditions: [
        { type: "Accepted", status: 2, reason: "Fine", target: 1 },
        { type: "Serving", status: 1, reason: "Waiting", message: "é", target: 1 },
        { type: "Holding", status: 3, reason: "Released", message: "", target: 1 },
      ],
    }).finish();
    expect(ours.toString("hex")).toBe(Buffer.from(theirs).toString("hex"));
  });

  test("leaves requirements, results, conditions and context unset when there are none", () => {
    const response = RunFunctionResponse.decode(encodeResponse(envelope({}), xr, nothing));
    expect(response.requirements).toBeUndefined();
    expect(response.context).toBeUndefined();
    expect(response.desired).toStrictEqual({ composite: undefined, resources: {} });
    expect(response.conditions).toStrictEqual([]);
    expect(response.results).toStrictEqual([]);
  });

  test("refuses two resources under one key", () => {
    const object = { apiVersion: "v1", kind: "ConfigMap" };
    const twice = { key: "a", object, ready: true };
    expect(() =>
      encodeResponse(envelope({}), xr, { ...nothing, resources: [twice, twice] }),
    ).toThrow("two resources are composed under the key a");
  });

  test("names the resource and the path of what protobuf can't carry", () => {
    const object = { apiVersion: "v1", kind: "ConfigMap", spec: { n: Number.NaN } };
    expect(() =>
      encodeResponse(envelope({}), xr, {
        ...nothing,
        resources: [{ key: "a", object, ready: true }],
      }),
    ).toThrow("composed resource a: spec.n is NaN");
  });
});
