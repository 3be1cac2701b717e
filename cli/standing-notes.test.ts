import { expect, test } from "vitest";
import { standingNotes } from "./standing-notes.ts";

const warning = (reason: string, message: string) =>
  ({ severity: "Warning", reason, message }) as const;

function chat(...conditions: readonly Record<string, string>[]) {
  return {
    apiVersion: "modelplane.ai/v1alpha1",
    kind: "ModelDeployment",
    metadata: { name: "chat", namespace: "ml" },
    status: { conditions },
  };
}

const failed = (type: string, reason: string, message: string) =>
  ({ type, status: "False", reason, message }) as const;

test("what was warned of on the way and has passed is not said", () => {
  const composite = chat({ type: "ReplicasScheduled", status: "True", reason: "ReplicasCreated" });
  const results = [warning("PartiallyScheduled", "2 of 3 replicas scheduled")];
  expect(standingNotes({ composite, results })).toEqual([]);
});

test("a shortage that lasts is said as it is in the end, and blocks nothing", () => {
  const composite = chat(failed("ReplicasScheduled", "PartiallyScheduled", "2 of 3 in the end"));
  const results = [warning("PartiallyScheduled", "1 of 3 on the way")];
  const expected = [{ text: "ModelDeployment ml/chat: 2 of 3 in the end", blocks: false }];
  expect(standingNotes({ composite, results })).toEqual(expected);
  // It was warned of before the edit, so that no event repeats it.
  expect(standingNotes({ composite, results: [] }, results)).toEqual(expected);
});

test("a hold, and what is refused where nothing is held, blocks", () => {
  const why = "spec.replicas: Invalid value";
  const held = chat(failed("ReplicasScheduled", "InvalidSpec", why), {
    type: "Holding",
    status: "True",
    reason: "InvalidSpec",
    message: `2 kept: ${why}.`,
  });
  const results = [warning("InvalidSpec", `2 kept: ${why}.`)];
  expect(standingNotes({ composite: held, results })).toEqual([
    { text: `ModelDeployment ml/chat is held: 2 kept: ${why}.`, blocks: true },
  ]);
  const refused = chat(failed("ReplicasScheduled", "InvalidSpec", why));
  expect(standingNotes({ composite: refused, results: [warning("InvalidSpec", why)] })).toEqual([
    { text: `ModelDeployment ml/chat: ${why}`, blocks: true },
  ]);
});

test("a pause is said, of which nobody warns", () => {
  const message = "0 of 2 replicas have the current template; spec.rollout.pause is true";
  const composite = chat(failed("ReplicasUpdated", "Paused", message));
  expect(standingNotes({ composite, results: [] })).toEqual([
    { text: `ModelDeployment ml/chat: ${message}`, blocks: false },
  ]);
});
