import { describe, expect, it } from "vitest";
import type { KubeObject } from "../kube/object.ts";
import { deployment, engine } from "./support/deployment.ts";
import { shippedDefinition } from "./verdicts/definition.ts";

const definition = shippedDefinition("modeldeployments");

/** What the API server says of a deployment, `field: message` each. */
const verdict = (object: KubeObject) =>
  definition.check(object).findings.map(({ field, message }) => `${field}: ${message}`);

const [member] = engine().members as readonly Record<string, unknown>[];
const gang = (worker: Record<string, unknown> = { worker: { nodes: 3 } }) => ({
  members: [
    { ...member, role: "Leader" },
    { ...member, role: "Worker", ...worker },
  ],
});
const halves = [engine({ name: "p", phase: "Prefill" }), engine({ name: "d", phase: "Decode" })];
const picker = {
  router: "EndpointPicker",
  endpointPicker: { template: { spec: { containers: [{ name: "epp", image: "epp:1" }] } } },
};
const withDevices = (devices: unknown) =>
  engine({ members: [{ ...member, nodeSelector: { devices } }] });
const containers = (list: unknown) =>
  engine({ members: [{ ...member, template: { spec: { containers: list } } }] });
const probed = { name: "engine", image: "i", readinessProbe: { httpGet: { port: 8000 } } };

describe("the rules of a ModelDeployment", () => {
  it.each<[string, KubeObject]>([
    ["one engine on one GPU", deployment()],
    ["no replicas", deployment({ replicas: 0 })],
    ["a hundred", deployment({ replicas: 100 })],
    ["a gang", deployment({}, { engines: [engine(gang())] })],
    ["a gang whose worker has no size", deployment({}, { engines: [engine(gang({}))] })],
    [
      "prefill and decode with a picker",
      deployment({}, { engines: halves, serving: { mode: "PrefillDecode", ...picker } }),
    ],
    ["a roll-out", deployment({ rollout: { maxUnavailable: 3, pause: true } })],
    ["any device", deployment({}, { engines: [withDevices([{ name: "gpu" }])] })],
    ["a probe of the engine", deployment({}, { engines: [containers([probed])] })],
    [
      "a cache and a selector",
      deployment(
        {},
        { modelCacheRef: { name: "w" }, clusterSelector: { matchLabels: { a: "b" } } },
      ),
    ],
  ])("accept %s", (_, object) => {
    expect(verdict(object)).toEqual([]);
  });

  it.each<[string, KubeObject, RegExp]>([
    [
      "a negative number of replicas",
      deployment({ replicas: -1 }),
      /spec.replicas.*greater than or equal to 0/,
    ],
    [
      "more than a hundred",
      deployment({ replicas: 101 }),
      /spec.replicas.*less than or equal to 100/,
    ],
    ["no replicas field", deployment({ replicas: undefined }), /spec.replicas: Required/],
    [
      "no room for change",
      deployment({ rollout: { maxUnavailable: 0 } }),
      /maxUnavailable.*greater than or equal to 1/,
    ],
    ["no engines", deployment({}, { engines: [] }), /engines.*at least 1/],
    [
      "nine engines",
      deployment({}, { engines: Array.from({ length: 9 }, (_, at) => engine({ name: `e${at}` })) }),
      /engines: Too many/,
    ],
    [
      "two engines of one name",
      deployment({}, { engines: [engine(), engine()] }),
      /engines\[1\].*Duplicate/,
    ],
    [
      "65 copies",
      deployment({}, { engines: [engine({ copies: 65 })] }),
      /copies.*less than or equal to 64/,
    ],
    [
      "a worker without a leader",
      deployment({}, { engines: [engine({ members: [{ ...member, role: "Worker" }] })] }),
      /Leader/,
    ],
    [
      "nodes on a leader",
      deployment(
        {},
        {
          engines: [
            engine({
              members: [
                { ...member, role: "Leader", worker: { nodes: 2 } },
                { ...member, role: "Worker" },
              ],
            }),
          ],
        },
      ),
      /[Ww]orker/,
    ],
    [
      "an engine without a nodeSelector",
      deployment({}, { engines: [engine({ members: [{ ...member, nodeSelector: undefined }] })] }),
      /nodeSelector/,
    ],
    [
      "one half of prefill and decode",
      deployment({}, { engines: [halves[0]], serving: { mode: "PrefillDecode", ...picker } }),
      /exactly two engines/,
    ],
    ["a phase of its own", deployment({}, { engines: [halves[0]] }), /phase/],
    [
      "prefill and decode without a picker",
      deployment({}, { engines: halves, serving: { mode: "PrefillDecode" } }),
      /[Rr]outer|endpointPicker/,
    ],
    [
      "a router without its picker",
      deployment({}, { serving: { router: "EndpointPicker" } }),
      /endpointPicker/,
    ],
    [
      "a selector without a condition",
      deployment({}, { engines: [withDevices([{ name: "gpu", selectors: [{}] }])] }),
      /selectors\[0\]/,
    ],
    [
      "65 devices",
      deployment({}, { engines: [withDevices([{ name: "gpu", count: 65 }])] }),
      /count.*less than or equal to 64/,
    ],
    [
      "17 requests",
      deployment(
        {},
        { engines: [withDevices(Array.from({ length: 17 }, (_, at) => ({ name: `r${at}` })))] },
      ),
      /devices: Too many/,
    ],
    [
      "no container named engine",
      deployment({}, { engines: [containers([{ name: "other", image: "i" }])] }),
      /engine/,
    ],
    [
      "a probe of two kinds",
      deployment(
        {},
        {
          engines: [
            containers([
              { ...probed, readinessProbe: { httpGet: { port: 1 }, grpc: { port: 1 } } },
            ]),
          ],
        },
      ),
      /exactly one/,
    ],
    [
      "GPUs as resources",
      deployment(
        {},
        {
          engines: [containers([{ ...probed, resources: { limits: { "nvidia.com/gpu": "1" } } }])],
        },
      ),
      /resources/,
    ],
    [
      "a label of ours",
      deployment({
        template: {
          metadata: { labels: { "modelplane.ai/x": "y" } },
          spec: { engines: [engine()] },
        },
      }),
      /modelplane.ai\//,
    ],
  ])("refuse %s", (_, object, message) => {
    expect(verdict(object).join("\n")).toMatch(message);
  });

  // Report H03: rules run after defaulting.
  it.each<[string, Record<string, unknown>, RegExp | undefined]>([
    ["with a key is Equal and needs no value", { key: "maintenance" }, undefined],
    ["with nothing is Equal and lacks its key", {}, /key/],
    ["that Exists tolerates every taint", { operator: "Exists" }, undefined],
    ["that Exists has no value", { operator: "Exists", value: "x" }, /value/],
  ])("a toleration %s", (_, toleration, message) => {
    const found = verdict(deployment({}, { tolerations: [toleration] })).join("\n");
    if (message === undefined) expect(found).toBe("");
    else expect(found).toMatch(message);
  });

  it("takes the one member of an engine without a role for Standalone", () => {
    const { role: _role, ...roleless } = member ?? {};
    const object = deployment({}, { engines: [engine({ members: [roleless] })] });
    expect(verdict(object)).toEqual([]);
    expect(JSON.stringify(definition.check(object).object)).toContain('"role":"Standalone"');
  });

  it("reports a field that it does not know, such as constraints on devices (HS01)", () => {
    const selector = { devices: [{ name: "gpu" }], constraints: [{ requests: [] }] };
    const object = deployment(
      {},
      { engines: [engine({ members: [{ ...member, nodeSelector: selector }] })] },
    );
    expect(definition.check(object).unknownFields).toEqual([
      "spec.template.spec.engines[0].members[0].nodeSelector.constraints",
    ]);
  });
});
