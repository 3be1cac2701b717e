import { describe, expect, it, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { ago, passOver, revision } from "../../test/support/decision-model.ts";
import {
  deploymentOf,
  loaded,
  type PodFacts,
  pod,
  probed,
  servingPod,
} from "../../test/support/serving-pods.ts";
import type { PodCondition } from "./decision.ts";
import { gatePods } from "./gate.ts";
import type { RunState, World } from "./world.ts";

const rev = revision("0123456789abcdef");
const deployment = deploymentOf(rev);

function judged(
  pods: readonly KubeObject[],
  runs: readonly (readonly [string, RunState])[] = [],
  world: Partial<World> = {},
) {
  const uid = deployment.metadata.uid as string;
  const pass = passOver({ world: { pods: new Map([[uid, pods]]), runs: new Map(runs), ...world } });
  const gated = gatePods(pass, rev, deployment);
  const { followUp, runs: wanted } = pass.decision();
  const gates = followUp.flatMap((action): readonly (readonly [string, PodCondition])[] =>
    action.type === "SetGate" ? [[action.pod.name, action.condition]] : [],
  );
  return { gated, gates, wanted, ready: gated.ready.map(({ address }) => address) };
}

describe("49: a pod counts as ready", () => {
  const good = probed("a", [loaded()]);
  const open = ["True", "ModelReady", 30] as const;
  test.each<readonly [string, PodFacts, boolean]>([
    ["with its gate open and ready", { gate: open, ready: true }, true],
    ["not before it is ready", { gate: open }, false],
    ["not with its gate closed", { gate: ["False", "Starting", 30], ready: true }, false],
    ["not in the pass that opens its gate", { ready: true }, false],
    [
      "not while it is on its way out",
      { gate: open, ready: true, metadata: { deletionTimestamp: ago(1) } },
      false,
    ],
    ["not without an address", { gate: open, ready: true, address: undefined }, false],
    ["not while its container is down", { gate: open, ready: true, up: undefined }, false],
  ])("%s", (_, facts, counts) => {
    expect(judged([pod("a", facts)], good).ready).toEqual(counts ? ["10.0.0.1"] : []);
  });

  it("only of the Deployment that is asked about", () => {
    const other = new Map([["another", [servingPod("a")]]]);
    expect(judged([], good, { pods: other }).ready).toEqual([]);
    const pass = passOver();
    expect(gatePods(pass, rev, undefined).ready).toEqual([]);
    expect(pass.gated.get(rev.hash)?.ready).toEqual([]);
  });

  it("in the order of names", () => {
    const pods = [servingPod("b", { address: "10.0.0.2" }), servingPod("a")];
    expect(judged(pods, [...good, ...probed("b", [loaded()])]).ready).toEqual([
      "10.0.0.1",
      "10.0.0.2",
    ]);
  });
});

describe("a gate", () => {
  const condition = (status: string, reason: string, lastTransitionTime: string) => [
    [
      "a",
      expect.objectContaining({
        type: "decisionmodel.io/model-ready",
        status,
        reason,
        lastTransitionTime,
      }),
    ],
  ];
  const other = [loaded({ digest: "b".repeat(64) })];

  test.each<readonly [string, KubeObject, ReturnType<typeof probed>, unknown]>([
    [
      "opens with a model that is the revision's",
      pod("a"),
      probed("a", [loaded()]),
      condition("True", "ModelReady", ago(0)),
    ],
    ["that is open stays as it is", servingPod("a"), probed("a", [loaded()]), []],
    [
      "closes with another model",
      servingPod("a"),
      probed("a", other),
      condition("False", "DigestMismatch", ago(0)),
    ],
    [
      "that is closed says why, its time being that of its closing",
      pod("a", { gate: ["False", "Starting", 40] }),
      probed("a", other),
      condition("False", "DigestMismatch", ago(40)),
    ],
    [
      "that says why stays as it is",
      pod("a", { gate: ["False", "DigestMismatch", 40] }),
      probed("a", other),
      [],
    ],
    ["says that nothing is known yet", pod("a"), [], condition("False", "Starting", ago(0))],
    ["that is open stays so while nothing is known", servingPod("a"), [], []],
    [
      "closes where the container is down",
      servingPod("a", { up: undefined }),
      probed("a", [loaded()]),
      condition("False", "Starting", ago(0)),
    ],
    ["that is not there yet waits for the container", pod("a", { up: undefined }), [], []],
    [
      "that was opened for a container which is gone closes until the new one has loaded the model",
      servingPod("a", { up: 10, gate: ["True", "ModelReady", 300] }),
      probed("a", [loaded()], { seconds: 20 }),
      condition("False", "Starting", ago(0)),
    ],
  ])("%s", (_, of, runs, expected) => {
    expect(judged([of], runs).gates).toEqual(expected);
  });

  it("of a pod on its way out is nobody's business", () => {
    const leaving = servingPod("a", { metadata: { deletionTimestamp: ago(1) } });
    const { gates, wanted } = judged([leaving], probed("a", other));
    expect([gates, wanted]).toEqual([[], []]);
  });

  it("stays where the key of the servers can't be read, and nobody asks them", () => {
    const apiKey = { state: "unusable", reason: "APIKeyInvalid", message: "no Secret" } as const;
    const { gates, wanted, ready } = judged([servingPod("a"), pod("b")], [], { apiKey });
    expect([gates, wanted, ready]).toEqual([[], [], ["10.0.0.1"]]);
  });
});

describe("what is wrong with pods", () => {
  const mismatched = [loaded({ device: "cuda:0" })];

  it("is first what is a mismatch, and what the first of the others waits for", () => {
    const pods = [servingPod("a"), pod("b"), pod("c")];
    const { gated } = judged(pods, [...probed("a", [loaded()]), ...probed("c", mismatched)]);
    expect(gated).toMatchObject({
      ready: [{ uid: "uid-a" }],
      mismatch: {
        reason: "DeviceMismatch",
        message: "pod c runs laya:en on cuda:0 instead of cpu",
      },
      waiting: { reason: "Starting", message: "pod b loads laya:en" },
      precision: "F32",
    });
  });

  it("is that one fails again and again", () => {
    const { gated } = judged([pod("a", { up: undefined, waiting: "CrashLoopBackOff" })]);
    expect(gated.crashing).toBe("container ollaya of pod a is in CrashLoopBackOff");
    expect(
      judged([pod("a", { up: undefined, waiting: "ContainerCreating" })]).gated.crashing,
    ).toBeUndefined();
  });

  it("is nothing where all serve", () => {
    expect(judged([servingPod("a")], probed("a", [loaded()])).gated).toMatchObject({
      mismatch: undefined,
      waiting: undefined,
      crashing: undefined,
    });
  });
});
