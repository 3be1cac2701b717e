import { expect, it } from "vitest";
import { nearestName } from "./nearest-name.ts";

const known = ["name", "copies", "phase", "members", "readinessProbe", "nodePoolName"];

it.each([
  ["copys", "copies"],
  ["copy", undefined],
  ["Members", "members"],
  ["readiness-probe", "readinessProbe"],
  ["nodepoolname", "nodePoolName"],
  ["replicas", undefined],
  ["x".repeat(1000), undefined],
  ["", undefined],
])("is for %.20s: %s", (given, nearest) => {
  expect(nearestName(given, known)).toBe(nearest);
});
