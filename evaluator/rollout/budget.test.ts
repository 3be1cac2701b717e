import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { DecisionModelSpec, DecisionModelStatus } from "../../api/gen/decisionmodels.ts";
import { ago, decisionModel, revision } from "../../test/support/decision-model.ts";
import { type Claimant, claimantOf, mayStart } from "./budget.ts";

const one = (name: string, fields: Partial<Claimant> = {}): Claimant => ({
  namespace: "default",
  name,
  active: false,
  waiting: false,
  since: "",
  ...fields,
});
const active = (name: string) => one(name, { active: true });
const waiting = (name: string, since: string, namespace = "default") =>
  one(name, { waiting: true, since, namespace });

describe("a roll-out may begin", () => {
  const self = { namespace: "default", name: "self" };
  const old = ago(60);
  const recent = ago(10);
  test.each<readonly [string, number, readonly Claimant[], boolean]>([
    ["without a limit, whatever goes on", 0, [active("a"), active("b")], true],
    ["where nothing goes on", 1, [one("self"), one("a")], true],
    ["not where all places are taken", 1, [one("self"), active("a")], false],
    ["where one place of two is free", 2, [one("self"), active("a")], true],
    ["though it is active itself", 1, [active("self")], true],
    [
      "not before one that waits, if it does not itself yet",
      1,
      [one("self"), waiting("a", recent)],
      false,
    ],
    ["beside one that waits, if there is room for both", 2, [one("self"), waiting("a", old)], true],
    ["before one that has waited less long", 1, [waiting("self", old), waiting("a", recent)], true],
    [
      "not before one that has waited longer",
      1,
      [waiting("self", recent), waiting("a", old)],
      false,
    ],
    [
      "of equals first in the namespace that comes first",
      1,
      [waiting("self", old), waiting("zz", old, "aaa")],
      false,
    ],
    ["then by name", 1, [waiting("self", old), waiting("zz", old)], true],
    [
      "where its namesake of another namespace waits behind it",
      1,
      [waiting("self", old), waiting("self", old, "zzz")],
      true,
    ],
    ["though nothing is known of it yet", 1, [], true],
  ])("%s", (_, limit, all, expected) => {
    expect(mayStart(self, all, limit)).toBe(expected);
  });

  it("59: for just as many as there is room for, whoever asks first", () => {
    const claimant = fc.record({
      namespace: fc.constantFrom("a", "b"),
      name: fc.constantFrom("x", "y", "z", "w"),
      state: fc.constantFrom("active", "waiting", "neither"),
      since: fc.constantFrom(ago(30), ago(20), ago(10)),
    });
    const fleet = fc
      .uniqueArray(claimant, { selector: ({ namespace, name }) => `${namespace}/${name}` })
      .map((all) =>
        all.map(({ state, ...rest }) => ({
          ...rest,
          active: state === "active",
          waiting: state === "waiting",
        })),
      );
    fc.assert(
      fc.property(fleet, fc.integer({ min: 1, max: 4 }), (all, limit) => {
        const queue = all.filter((other) => other.waiting);
        const free = Math.max(0, limit - all.filter((other) => other.active).length);
        const admitted = queue.filter((other) => mayStart(other, all, limit));
        expect(admitted).toHaveLength(Math.min(queue.length, free));
        const first = (most: readonly Claimant[]) => most.map(({ since }) => since).sort();
        expect(first(admitted)).toEqual(first(queue).slice(0, admitted.length));
      }),
      { seed: 20_261_007 },
    );
  });
});

describe("a DecisionModel takes a place", () => {
  const previous = { hash: "old", promotedAt: ago(60), revision: revision("old") };
  const unwatched = {
    rollout: { manualPromotion: false, strategy: "BlueGreen", stabilization: "0" },
  } as const;
  test.each<
    readonly [string, DecisionModelStatus | undefined, boolean, Partial<DecisionModelSpec>, object]
  >([
    ["not before its first pass", undefined, false, {}, { active: false, waiting: false }],
    ["not while it serves", { phase: "Ready" }, false, {}, { active: false, waiting: false }],
    [
      "once it was let in, before a status shows it",
      undefined,
      true,
      {},
      { active: true, waiting: false },
    ],
    [
      "with a candidate",
      { phase: "Caching", candidateRevision: revision("new") },
      false,
      {},
      { active: true },
    ],
    [
      "63: with a candidate that waits for a person",
      { phase: "AwaitingPromotion", candidateRevision: revision("new") },
      false,
      {},
      { active: true },
    ],
    [
      "while its promotion is watched",
      { phase: "Ready", previousRevision: previous },
      false,
      {},
      { active: true },
    ],
    [
      "not if it is not watched",
      { phase: "Ready", previousRevision: previous },
      false,
      unwatched,
      { active: false },
    ],
    [
      "while it goes back step by step",
      {
        phase: "Starting",
        recreateRollback: { failed: revision("b"), target: revision("a"), startedAt: ago(1) },
      },
      false,
      {},
      { active: true },
    ],
    [
      "not while it queues for one",
      { phase: "Pending", phaseTransitionTime: ago(5) },
      false,
      {},
      { active: false, waiting: true, since: ago(5) },
    ],
    [
      "though it queues by its phase, if it was let in",
      { phase: "Pending", phaseTransitionTime: ago(5) },
      true,
      {},
      { active: true, waiting: false },
    ],
    [
      "not, nor in the queue, where its model is not known",
      { phase: "Resolving" },
      false,
      {},
      { active: false, waiting: false },
    ],
    [
      "not, nor in the queue, where a Secret is missing",
      { phase: "Degraded" },
      false,
      {},
      { active: false, waiting: false },
    ],
  ])("%s", (_, status, reserved, spec, expected) => {
    const model = decisionModel({ spec, ...(status === undefined ? {} : { status }) });
    expect(claimantOf(model, reserved)).toMatchObject({
      namespace: "default",
      name: "support-router",
      ...expected,
    });
  });
});
