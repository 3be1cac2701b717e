import { expect, it } from "vitest";
import type { Scheduling } from "./gen/decisionmodels.ts";
import { placementOf } from "./placement.ts";

// Computed in Go with Kubernetes' own types (k8s.io/api v0.33.0).
it.each<[string, Scheduling | undefined, string]>([
  ["nothing", undefined, "none"],
  ["empty lists and maps", { nodeSelector: {}, tolerations: [] }, "none"],
  ["an affinity without content, which is one", { affinity: {} }, "7d27fedc76"],
  [
    "a node selector and a runtime class",
    { nodeSelector: { zone: "a", 10: "x", 9: "y", arch: "" }, runtimeClassName: "nvidia" },
    "ba032ddc7d",
  ],
  [
    "tolerations, one of nothing and one of everything",
    {
      tolerations: [
        {
          value: "v",
          key: "gpu",
          operator: "Equal",
          effect: "NoSchedule",
          tolerationSeconds: 0,
        },
        {},
        { operator: "Exists" },
      ],
    },
    "2a871a2a39",
  ],
  [
    "every kind of affinity, its fields in any order",
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              podAffinityTerm: {
                topologyKey: "kubernetes.io/hostname",
                namespaces: ["b", "a"],
                labelSelector: {
                  matchExpressions: [{ values: ["<x>", "&"], operator: "In", key: "app" }],
                  matchLabels: { b: "1", a: "2" },
                },
                namespaceSelector: {},
                mismatchLabelKeys: ["m"],
                matchLabelKeys: ["k"],
              },
              weight: 100,
            },
          ],
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "" }],
        },
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }],
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }],
                matchExpressions: [{ key: "kubernetes.io/arch", operator: "Exists" }],
              },
            ],
          },
        },
        podAffinity: {},
      },
    },
    "91bb2c3680",
  ],
])("names the placement of %s", (_what, scheduling, placement) => {
  expect(placementOf(scheduling)).toBe(placement);
});
