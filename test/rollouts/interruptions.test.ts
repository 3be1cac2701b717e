import { describe, expect, test } from "vitest";
import type { Interruption } from "../../evaluator/simulation/play.ts";
import { names, outcome, playTimeline, timelineOf } from "./timelines.ts";

/** What is still going on at the end of a timeline gets so much longer to end. */
const QUIET = { do: "wait", milliseconds: 1_200_000 } as const;
const WAYS = ["kill-before", "kill-after", "lose-write", "lose-answer"] as const;

describe.each(names)("%s", (name) => {
  const { steps, ...rest } = timelineOf(name);
  const timeline = { ...rest, steps: [...steps, QUIET] };

  test.each(WAYS)("ends the same with %s at any write", async (how) => {
    const undisturbed = await playTimeline(timeline);
    const wanted = outcome(undisturbed);
    expect(undisturbed.problems).toEqual([]);
    expect(undisturbed.writes).toBeGreaterThan(0);
    for (let write = 1; write <= undisturbed.writes; write++) {
      const interruption: Interruption = { write, how };
      const played = await playTimeline(timeline, { interruption });
      expect(played.problems, `${how} at write ${write}`).toEqual([]);
      expect(outcome(played), `${how} at write ${write}`).toEqual(wanted);
    }
  });
});
