import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { estimateCost } from "../cel/cost/estimate.ts";
import {
  DEVICE_SIZES,
  type Device,
  DeviceSelectors,
  evaluateDevice,
  matchDevice,
} from "../cel/device.ts";
import { formatIssues } from "../cel/syntax/place.ts";
import { readRecorded } from "./cel/recorded.ts";

/** What Kubernetes made of a selector on each of some devices. */
interface Recorded {
  readonly expression: string;
  readonly refused?: string;
  readonly results?: Readonly<
    Record<string, { readonly matches?: boolean; readonly error?: string; readonly cost: number }>
  >;
}
interface Devices {
  readonly devices: Readonly<Record<string, Device>>;
}

// Recorded with k8s.io/dynamic-resource-allocation v0.37.2, consumable capacity and list attributes on.
const [first, ...rows] = readRecorded<Recorded | Devices>("devices.jsonl.gz") as readonly [
  Devices,
  ...Recorded[],
];
const devices = new Map(Object.entries(first.devices));
const selectors = new DeviceSelectors();

describe("selectors on devices, as Kubernetes judges them", () => {
  it("are hundreds", () => {
    expect(rows.length * devices.size).toBeGreaterThan(500);
  });

  it.each(rows.map((row) => [row.expression, row] as const))("%s", (expression, row) => {
    const compiled = selectors.compile(expression);
    if (row.refused !== undefined) {
      expect(compiled).toMatchObject({ ok: false });
      if (!compiled.ok && compiled.stage === "check" && !row.refused.includes("Syntax error")) {
        expect(row.refused).toContain(formatIssues(expression, compiled.issues));
      }
      return;
    }
    // What is stored already is evaluated whatever it may cost.
    const stored =
      !compiled.ok && compiled.stage === "estimate" ? selectors.compileAny(expression) : compiled;
    if (!stored.ok) throw new Error(stored.message);
    for (const [name, device] of devices) {
      const theirs = row.results?.[name];
      const ours = matchDevice(stored.program, device);
      expect([name, ours.ok && ours.matches]).toEqual([name, theirs?.matches ?? false]);
      expect([name, ours.ok]).toEqual([name, theirs?.error === undefined]);
      if (theirs?.error !== undefined) {
        // Of a result that is no bool Kubernetes also says how it tried to make one of it.
        const message = theirs.error.replace(/(could not be converted to bool): .*/, "$1");
        expect([name, ours.ok ? "" : ours.message]).toEqual([name, message]);
      } else {
        expect([name, evaluateDevice(stored.program, device).cost]).toEqual([name, theirs?.cost]);
      }
    }
  });
});

describe("what a selector may cost a device", () => {
  // Recorded with the same, as `MaxCost`.
  const costs = readFileSync(new URL("cost/devices.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as readonly [expression: string, cost: string]);

  it("is recorded of a hundred, some beyond what the API server takes", () => {
    expect(costs.length).toBeGreaterThan(150);
    expect(costs.filter(([, cost]) => BigInt(cost) > 1_000_000n).length).toBeGreaterThan(10);
  });

  it.each(costs)(
    "is estimated to the unit as Kubernetes does, and bounded alike: %s",
    (text, cost) => {
      const any = selectors.compileAny(text);
      if (!any.ok) throw new Error(any.message);
      expect(String(estimateCost(any.program.checked, DEVICE_SIZES).max)).toBe(cost);
      const compiled = selectors.compile(text);
      expect(compiled.ok).toBe(BigInt(cost) <= 1_000_000n);
      if (!compiled.ok)
        expect(compiled.message).toMatch(/^too complex, exceeds cost limit: .*units/);
    },
  );
});
