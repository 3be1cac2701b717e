import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { startFleet, untilReady } from "./fleet.ts";

/** CI lets it run for days; every test run for an hour. */
const HOURS = Number(process.env.SOAK_HOURS ?? 1);
const HOUR = 3_600_000;
const MEGABYTE = 1_000_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

test(`500 DecisionModels that are well: no write and no memory in ${HOURS} simulated hours`, async () => {
  const fleet = startFleet(500);
  const { world, processes } = fleet;
  await untilReady(fleet);
  await world.clock.advanceTo(world.clock.now() + HOUR / 6);
  const { writes } = processes;
  const { version } = world.store;
  const before = used();
  await world.clock.advanceTo(world.clock.now() + HOURS * HOUR);
  expect(processes.writes).toBe(writes);
  expect(world.store.version).toBe(version);
  expect(used() - before).toBeLessThan(10 * MEGABYTE);
  await processes.stop();
}, 3_600_000);

function used(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
