import { describe, expect, test } from "vitest";
import type { Change } from "../../evaluator/simulation/api-store.ts";
import { hurried, names, outcome, playTimeline, timelineOf } from "./timelines.ts";

/** What watches do to changes: come late, each kind at its own pace, twice, or both. */
const disorders: Readonly<
  Record<string, { delay?: (change: Change) => number; repeats?: (change: Change) => boolean }>
> = {
  "all a second late": { delay: () => 1000 },
  "DecisionModels before their objects": {
    delay: ({ object }) => (object.kind === "DecisionModel" ? 1 : 3000),
  },
  "objects before their DecisionModels": {
    delay: ({ object }) => (object.kind === "DecisionModel" ? 3000 : 1),
  },
  "at random, some twice": {
    delay: ({ version }) => scattered(version) % 4000,
    repeats: ({ version }) => scattered(version) % 3 === 0,
  },
  "all twice": { repeats: () => true },
};

/** A number that looks like chance and is the same every time. */
function scattered(version: number): number {
  return Math.imul(version, 2_654_435_761) >>> 8;
}

describe.each(Object.keys(disorders))("changes that come %s", (disorder) => {
  test.each(names)("%s ends the same", async (name) => {
    const timeline = hurried(timelineOf(name));
    const wanted = outcome(await playTimeline(timeline));
    const played = await playTimeline(timeline, disorders[disorder]);
    expect(played.problems).toEqual([]);
    expect(outcome(played)).toEqual(wanted);
  });
});
