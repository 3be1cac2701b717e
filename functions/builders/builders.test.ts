import { describe, expect, test } from "vitest";
import { deploymentProgress, deploymentReadyQuery } from "./deployment.ts";
import { httpRouteState } from "./http-route.ts";
import { leaderWorkerSetProgress } from "./leader-worker-set.ts";
import { blockSize, defaultPickerConfig, pickerConfigText } from "./picker-config.ts";
import { buildPickerDeployment } from "./picker-deployment.ts";
import { podCliqueSetProgress } from "./pod-clique-set.ts";
import { deviceRequestsHash, requestsOfTemplate } from "./resource-claim-template.ts";

describe("the block size that a picker shares with its engine", () => {
  test.each([
    [["--block-size=256"], 256],
    [["--block-size", "64"], 64],
    [["--page-size", "32"], 32],
    [["--page-size=64"], 64],
    [["--block-size=auto"], 16],
    [["--block-size="], 16],
    [["--block-size=16px"], 16],
    [["--block-size"], 16],
    [["--block-size=0"], 16],
    [["--block-size=-8"], 16],
    [["--block-size=1e3"], 16],
    [["--block-size=99999999999999999999"], 16],
    [["--block-size-hint=4"], 16],
    [[], 16],
    // The engine's parser takes the last of a repeated flag, and so does the picker.
    [["--block-size=32", "--block-size=128"], 128],
    [["--block-size=32", "--page-size=64"], 64],
    [["--block-size=32", "--block-size=auto"], 16],
  ])("%j is %d", (args, size) => {
    expect(blockSize(args)).toBe(size);
  });
});

describe("the default picker configuration", () => {
  test("Unified has one profile and the fixed block size", () => {
    const config = defaultPickerConfig({ mode: "Unified", engineArgs: ["--block-size=32"] });
    expect(config).toMatchObject({
      kind: "EndpointPickerConfig",
      schedulingProfiles: [{ name: "default" }],
    });
    expect(JSON.stringify(config)).toContain('"blockSizeTokens":32');
    expect(JSON.stringify(config)).toContain('"autoTune":false');
  });

  test("PrefillDecode has all that makes it disaggregate, and no feature gate", () => {
    const text = pickerConfigText(defaultPickerConfig({ mode: "PrefillDecode", engineArgs: [] }));
    const config = JSON.parse(text);
    const types = config.plugins.map((plugin: { type: string }) => plugin.type);
    expect(types).toEqual([
      "disagg-headers-handler",
      "prefill-filter",
      "decode-filter",
      "prefix-based-pd-decider",
      "disagg-profile-handler",
      "approx-prefix-cache-producer",
      "prefix-cache-scorer",
      "queue-scorer",
      "max-score-picker",
    ]);
    expect(config.plugins[3].parameters.nonCachedTokens).toBe(16);
    expect(config.plugins[4].parameters.deciders.prefill).toBe("prefix-based-pd-decider");
    expect(config.schedulingProfiles.map((profile: { name: string }) => profile.name)).toEqual([
      "prefill",
      "decode",
    ]);
    expect(text).not.toContain("featureGates");
  });

  test("the text does not depend on the order of keys", () => {
    expect(pickerConfigText({ b: 1, a: { d: 1, c: 2 } })).toBe(
      pickerConfigText({ a: { c: 2, d: 1 }, b: 1 }),
    );
  });
});

describe("a user's picker", () => {
  const build = (args: readonly string[]) =>
    buildPickerDeployment({
      name: "r-epp",
      namespace: "mp-x",
      pool: "r-pool",
      configText: "{}",
      labels: {},
      template: { spec: { containers: [{ name: "epp", image: "registry.example/epp:2", args }] } },
    });
  const argsOf = (args: readonly string[]) => {
    const spec = build(args).spec as {
      template: { spec: { containers: [{ args: readonly string[] }] } };
    };
    return spec.template.spec.containers[0].args;
  };

  test("our arguments come first, then the user's", () => {
    expect(argsOf(["--v=4"])).toEqual([
      "--pool-name=r-pool",
      "--pool-namespace=mp-x",
      "--pool-group=inference.networking.k8s.io",
      "--config-file=/config/epp-config.yaml",
      "--grpc-port=9002",
      "--metrics-port=9090",
      "--metrics-endpoint-auth=false",
      "--v=4",
    ]);
  });

  test.each([["--metrics-port=9999"], ["-metrics-port=9999"], ["--metrics-port"]])(
    "the user's %s replaces ours",
    (argument) => {
      const args = argsOf([argument, "9999"]);
      expect(args).not.toContain("--metrics-port=9090");
      expect(args).toContain("--metrics-endpoint-auth=false");
      expect(args.at(-2)).toBe(argument);
    },
  );

  test("it is replaced without a gap and probed", () => {
    expect(build([])).toMatchObject({
      spec: {
        replicas: 1,
        strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: {
          spec: {
            containers: [
              { readinessProbe: { grpc: { port: 9003 } }, livenessProbe: { tcpSocket: {} } },
            ],
          },
        },
      },
    });
  });
});

describe("how far a Deployment has come", () => {
  const live = (status: Record<string, unknown>) => ({ metadata: { generation: 2 }, status });
  const done = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };

  test("settled when its controller has seen the newest spec and every copy runs it", () => {
    expect(deploymentProgress(live(done), 2)).toEqual({
      wanted: 2,
      ready: 2,
      updated: 2,
      settled: true,
    });
  });

  test.each([
    ["an old generation", { ...done, observedGeneration: 1 }],
    ["a copy of the old spec", { ...done, updatedReplicas: 1 }],
    ["a surplus copy", { ...done, replicas: 3 }],
    ["a copy that is not available", { ...done, availableReplicas: 1 }],
    // Available is True here, since one may be unavailable.
    [
      "no copy at all",
      { observedGeneration: 2, conditions: [{ type: "Available", status: "True" }] },
    ],
    ["no status", {}],
  ])("not settled with %s", (_, status) => {
    const progress = deploymentProgress(live(status), 2);
    expect(progress.settled).toBe(false);
    expect(progress.blocker).toMatch(/of 2 copies available/);
  });

  test("the blocker quotes what the controller says", () => {
    const conditions = [
      { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "late" },
    ];
    expect(deploymentProgress(live({ conditions }), 1).blocker).toBe(
      "0 of 1 copies available, 0 updated (ProgressDeadlineExceeded: late)",
    );
  });

  test("the query asks for the hash, the generation and the counters", () => {
    expect(deploymentReadyQuery(2, "0123456789abcdef")).toContain(
      "object.metadata.annotations['modelplane.ai/manifest-hash'] == '0123456789abcdef'",
    );
    expect(deploymentReadyQuery(2, undefined)).not.toContain("annotations");
    expect(deploymentReadyQuery(2, undefined)).not.toContain("Available'");
  });
});

describe("how far a LeaderWorkerSet has come", () => {
  const counts = { replicas: 2, updatedReplicas: 2, readyReplicas: 2 };
  const owned = (part: string, time: string) => ({ fieldsV1: { [part]: {} }, time });

  test.each([
    ["0.9.0, seen", { generation: 3 }, { ...counts, observedGeneration: 3 }, true],
    ["0.9.0, not seen", { generation: 3 }, { ...counts, observedGeneration: 2 }, false],
    ["older, no times", {}, counts, false],
    [
      "older, status after spec",
      {
        managedFields: [
          owned("f:spec", "2026-01-01T00:00:00Z"),
          owned("f:status", "2026-01-01T00:00:05Z"),
        ],
      },
      counts,
      true,
    ],
    [
      "older, status before the newest spec",
      {
        managedFields: [
          owned("f:spec", "2026-01-01T00:00:00Z"),
          owned("f:status", "2026-01-01T00:00:05Z"),
          owned("f:spec", "2026-01-01T00:00:09Z"),
        ],
      },
      counts,
      false,
    ],
  ])("%s", (_, metadata, status, settled) => {
    expect(leaderWorkerSetProgress({ metadata, status }, 2).settled).toBe(settled);
  });

  test("one of two groups ready is told with the set's own words", () => {
    const status = {
      ...counts,
      readyReplicas: 1,
      observedGeneration: 1,
      conditions: [
        { type: "Available", status: "False", reason: "GroupsNotReady", message: "wait" },
      ],
    };
    expect(leaderWorkerSetProgress({ metadata: { generation: 1 }, status }, 2)).toEqual({
      wanted: 2,
      ready: 1,
      updated: 2,
      settled: false,
      blocker: "1 of 2 groups ready, 2 updated (GroupsNotReady: wait)",
    });
  });
});

describe("how far a PodCliqueSet has come", () => {
  const metadata = { generation: 1 };
  test.each([
    [{ observedGeneration: 1, updatedReplicas: 1, availableReplicas: 1 }, true],
    [{ observedGeneration: 1, updatedReplicas: 0, availableReplicas: 1 }, false],
    [{ observedGeneration: 1, updatedReplicas: 1 }, false],
    [{ observedGeneration: 0, updatedReplicas: 1, availableReplicas: 1 }, false],
  ])("%j settled: %s", (status, settled) => {
    expect(podCliqueSetProgress({ metadata, status }, 3).settled).toBe(settled);
  });
});

describe("what the gateway says of a route", () => {
  const parent = (name: string, conditions: readonly Record<string, unknown>[]) => ({
    parentRef: { name },
    conditions,
  });
  const yes = (type: string) => ({ type, status: "True" });
  const route = (...parents: readonly unknown[]) => ({
    metadata: { name: "r" },
    status: { parents },
  });

  test("accepted with both conditions of the cluster's gateway", () => {
    const live = route(parent("cluster-gateway", [yes("Accepted"), yes("ResolvedRefs")]));
    expect(httpRouteState(live)).toEqual({ accepted: true });
  });

  test.each([
    ["no status", {}, "NoGateway"],
    [
      "another gateway",
      route(parent("other", [yes("Accepted"), yes("ResolvedRefs")])),
      "NoGateway",
    ],
    [
      "an unresolved backend",
      route(
        parent("cluster-gateway", [
          yes("Accepted"),
          {
            type: "ResolvedRefs",
            status: "False",
            reason: "InvalidKind",
            message: "no pools here",
          },
        ]),
      ),
      "RouteNotAccepted",
    ],
    ["one condition only", route(parent("cluster-gateway", [yes("Accepted")])), "RouteNotAccepted"],
  ])("not accepted with %s", (_, live, reason) => {
    expect(httpRouteState(live)).toMatchObject({ accepted: false, reason });
  });

  test("the message quotes the gateway", () => {
    const live = route(
      parent("cluster-gateway", [{ type: "Accepted", status: "False", message: "not allowed" }]),
    );
    expect(httpRouteState(live)).toMatchObject({
      message: expect.stringContaining("Accepted is False: not allowed"),
    });
  });
});

describe("device requests", () => {
  const gpu = { name: "gpu", deviceClassName: "gpu.nvidia.com", count: 1, selectors: [] };

  test("hash as in the golden", () => {
    expect(deviceRequestsHash([gpu])).toBe("67083");
  });

  test.each([
    [{ ...gpu, count: 2 }],
    [{ ...gpu, name: "nic" }],
    [{ ...gpu, deviceClassName: "gpu.amd.com" }],
    [{ ...gpu, selectors: ["true"] }],
  ])("any change of %j changes the hash", (request) => {
    expect(deviceRequestsHash([request])).not.toBe("67083");
  });

  test("what is not of our shape is not read back", () => {
    const flat = {
      spec: { spec: { devices: { requests: [{ name: "gpu", deviceClassName: "x" }] } } },
    };
    expect(requestsOfTemplate(flat)).toBeUndefined();
  });
});
