import { join } from "node:path";
import { expect, test } from "vitest";
import { formatTrace } from "../../evaluator/simulation/trace.ts";
import { expectGolden } from "../golden.ts";
import { folder, names, playTimeline, timelineOf } from "./timelines.ts";

test.each(names)("%s ends as it says, and its trace is the recorded one", async (name) => {
  const played = await playTimeline(timelineOf(name));
  expect(played.problems).toEqual([]);
  expectGolden(
    join(folder, name, "expected.trace.txt"),
    formatTrace(played.world.trace, played.start),
  );
});
