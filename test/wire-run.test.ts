import {
  type Resource as ResourceMessage,
  RunFunctionRequest,
  RunFunctionResponse,
} from "@crossplane-org/function-sdk-typescript";
import { describe, expect, test } from "vitest";
import type { Composition, Handler } from "../functions/composition/composition.ts";
import { LARGEST_RESPONSE, runFunction } from "../functions/run.ts";
import { WireReader } from "../functions/wire/reader.ts";
import { encodeRequest, frame, type RequestParts, resource } from "./wire-messages.ts";

const xr = {
  apiVersion: "example.org/v1",
  kind: "Thing",
  metadata: { name: "x", namespace: "team" },
};
const nothing: Composition = {
  resources: [],
  requirements: {},
  conditions: [],
  results: [],
  status: {},
};

function handler(compose: Handler["compose"]): Handler {
  return { apiVersion: "example.org/v1", kind: "Thing", compose };
}

function run(composition: Composition, parts: RequestParts = {}) {
  return runBytes([handler(() => composition)], encodeRequest({ composite: xr, ...parts }));
}

function runBytes(handlers: readonly Handler[], bytes: Buffer) {
  const outcome = runFunction(handlers, bytes, "id-1");
  if ("invalid" in outcome) throw new Error(outcome.invalid);
  return {
    bytes: outcome.response,
    facts: outcome.facts,
    response: RunFunctionResponse.decode(outcome.response),
  };
}

/** The fields of a message, undecoded, in the order they came. */
function fieldsOf(message: Buffer): { field: number; raw: Buffer }[] {
  const reader = new WireReader(message);
  const fields = [];
  while (reader.at < message.length) {
    const field = reader.tag(message.length) >>> 3;
    fields.push({ field, raw: reader.raw(message.length) });
  }
  return fields;
}

const rawField = (message: Buffer, field: number) =>
  fieldsOf(message).find((found) => found.field === field)?.raw;

describe("envelope", () => {
  test("echoes the tag and asks again after a minute", () => {
    const { response } = run(nothing, { tag: "abc" });
    expect(response.meta).toStrictEqual({ tag: "abc", ttl: { seconds: 60, nanos: 0 } });
  });

  test("earlier steps' desired state and context come back byte for byte", () => {
    // Bytes that no encoder of ours writes: unknown fields, an overlong length, keys unsorted.
    const odd = Buffer.concat([
      Buffer.from([0x0a, 0x83, 0x00]),
      Buffer.from([0x7a, 0x01, 0x41]),
      frame(0x12, frame(0x0a, "password"), frame(0x12, "hunter2")),
      Buffer.from([0x18, 0x02]),
    ]);
    const context = Buffer.concat([frame(0x0a, frame(0x0a, "b")), frame(0x0a, frame(0x0a, "a"))]);
    const desired = Buffer.concat([
      frame(0x0a, odd),
      frame(0x12, frame(0x0a, "a"), frame(0x12, odd)),
      frame(0x12, frame(0x0a, "b"), frame(0x12, odd)),
    ]);
    const request = Buffer.concat([
      encodeRequest({ composite: xr }),
      frame(0x1a, desired),
      frame(0x2a, context),
    ]);
    const { bytes } = runBytes([handler(() => nothing)], request);
    expect(rawField(bytes, 2)).toStrictEqual(desired);
    expect(rawField(bytes, 4)).toStrictEqual(context);
  });

  test("our resource replaces an earlier step's of the same key, and only that one", () => {
    const earlier = { apiVersion: "v1", kind: "ConfigMap", data: { containers: ["x"], old: "y" } };
    const ours = { apiVersion: "v1", kind: "ConfigMap", data: { containers: ["x"] } };
    const { response } = run(
      { ...nothing, resources: [{ key: "b", object: ours, ready: true }] },
      { desired: { a: resource(earlier), b: resource(earlier, { k: Buffer.from("v") }) } },
    );
    expect(response.desired?.resources).toStrictEqual({
      a: resource(earlier),
      b: { ...resource(ours), ready: 1 },
    });
  });
});

describe("composite", () => {
  const earlier: ResourceMessage = {
    resource: {
      spec: { a: 1 },
      status: { map: { kept: 1, both: 1 }, list: [1, 2], gone: { x: 1 } },
    },
    connectionDetails: { user: Buffer.from("u"), "pass word": Buffer.from("p") },
    ready: 1,
  };

  test("our status merges over that of earlier steps: maps merge, lists and scalars replace", () => {
    const status = { map: { both: 2, new: 3 }, list: [3], gone: "text", unset: undefined };
    const { response } = run({ ...nothing, status }, { desiredComposite: earlier });
    expect(response.desired?.composite).toStrictEqual({
      ...earlier,
      resource: {
        apiVersion: xr.apiVersion,
        kind: xr.kind,
        spec: { a: 1 },
        status: { map: { kept: 1, both: 2, new: 3 }, list: [3], gone: "text" },
      },
    });
  });

  test("unready overrides an earlier step's readiness and leaves the rest alone", () => {
    const { response } = run({ ...nothing, ready: false }, { desiredComposite: earlier });
    expect(response.desired?.composite).toStrictEqual({ ...earlier, ready: 2 });
  });

  test("is left out when nobody says anything about it", () => {
    expect(run(nothing).response.desired?.composite).toBeUndefined();
  });

  test("malformed desired composite is named", () => {
    const request = Buffer.concat([
      encodeRequest({ composite: xr }),
      frame(0x1a, frame(0x0a, Buffer.from([0x0b]))),
    ]);
    const unready = handler(() => ({ ...nothing, ready: false }));
    expect(runFunction([unready], request, "id")).toStrictEqual({
      invalid: expect.stringContaining("desired.composite: wire type 3 is a group"),
    });
  });
});

describe("what can't be composed", () => {
  test("another kind is one Fatal that lists the kinds we compose", () => {
    const other = { ...xr, kind: "Other" };
    const { response, facts } = run(nothing, { composite: other, desired: { a: resource(xr) } });
    expect(response.results).toHaveLength(1);
    expect(response.results[0]).toMatchObject({
      severity: 1,
      message:
        "function-sluice does not compose example.org/v1 Other (x); it composes example.org/v1 Thing. Correct compositeTypeRef or functionRef of the Composition.",
    });
    expect(response.desired?.resources).toStrictEqual({ a: resource(xr) });
    expect(facts).toMatchObject({ kind: "other", severities: { Fatal: 1 } });
  });

  test("a bug in a handler is one Fatal with the correlation id; the stack is for the log", () => {
    const bug = new TypeError("secret internals");
    const broken = handler(() => {
      throw bug;
    });
    const request = encodeRequest({
      composite: xr,
      desired: { a: resource(xr) },
      context: { c: 1 },
    });
    const { response, facts } = runBytes([broken], request);
    expect(response.results.map(({ severity }) => severity)).toStrictEqual([1]);
    expect(response.results[0]?.message).toContain("correlationId id-1");
    expect(response.results[0]?.message).not.toContain("internals");
    expect(response.desired?.resources).toStrictEqual({ a: resource(xr) });
    expect(response.context).toStrictEqual({ c: 1 });
    expect(facts.bug).toBe(bug);
    expect(facts.kind).toBe("example.org/v1/Thing");
  });

  test("a value that protobuf can't carry is such a bug", () => {
    const object = { apiVersion: "v1", kind: "ConfigMap", data: { n: Number.NaN } };
    const { facts } = run({ ...nothing, resources: [{ key: "a", object, ready: true }] });
    expect(String(facts.bug)).toContain("composed resource a: data.n is NaN");
  });

  test("an undecodable request is no Fatal but a reason, whoever meets the bad part", () => {
    expect(runFunction([], Buffer.from([0x0a]), "id")).toStrictEqual({
      invalid: "the request is no valid RunFunctionRequest: a number is cut off (byte 1 of 1)",
    });
    const looking = handler(({ observed }) => {
      observed.get("bad");
      return nothing;
    });
    const request = encodeRequest({ composite: xr, observed: { bad: {} } });
    expect(runFunction([looking], request, "id")).toStrictEqual({
      invalid:
        'the request is no valid RunFunctionRequest: observed.resources["bad"]: apiVersion is missing, not a name',
    });
  });

  const ofSize = (size: number) => ({
    key: "big",
    object: { apiVersion: "v1", kind: "ConfigMap", data: "x".repeat(size) },
    ready: true,
  });

  test("a response of exactly what Crossplane takes is sent", () => {
    const { bytes } = run({ ...nothing, resources: [ofSize(3_000_000)] });
    const overhead = bytes.length - 3_000_000;
    const size = LARGEST_RESPONSE - overhead;
    const full = run({ ...nothing, resources: [ofSize(size)] });
    expect(full.bytes.length).toBe(LARGEST_RESPONSE);
    expect(full.response.results).toStrictEqual([]);
    const beyond = run({ ...nothing, resources: [ofSize(size + 1)] });
    expect(beyond.response.results[0]?.message).toBe(
      "The response for Thing x has 4194305 bytes, and Crossplane takes at most 4194304. Nothing was changed. Make its spec smaller, or let earlier pipeline steps compose less.",
    );
    expect(beyond.response.desired?.resources).toStrictEqual({});
  });

  test("a Fatal is delivered even when earlier steps or the request's own words are too large", () => {
    const { bytes, response } = run(nothing, {
      composite: { ...xr, kind: "K".repeat(5_000_000) },
      tag: "t".repeat(5_000_000),
      desired: { big: resource({ data: "x".repeat(5_000_000) }) },
    });
    expect(bytes.length).toBeLessThan(10_000);
    expect(response.results[0]?.severity).toBe(1);
  });
});

describe("determinism", () => {
  test("requests that differ in map order alone get the same bytes, but for what passes through as it came", () => {
    const echo = handler(({ composite, observed, required, input }) => {
      const cluster = required("cluster");
      return {
        ...nothing,
        resources: observed.keys.map((key) => ({
          key,
          object: { apiVersion: "v1", kind: "List", observed: observed.get(key), input },
          ready: true,
        })),
        status: { spec: composite.spec, cluster },
        results: [{ severity: "Normal", message: observed.keys.join() }],
      };
    });
    // Objects of earlier steps pass through as bytes, so here they have one key at most.
    const message = {
      meta: { tag: "", capabilities: [] },
      observed: {
        composite: resource({ ...xr, spec: { b: { z: 1, y: 2 }, a: 1, c: [] } }),
        resources: { one: resource(xr), two: resource(xr), three: resource(xr) },
      },
      desired: { composite: undefined, resources: { p: resource({ a: 1 }), q: resource({}) } },
      input: { ...xr, spec: { y: 1, x: 2 } },
      extraResources: {},
      requiredResources: { cluster: { items: [resource(xr)] }, other: { items: [] } },
      credentials: {},
      requiredSchemas: {},
    };
    const one = Buffer.from(RunFunctionRequest.encode(message).finish());
    const other = Buffer.from(RunFunctionRequest.encode(reversed(message)).finish());
    expect(one.equals(other)).toBe(false);
    expect(runBytes([echo], one).bytes.equals(runBytes([echo], other).bytes)).toBe(true);
  });
});

/** The same value with the keys of every map in the opposite order. */
function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed) as T;
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, reversed(item)]);
  return Object.fromEntries(entries.reverse()) as T;
}
