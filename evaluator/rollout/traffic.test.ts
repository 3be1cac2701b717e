import { describe, expect, it, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import {
  byName,
  decisionModel,
  made,
  passOver,
  revision,
} from "../../test/support/decision-model.ts";
import { buildDisruptionBudget } from "../builders/disruption-budget.ts";
import { buildService } from "../builders/service.ts";
import { directTraffic } from "./traffic.ts";
import type { World } from "./world.ts";

const model = decisionModel();
const service = (hash: string) => made(buildService(model, hash));
const budget = made(buildDisruptionBudget(model, "stable"));

function directed(world: Partial<World>, replicas = 1, stable: string | undefined = "stable") {
  const status = stable === "none" ? {} : { stableRevision: revision(stable) };
  const pass = passOver({ spec: { replicas }, status, world });
  directTraffic(pass);
  const { followUp, wakeAt } = pass.decision();
  const actions = followUp.map((action) => {
    if (action.type === "Create") return `Create ${action.object.kind}`;
    if (action.type === "Merge")
      return `Merge ${action.target.kind} ${JSON.stringify(action.patch)}`;
    return action.type === "Delete" ? `Delete ${action.target.kind}` : action.type;
  });
  return { actions, pass, wakeAt };
}

describe("requests go to the stable revision", () => {
  const labels = {
    "decisionmodel.io/name": "support-router",
    "decisionmodel.io/revision": "stable",
  };
  test.each<readonly [string, Partial<World>, number, readonly string[]]>([
    ["once there is a Service", {}, 1, ["Create Service"]],
    ["and stay there", { service: service("stable") }, 1, []],
    [
      "45: though somebody led them away",
      { service: service("other") },
      1,
      [`Merge Service {"spec":{"selector":${JSON.stringify(labels)}}}`],
    ],
    [
      "47: not before a budget protects its pods",
      {},
      2,
      ["Create PodDisruptionBudget", "Create Service"],
    ],
    [
      "and are not moved for a budget that is there",
      { service: service("stable"), budgets: byName(budget) },
      2,
      [],
    ],
    [
      "without a budget that would block every drain",
      { service: service("stable"), budgets: byName(budget) },
      1,
      ["Delete PodDisruptionBudget"],
    ],
    [
      "so with no pods wanted",
      { service: service("stable"), budgets: byName(budget) },
      0,
      ["Delete PodDisruptionBudget"],
    ],
  ])("%s", (_, world, replicas, actions) => {
    expect(directed(world, replicas).actions).toEqual(actions);
  });

  it("before there is one nowhere", () => {
    expect(directed({}, 2, "none").actions).toEqual([]);
  });
});

describe("47: a budget that the API server refuses", () => {
  const refused = (isDue: boolean) =>
    new Map([["PodDisruptionBudget support-router-stable", { message: "exceeded quota", isDue }]]);

  it("keeps the Service where it is, and is tried again when it is due", () => {
    const world = { service: service("other") };
    expect(directed({ ...world, refused: refused(false) }, 2).actions).toEqual([]);
    expect(directed({ ...world, refused: refused(true) }, 2).actions).toEqual([
      "Create PodDisruptionBudget",
    ]);
  });

  it("is said", () => {
    expect(directed({ refused: refused(false) }, 2).pass.degraded).toEqual({
      reason: "ResourceConflict",
      message: "PodDisruptionBudget support-router-stable: exceeded quota",
    });
  });
});

describe("48: a Service of somebody else", () => {
  const foreign: KubeObject = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "support-router", namespace: "default" },
  };
  it("stays as it is, and is what is wrong", () => {
    const { actions, pass, wakeAt } = directed({ service: foreign });
    expect(actions).toEqual([]);
    const conflict = {
      reason: "ResourceConflict",
      message:
        "Service support-router belongs to somebody else: delete it, or give the DecisionModel another name",
    };
    expect([pass.blocked, pass.degraded]).toEqual([conflict, conflict]);
    expect(wakeAt).toBe(pass.now + 30_000);
  });
});
