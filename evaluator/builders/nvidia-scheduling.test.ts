import { describe, expect, it, test } from "vitest";
import type { Scheduling, Toleration } from "../../api/gen/decisionmodels.ts";
import { nvidiaScheduling } from "./nvidia-scheduling.ts";

const OURS = { key: "nvidia.com/gpu", effect: "NoSchedule", operator: "Exists" };

describe("the taint of GPU nodes is tolerated", () => {
  it("by a toleration of ours", () => {
    expect(nvidiaScheduling()).toEqual({
      tolerations: [OURS],
      nodeSelector: { "kubernetes.io/arch": "amd64" },
    });
  });

  test.each<readonly [string, Toleration]>([
    ["everything", { operator: "Exists" }],
    [
      "everything that keeps pods from being scheduled",
      { operator: "Exists", effect: "NoSchedule" },
    ],
    ["the key", { key: "nvidia.com/gpu", operator: "Exists" }],
    ["the key and the effect", { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
    ["the key without a value", { key: "nvidia.com/gpu", operator: "Equal" }],
    ["the key, Equal being the default", { key: "nvidia.com/gpu", value: "" }],
  ])("by one of the user's for %s", (_, toleration) => {
    expect(nvidiaScheduling({ tolerations: [toleration] }).tolerations).toEqual([toleration]);
  });

  test.each<readonly [string, Toleration]>([
    ["another key", { key: "example.com/gpu", operator: "Exists" }],
    ["another effect", { key: "nvidia.com/gpu", operator: "Exists", effect: "NoExecute" }],
    ["a value", { key: "nvidia.com/gpu", operator: "Equal", value: "present" }],
    ["no key, where Equal compares with one", { operator: "Equal" }],
    ["no key and no operator", {}],
  ])("by ours beside the user's for %s", (_, toleration) => {
    expect(nvidiaScheduling({ tolerations: [toleration] }).tolerations).toEqual([toleration, OURS]);
  });
});

describe("the architecture is amd64", () => {
  const required = (key: string): Scheduling => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "zone", operator: "Exists" }] },
            { matchExpressions: [{ key, operator: "In", values: ["arm64"] }] },
          ],
        },
      },
    },
  });
  const preferred: Scheduling = {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            preference: { matchExpressions: [{ key: "kubernetes.io/arch", operator: "Exists" }] },
          },
        ],
      },
    },
  };

  test.each<readonly [string, Scheduling, Scheduling["nodeSelector"]]>([
    [
      "beside other labels",
      { nodeSelector: { zone: "a" } },
      { zone: "a", "kubernetes.io/arch": "amd64" },
    ],
    [
      "unless a label says otherwise",
      { nodeSelector: { "kubernetes.io/arch": "arm64" } },
      { "kubernetes.io/arch": "arm64" },
    ],
    ["unless a required affinity names one", required("kubernetes.io/arch"), undefined],
    ["where the affinity is about others", required("disk"), { "kubernetes.io/arch": "amd64" }],
    ["where one is only preferred", preferred, { "kubernetes.io/arch": "amd64" }],
  ])("%s", (_, scheduling, expected) => {
    expect(nvidiaScheduling(scheduling).nodeSelector).toEqual(expected);
  });

  it("and all else of the user's scheduling stays", () => {
    const scheduling = { runtimeClassName: "nvidia", ...preferred };
    expect(nvidiaScheduling(scheduling)).toMatchObject(scheduling);
  });
});
