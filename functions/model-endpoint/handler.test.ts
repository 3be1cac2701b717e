import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { keys, observed } from "../../test/support/deployment.ts";
import { shippedDefinitions } from "../shipped.ts";
import { modelEndpointHandler } from "./handler.ts";

const handler = modelEndpointHandler(shippedDefinitions());

function compose(
  spec: Record<string, unknown>,
  status: Record<string, unknown> = {},
  resources: Readonly<Record<string, KubeObject>> = {},
) {
  return handler.compose({
    composite: {
      apiVersion: "modelplane.ai/v1alpha1",
      kind: "ModelEndpoint",
      metadata: { name: "e", namespace: "ml-team" },
      spec,
      status,
    },
    observed: observed(resources),
    required: () => ({ state: "unresolved" }),
    input: undefined,
  });
}

describe("an endpoint is ready by its own check and composes nothing", () => {
  test.each([
    ["https://API.provider.example", "https to api.provider.example on port 443"],
    ["http://10.0.0.5", "http to 10.0.0.5 on port 80"],
    ["http://[2001:db8::7]:8000", "http to 2001:db8::7 on port 8000"],
    ["http://h.example:443/", "http to h.example on port 443"],
  ])("%s", (origin, message) => {
    expect(compose({ origin })).toEqual({
      resources: [],
      requirements: {},
      conditions: [{ type: "EndpointReady", status: "True", reason: "OriginAccepted", message }],
      results: [],
      status: {},
    });
  });
});

describe("an endpoint is not ready, with what to correct, for", () => {
  test.each([
    ["https://h.example/v1", "InvalidOrigin", 'put "/v1" into spec.api.prefix'],
    ["https://h.example:abc", "InvalidOrigin", 'port "abc" must be a number'],
    ["http://010.0.0.1", "InvalidOrigin", "is no IPv4 address"],
    ["h.example:8000", "InvalidSpec", "origin must begin with http:// or https://"],
  ])("%s", (origin, reason, part) => {
    const composition = compose({ origin });
    expect(composition.ready).toBe(false);
    expect(composition.conditions).toMatchObject([
      { type: "EndpointReady", status: "False", reason },
    ]);
    expect(composition.conditions[0]?.message).toContain(part);
    expect(composition.results).toMatchObject([{ severity: "Warning", reason }]);
    const again = compose({ origin }, { conditions: composition.conditions });
    expect(again.results).toEqual([]);
  });

  test("a spec that is none", () => {
    expect(compose({}).conditions).toMatchObject([{ reason: "InvalidSpec" }]);
  });
});

test("what another program composed for an endpoint is kept, whatever its spec is worth", () => {
  const service: KubeObject = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "e-1a2b3", namespace: "ml-team" },
    spec: { ports: [{ port: 80 }] },
  };
  for (const spec of [{ origin: "http://10.0.0.5" }, { url: "http://10.0.0.5/v1" }]) {
    expect(keys(compose(spec, {}, { service }))).toEqual(["service"]);
  }
});
