import { RunFunctionRequest } from "@crossplane-org/function-sdk-typescript";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Composition } from "../functions/composition/composition.ts";
import { decodeRequest } from "../functions/wire/request.ts";
import { encodeResponse } from "../functions/wire/response.ts";
import type { KubeObject } from "../kube/object.ts";
import { decodeResponse, encodeRequest } from "./client-codec.ts";
import { nothingDesired, type StepRequest } from "./simulation/step.ts";

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>;
const object: fc.Arbitrary<KubeObject> = fc
  .tuple(fc.string(), fc.dictionary(fc.string(), json))
  .map(([name, spec]) => ({ apiVersion: "a/v1", kind: "K", metadata: { name }, spec }));
const keyed = <T>(value: fc.Arbitrary<T>) =>
  fc.dictionary(fc.string({ minLength: 1 }), value).map((found) => new Map(Object.entries(found)));

const request: fc.Arbitrary<StepRequest> = fc.record({
  step: fc.record({
    step: fc.constant("s"),
    functionName: fc.constant("f"),
    input: fc.option(object, { nil: undefined }),
  }),
  composite: object,
  observed: keyed(object),
  desired: fc.record({
    status: fc.dictionary(fc.string(), json),
    ready: fc.constantFrom(true, false, undefined),
    resources: keyed(fc.record({ object, ready: fc.boolean() })),
  }),
  required: keyed(fc.array(object)),
  context: fc.dictionary(fc.string(), json),
});

describe("encodeRequest", () => {
  test("says what the function server's decoder reads", () => {
    fc.assert(
      fc.property(request, (sent) => {
        const decoded = decodeRequest(encodeRequest(sent));
        if ("problem" in decoded) throw new Error(decoded.problem);
        const got = decoded.request;
        expect(got.composite).toEqual(structuredClone(sent.composite));
        expect(got.input).toEqual(structuredClone(sent.step.input));
        expect(got.observed.keys).toEqual([...sent.observed.keys()].sort());
        for (const key of got.observed.keys) {
          expect(got.observed.get(key)).toEqual(structuredClone(sent.observed.get(key)));
        }
        for (const [name, objects] of sent.required) {
          const found = got.required(name);
          expect(found.state).toBe(objects.length === 0 ? "absent" : "present");
          if (found.state === "present") expect(found.value).toHaveLength(objects.length);
        }
        expect(got.required("\0not asked for")).toEqual({ state: "unresolved" });
      }),
    );
  });

  test("says what the SDK's decoder reads", () => {
    const composite = { apiVersion: "a/v1", kind: "K", metadata: { name: "x" }, spec: { n: 1 } };
    const resources = new Map([["r", { object: composite, ready: true }]]);
    const bytes = encodeRequest({
      step: { step: "s", functionName: "f", input: composite },
      composite,
      observed: new Map([["o", composite]]),
      desired: { status: { a: [1] }, ready: false, resources },
      required: new Map([
        ["one", [composite]],
        ["none", []],
      ]),
      context: { key: "value" },
    });
    const got = RunFunctionRequest.decode(bytes);
    expect(got.meta?.capabilities).toEqual([1, 2, 3, 4, 5]);
    expect(got.input).toEqual(composite);
    expect(got.context).toEqual({ key: "value" });
    expect(got.observed?.composite?.resource).toEqual(composite);
    expect(got.observed?.resources.o?.resource).toEqual(composite);
    expect(got.desired?.resources.r).toMatchObject({ resource: composite, ready: 1 });
    expect(got.desired?.composite).toMatchObject({
      resource: { apiVersion: "a/v1", kind: "K", status: { a: [1] } },
      ready: 2,
    });
    expect(got.requiredResources.one?.items).toHaveLength(1);
    expect(got.requiredResources.none?.items).toEqual([]);
  });
});

describe("decodeResponse", () => {
  const text = fc.string({ minLength: 1 });
  const composition: fc.Arbitrary<Composition> = fc.record({
    resources: keyed(fc.record({ object, ready: fc.boolean() })).map((map) =>
      [...map].map(([key, rest]) => ({ key, ...rest })),
    ),
    requirements: fc.dictionary(
      text,
      fc.record({
        apiVersion: text,
        kind: text,
        namespace: text,
        match: fc.oneof(
          fc.record({ name: text }),
          fc.record({ labels: fc.dictionary(text, text) }),
        ),
      }),
    ),
    conditions: fc.array(
      fc.record({
        type: text,
        status: fc.constantFrom("True", "False", "Unknown"),
        reason: text,
        message: text,
      }),
    ),
    results: fc.array(
      fc.record({
        severity: fc.constantFrom("Normal", "Warning", "Fatal"),
        message: text,
        reason: text,
      }),
    ),
    status: fc.dictionary(text, json),
  });

  test("reads what the function server's encoder says", () => {
    fc.assert(
      fc.property(composition, fc.boolean(), (composed, unready) => {
        const envelope = {
          tag: "t",
          capabilities: [],
          desired: { composite: undefined, resources: new Map() },
          context: undefined,
        };
        const composite = { apiVersion: "a/v1", kind: "K" };
        const all: Composition = unready ? { ...composed, ready: false } : composed;
        const got = decodeResponse(encodeResponse(envelope, composite, all));
        expect(got.requirements).toEqual(composed.requirements);
        expect(got.conditions).toEqual(composed.conditions);
        expect(got.results).toEqual(composed.results);
        expect(got.desired.status).toEqual(structuredClone(composed.status));
        expect(got.desired.ready).toBe(unready ? false : undefined);
        const resources = composed.resources.map(
          ({ key, object: one, ready }) => [key, { object: structuredClone(one), ready }] as const,
        );
        expect(got.desired.resources).toEqual(new Map(resources));
      }),
    );
  });

  test("refuses bytes that are no response", () => {
    expect(() => decodeResponse(Buffer.from([0x12, 0x05, 0x01]))).toThrow(/does not fit/);
    expect(decodeResponse(Buffer.alloc(0)).desired).toEqual(nothingDesired);
  });
});
