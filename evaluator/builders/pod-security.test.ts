import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decisionModel } from "../../test/support/decision-model.ts";
import { podSecurity, SANDBOX, seLinuxLevel } from "./pod-security.ts";

describe("the SELinux level", () => {
  it("is the same wherever and whenever it is asked", () => {
    expect(seLinuxLevel("default/support-router")).toBe("s0:c261,c312");
  });

  it("has two different categories from 0 to 1023, the lower one first", () => {
    fc.assert(
      fc.property(fc.string(), (owner) => {
        const [, low, high] = /^s0:c(\d+),c(\d+)$/.exec(seLinuxLevel(owner)) ?? [];
        expect(Number(low)).toBeLessThan(Number(high));
        expect(Number(high)).toBeLessThan(1024);
      }),
      { seed: 20_261_007, numRuns: 3000 },
    );
  });
});

it("a pod runs as nobody special, and its files are its group's", () => {
  expect(podSecurity(decisionModel())).toEqual({
    runAsNonRoot: true,
    runAsUser: 1000,
    runAsGroup: 1000,
    fsGroup: 1000,
    fsGroupChangePolicy: "OnRootMismatch",
    seccompProfile: { type: "RuntimeDefault" },
    seLinuxOptions: { level: "s0:c261,c312" },
  });
});

it("a container can change nothing and gain nothing", () => {
  expect(SANDBOX).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
});
