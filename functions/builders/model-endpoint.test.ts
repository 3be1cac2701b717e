import { expect, test } from "vitest";
import { parseOrigin } from "../../api/origin.ts";
import { stringField } from "../../kube/object.ts";
import { buildModelEndpoint, type ModelEndpointParameters } from "./model-endpoint.ts";

const identity = { namespace: "ml", deployment: "chat", cluster: "east", index: 0 };

test.each<readonly [ModelEndpointParameters["gateway"], string]>([
  [{ hostname: "gw.example.org" }, "https://gw.example.org"],
  [{ hostname: "gw.example.org." }, "https://gw.example.org"],
  [{ hostname: "2001:db8::7" }, "https://[2001:db8::7]"],
  [{ address: "203.0.113.7" }, "http://203.0.113.7"],
  [{ address: "gw.example.org." }, "http://gw.example.org"],
  [{ address: "2001:db8::7" }, "http://[2001:db8::7]"],
  [{ address: "[2001:db8::7]" }, "http://[2001:db8::7]"],
])("a gateway with %j is reached at an origin that is accepted", (gateway, expected) => {
  const origin = stringField(
    buildModelEndpoint({ identity, labels: {}, gateway }),
    "spec",
    "origin",
  );
  expect(origin).toBe(expected);
  expect(parseOrigin(expected)).toMatchObject({ ok: true });
});
