import { describe, expect, test } from "vitest";
import { decodeDemand } from "./demand.ts";

describe("a deployment's demand", () => {
  const template = {
    spec: { containers: [{ name: "engine", image: "registry.example/engine:1" }] },
  };
  const gpu = {
    name: "gpu",
    count: 2,
    selectors: [{ cel: "true" }, { cel: "device.driver == 'a'" }],
  };

  test("is what its spec says", () => {
    const demand = decodeDemand({
      replicas: 3,
      rollout: { maxUnavailable: 1, pause: true },
      template: {
        spec: {
          modelCacheRef: { name: "weights" },
          tolerations: [{ key: "a", operator: "Equal" }],
          engines: [
            {
              name: "main",
              copies: 2,
              members: [
                { role: "Leader", template, nodeSelector: { devices: [gpu] } },
                { role: "Worker", worker: { nodes: 3 }, template },
              ],
            },
          ],
        },
      },
    });
    expect(demand).toStrictEqual({
      replicas: 3,
      engines: [
        {
          name: "main",
          copies: 2,
          members: [
            {
              role: "Leader",
              pods: 1,
              requests: [{ name: "gpu", count: 2, selectors: ["true", "device.driver == 'a'"] }],
            },
            { role: "Worker", pods: 3, requests: [] },
          ],
        },
      ],
      tolerations: [{ key: "a", operator: "Equal", value: "", effect: undefined }],
      cache: true,
      paused: true,
    });
  });

  test("of a Worker that does not say its size is one pod, and no roll-out is no pause", () => {
    const members = [
      { role: "Leader", template },
      { role: "Worker", template },
    ] as const;
    const engines = [{ name: "main", copies: 1, members }];
    expect(decodeDemand({ replicas: 1, template: { spec: { engines } } })).toMatchObject({
      engines: [{ members: [{ pods: 1 }, { pods: 1 }] }],
      tolerations: [],
      cache: false,
      paused: false,
    });
  });
});
