import { describe, expect, it } from "vitest";
import { isDnsLabel } from "../kube/names.ts";
import {
  deploymentName,
  disruptionBudgetName,
  MOST_NAME,
  manifestName,
  parseDuration,
  prefetchJobName,
  sharedStoreName,
  storeName,
} from "./decision-model.ts";

const HASH = "a1b2c3d4e5f60718";
const LEGACY_HASH = "a1b2c3d4e5";

describe("names", () => {
  it.each([
    ["Deployment", deploymentName("router", HASH), "router-a1b2c3d4e5f60718"],
    ["PodDisruptionBudget", disruptionBudgetName("router", HASH), "router-a1b2c3d4e5f60718"],
    ["claim", storeName("router", HASH), "router-store-a1b2c3d4e5f60718"],
    ["shared claim", sharedStoreName("router"), "router-store"],
    ["Job", prefetchJobName("router", HASH), "router-pf-a1b2c3d4e5f60718"],
    ["Job of a shorter hash", prefetchJobName("router", LEGACY_HASH), "router-prefetch-a1b2c3d4e5"],
    ["ConfigMap", manifestName("router", HASH), "router-manifest-a1b2c3d4e5f60718"],
  ])("of a %s", (_kind, name, expected) => {
    expect(name).toBe(expected);
  });

  it("fit into a label of DNS for the longest name of a DecisionModel, but for the ConfigMap's", () => {
    const longest = "m".repeat(MOST_NAME);
    for (const hash of [HASH, LEGACY_HASH]) {
      expect(isDnsLabel(deploymentName(longest, hash))).toBe(true);
      expect(isDnsLabel(prefetchJobName(longest, hash))).toBe(true);
      // Claims and ConfigMaps may have names of 253 characters.
      expect(manifestName(longest, hash).length).toBeLessThan(253);
    }
  });
});

describe("durations", () => {
  it.each([
    ["0", 0],
    ["0s", 0],
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["1.5h", 5_400_000],
    ["1m0.5s", 60_500],
    ["1500us", 1.5],
    ["1ns", 0.000_001],
    ["24h0m0.000000001s", 86_400_000.000_001],
  ])("%s is %d ms", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(["", "1", "h", "1 h", "1d", "1h-1m", "9999999999999h", undefined])(
    "%j is none",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});
