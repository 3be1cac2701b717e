import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { after } from "../../kube/instant.ts";
import { decisionModel, NOW, UID } from "../../test/support/decision-model.ts";
import { buildEvent } from "./events.ts";

const notice = { type: "Warning", reason: "RolledBack", message: "it was late" } as const;
const told = { now: NOW, instance: "evaluator-0" };
const model = decisionModel();
const noteOf = (message: string) => buildEvent(model, { ...notice, message }, told).note as string;

it("an event says what happened to which DecisionModel, and who says so", () => {
  expect(buildEvent(model, notice, told)).toEqual({
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: {
      name: expect.stringMatching(/^support-router\.[0-9a-f]{16}$/),
      namespace: "default",
    },
    eventTime: "2026-10-07T12:00:00.000000Z",
    reportingController: "decisionmodel-controller",
    reportingInstance: "evaluator-0",
    action: "RolledBack",
    reason: "RolledBack",
    type: "Warning",
    note: "it was late",
    regarding: {
      apiVersion: "decisionmodel.io/v1alpha1",
      kind: "DecisionModel",
      name: "support-router",
      namespace: "default",
      uid: UID,
      resourceVersion: "100",
    },
  });
});

describe("its name", () => {
  const nameOf = (...of: Parameters<typeof buildEvent>) => buildEvent(...of).metadata?.name;
  const name = nameOf(model, notice, told);

  it("is the same for the same, so that it can't be made twice", () => {
    expect(nameOf(decisionModel({ metadata: { resourceVersion: "101" } }), notice, told)).toBe(
      name,
    );
  });

  test.each<readonly [string, string | undefined]>([
    ["reason", nameOf(model, { ...notice, reason: "Failed" }, told)],
    ["message", nameOf(model, { ...notice, message: "other" }, told)],
    ["time", nameOf(model, notice, { ...told, now: after(NOW, 1) })],
    [
      "DecisionModel of the same name",
      nameOf(decisionModel({ metadata: { uid: "other" } }), notice, told),
    ],
  ])("is another for another %s", (_, other) => {
    expect(other).not.toBe(name);
  });
});

describe("its note", () => {
  const bytes = (text: string) => Buffer.byteLength(text);
  test.each<readonly [string, string, string]>([
    ["stays as it is if it just fits", "x".repeat(1024), "x".repeat(1024)],
    ["is cut if it does not", "x".repeat(1025), `${"x".repeat(1021)}…`],
    ["counts bytes and not characters", "é".repeat(512), "é".repeat(512)],
    ["is never cut within a character", "é".repeat(513), `${"é".repeat(510)}…`],
    ["nor within one of four bytes", `x${"😀".repeat(300)}`, `x${"😀".repeat(255)}…`],
  ])("%s", (_, message, note) => {
    expect(noteOf(message)).toBe(note);
    expect(bytes(note)).toBeLessThanOrEqual(1024);
  });

  it("always fits, is well-formed, and says what the message begins with", () => {
    const message = fc.string({ unit: "grapheme", maxLength: 2000, minLength: 200 });
    fc.assert(
      fc.property(message, (text) => {
        const note = noteOf(text);
        expect(bytes(note)).toBeLessThanOrEqual(1024);
        expect(note.isWellFormed()).toBe(true);
        expect(note === text || text.startsWith(note.slice(0, -1))).toBe(true);
      }),
      { seed: 20_261_007 },
    );
  });
});
