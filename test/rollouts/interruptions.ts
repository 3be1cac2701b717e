import { describe, expect, test } from "vitest";
import type { Interruption } from "../../evaluator/simulation/play.ts";
import { hurried, names, outcome, playTimeline, timelineOf } from "./timelines.ts";

/** One timeline is played once for each of some hundred writes. */
const MILLISECONDS = 600_000;

/** CI interrupts at every write; a run by hand at every fifth, beginning with another one in each timeline. */
const STRIDE = process.env.EVERY_WRITE === "1" ? 1 : 5;

/** Plays every timeline once for each of its writes, interrupted there, and wants the same end. */
export function describeInterruptions(how: Interruption["how"]): void {
  describe(`44, 50 to 52: the operator's process, ${how} at any write`, () => {
    test.each([...names.entries()])(
      "timeline %i, %s, ends the same",
      async (index, name) => {
        const timeline = hurried(timelineOf(name));
        const undisturbed = await playTimeline(timeline);
        const wanted = outcome(undisturbed);
        expect(undisturbed.problems).toEqual([]);
        expect(undisturbed.writes).toBeGreaterThan(0);
        for (let write = 1 + (index % STRIDE); write <= undisturbed.writes; write += STRIDE) {
          const played = await playTimeline(timeline, { interruption: { write, how } });
          expect(played.problems, `${how} at write ${write}`).toEqual([]);
          expect(outcome(played), `${how} at write ${write}`).toEqual(wanted);
        }
      },
      MILLISECONDS,
    );
  });
}
