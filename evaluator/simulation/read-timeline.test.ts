import { expect, test } from "vitest";
import { readTimeline } from "./read-timeline.ts";

const whole = {
  about: "something",
  models: [{ name: "triage:v1" }],
  steps: [{ wait: "1m" }],
};

test("reads what is whole", () => {
  const read = readTimeline({ ...whole, steps: [{ until: "Ready", model: "a" }, { retry: 1 }] });
  expect(read).toMatchObject({ ok: true, timeline: { steps: [{ do: "until", on: "a" }, {}] } });
});

test.each([
  ["no map", [], /the timeline is no map/],
  ["an unknown field", { ...whole, setings: {} }, /the timeline has "setings": it may have about/],
  ["a truth that was meant as text", { ...whole, about: true }, /about is true, which is no text/],
  ["an unknown setting", { ...whole, settings: { nonsense: 1 } }, /settings has "nonsense"/],
  [
    "a setting of another type",
    { ...whole, settings: { maxConcurrentRollouts: "1" } },
    /settings.maxConcurrentRollouts is "1": give a number/,
  ],
  ["a model without a tag", { ...whole, models: [{ name: "triage" }] }, /models\[0\].name: .*:tag/],
  ["an unknown step", { ...whole, steps: [{ sleep: "1m" }] }, /steps\[0\]: "sleep" is no step/],
  [
    "two steps in one",
    { ...whole, steps: [{ wait: "1m", until: "Ready" }] },
    /"wait, until" is no/,
  ],
  [
    "a duration without a unit",
    { ...whole, steps: [{ wait: 5 }] },
    /steps\[0\].wait is no duration/,
  ],
  [
    "a phase that is none",
    { ...whole, steps: [{ until: "Redy" }] },
    /phase is "Redy": give one of/,
  ],
  [
    "a count in quotes",
    { ...whole, steps: [{ until: { ready: "1" } }] },
    /until.ready is "1", which is no number/,
  ],
  [
    "a condition without a reason",
    { ...whole, steps: [{ until: { conditions: { Ready: "True" } } }] },
    /conditions.Ready is "True": write status\/reason/,
  ],
  [
    "an unknown word of a step",
    { ...whole, steps: [{ crash: { of: "stable", forevr: true } }] },
    /"forevr"/,
  ],
  [
    "a kind that is not simulated",
    { ...whole, steps: [{ apply: { apiVersion: "v1", kind: "Namespace" } }] },
    /kind is "Namespace", which is not simulated/,
  ],
  [
    "a fault that is none",
    { ...whole, steps: [{ registry: { fault: { fault: "x" } } }] },
    /fault is "x"/,
  ],
])("refuses %s", (_, value, message) => {
  const read = readTimeline(value);
  expect(read.ok ? "read" : read.error).toMatch(message);
});
