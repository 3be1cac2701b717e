import { describe, expect, test } from "vitest";
import type { ModelReplicaSpec } from "../../api/gen/modelreplicas.ts";
import { ENGINE, GPU, gang, replica, standalone } from "../../test/support/replica.ts";
import { clusterFindings } from "./checks.ts";
import { replicaContext, type Stack } from "./plan.ts";

function findings(spec: Record<string, unknown>, stack: Stack = "Standard"): readonly string[] {
  const xr = replica(spec);
  const context = replicaContext(xr, xr.spec as ModelReplicaSpec, stack);
  return clusterFindings(context).map(({ field, message }) => `${field}: ${message}`);
}

const member = (change: Record<string, unknown>, stack?: Stack) =>
  findings({ engines: [{ name: "main", copies: 1, members: [standalone(change)] }] }, stack);
const engine = (change: Record<string, unknown>) =>
  member({ template: { spec: { containers: [{ ...ENGINE, ...change }] } } });

const CONTAINER = "spec.engines[0].members[0].template.spec.containers[0]";

test("a plain replica has nothing to find", () => {
  expect(findings({})).toEqual([]);
});

describe("what the XRD accepts and a cluster would refuse", () => {
  test.each<[string, readonly string[], RegExp]>([
    ["no pod spec", member({ template: {} }), /template\.spec: Required value: needs a container/],
    ["a pool that is no label value", member({ nodePoolName: "h 100" }), /nodePoolName: .*"h 100"/],
    [
      "a request name",
      member({ deviceRequests: [{ ...GPU, name: "My_GPU" }] }),
      /deviceRequests\[0\]\.name: .*"My_GPU"/,
    ],
    [
      "a device class",
      member({ deviceRequests: [{ ...GPU, deviceClassName: "a/b" }] }),
      /deviceRequests\[0\]\.deviceClassName/,
    ],
    ["a blank image", engine({ image: " " }), /containers\[0\]\.image: Invalid value: " "/],
    ["a port name", engine({ ports: [{ name: "123", containerPort: 1 }] }), /ports\[0\]\.name/],
    ["a double dash", engine({ ports: [{ name: "a--b", containerPort: 1 }] }), /ports\[0\]\.name/],
    ["cpu lots", engine({ resources: { requests: { cpu: "lots" } } }), /requests\[cpu\]: .*"lots"/],
    ["cpu of nothing", engine({ resources: { limits: { cpu: "" } } }), /limits\[cpu\]: .*""/],
    ["cpu below zero", engine({ resources: { limits: { cpu: -1 } } }), /limits\[cpu\]: .*-1/],
    [
      "a request above its limit",
      engine({ resources: { requests: { memory: "2Gi" }, limits: { memory: "1Gi" } } }),
      /requests\[memory\]: .*"2Gi": must not be above the limit of 1Gi/,
    ],
    ["an empty env name", engine({ env: [{ name: "" }] }), /env\[0\]\.name/],
    ["an env name with =", engine({ env: [{ name: "A=B" }] }), /env\[0\]\.name/],
    [
      "a duplicate env",
      engine({ env: [{ name: "A" }, { name: "A" }] }),
      /env\[1\]\.name: Duplicate value: "A"/,
    ],
    [
      "value and valueFrom",
      engine({
        env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
      }),
      /env\[0\]\.valueFrom: .*beside value/,
    ],
    ["valueFrom of nothing", engine({ env: [{ name: "A", valueFrom: {} }] }), /names 0/],
    [
      "two sources",
      engine({
        env: [
          {
            name: "A",
            valueFrom: {
              secretKeyRef: { name: "s", key: "k" },
              configMapKeyRef: { name: "c", key: "k" },
            },
          },
        ],
      }),
      /names 2/,
    ],
    [
      "a field that no pod has",
      engine({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.nodes" } } }] }),
      /fieldPath: .*"spec\.nodes"/,
    ],
    [
      "a probe port of no name",
      engine({ readinessProbe: { httpGet: { port: "" } } }),
      /readinessProbe\.httpGet\.port: Invalid value: ""/,
    ],
    [
      "a probe port in quotes",
      engine({ readinessProbe: { tcpSocket: { port: "8000" } } }),
      /readinessProbe\.tcpSocket\.port: Invalid value: "8000"/,
    ],
    [
      "a probe port that nobody declares",
      engine({ readinessProbe: { tcpSocket: { port: "rpc" } } }),
      /tcpSocket\.port: Invalid value: "rpc": names no port/,
    ],
    [
      "seconds above int32",
      engine({ readinessProbe: { grpc: { port: 1 }, periodSeconds: 2 ** 31 } }),
      /periodSeconds: Invalid value: 2147483648/,
    ],
    [
      "a pull secret without a name",
      member({ template: { spec: { containers: [ENGINE], imagePullSecrets: [{ name: "" }] } } }),
      /imagePullSecrets\[0\]\.name/,
    ],
    [
      "a pull secret twice",
      member({
        template: {
          spec: { containers: [ENGINE], imagePullSecrets: [{ name: "a" }, { name: "a" }] },
        },
      }),
      /imagePullSecrets\[1\]\.name: Duplicate value/,
    ],
    [
      "annotations beyond what a pod takes",
      member({
        template: {
          metadata: {
            annotations: Object.fromEntries(
              Array.from({ length: 32 }, (_, i) => [`note-${i}`, "é".repeat(8192)]),
            ),
          },
          spec: { containers: [ENGINE] },
        },
      }),
      /template\.metadata\.annotations: Too long/,
    ],
  ])("%s", (_, found, message) => {
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });

  test("the picker's container is checked too", () => {
    const container = { name: "epp", image: "x", resources: { limits: { cpu: "lots" } } };
    const endpointPicker = { template: { spec: { containers: [container] } } };
    expect(
      findings({ serving: { mode: "Unified", router: "EndpointPicker", endpointPicker } }),
    ).toEqual([
      expect.stringMatching(/^spec\.serving\.endpointPicker\.template\.spec\.containers\[0\]/),
    ]);
  });

  test("what it accepts stays accepted", () => {
    expect(
      engine({
        env: [
          { name: "A", value: "x" },
          { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "token" } } },
          { name: "C", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
        ],
        resources: { requests: { cpu: "500m", memory: "1Gi" }, limits: { memory: 2147483648 } },
        readinessProbe: { httpGet: { path: "/", port: "http" } },
      }),
    ).toEqual([]);
  });

  test("no finding shows the value of a variable", () => {
    const env = [{ name: "", value: "hunter2", valueFrom: {} }];
    expect(engine({ env }).join()).not.toContain("hunter2");
  });
});

describe("a label that sluice sets itself", () => {
  const labelled = (labels: Record<string, string>) => ({
    template: { metadata: { labels }, spec: { containers: [ENGINE] } },
  });

  test("may be set by a user to the same value only", () => {
    const engines = (app: string) => [
      { name: "p", phase: "Prefill", copies: 1, members: [standalone(labelled({ app }))] },
      { name: "d", phase: "Decode", copies: 1, members: [standalone()] },
    ];
    const serving = { mode: "PrefillDecode" };
    expect(findings({ serving, engines: engines("r") })).toEqual([]);
    expect(findings({ serving, engines: engines("mine") })).toEqual([
      'spec.engines[0].members[0].template.metadata.labels[app]: Invalid value: "mine": is set to "r" by sluice on these pods; leave the label out',
    ]);
  });

  test("is the user's where sluice does not set it", () => {
    expect(member(labelled({ app: "mine" }))).toEqual([]);
  });

  test("is the scheduler's queue on Dynamo alone", () => {
    const [leader, worker] = gang();
    const members = [{ ...leader, ...labelled({ "kai.scheduler/queue": "own" }) }, worker];
    const engines = [{ name: "main", copies: 1, members }];
    expect(findings({ engines }, "Standard")).toEqual([]);
    expect(findings({ engines }, "Dynamo")).toHaveLength(1);
  });
});

test("a container of the engine is where every path begins", () => {
  expect(engine({ image: " " })[0]).toContain(CONTAINER);
});
