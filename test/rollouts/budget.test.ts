import { expect, test } from "vitest";
import { field } from "../../kube/object.ts";
import { startFleet, untilReady } from "./fleet.ts";

test("500 DecisionModels with a budget of 5 all become ready, never more than 5 at a time", async () => {
  const fleet = startFleet(500, { maxConcurrentRollouts: 5 });
  let most = 0;
  let active = 0;
  fleet.world.store.observe(({ object, before }) => {
    if (object.kind !== "DecisionModel") return;
    const isActive = (one: unknown) => field(one, "status", "candidateRevision") !== undefined;
    active += Number(isActive(object)) - Number(isActive(before));
    most = Math.max(most, active);
  });
  await untilReady(fleet);
  expect(most).toBe(5);
  await fleet.processes.stop();
}, 600_000);

test("a budget of 1 holds while the operator is killed again and again", async () => {
  const fleet = startFleet(12, { maxConcurrentRollouts: 1 });
  let most = 0;
  const look = () => {
    const active = fleet.models().filter((one) => field(one, "status", "candidateRevision"));
    most = Math.max(most, active.length);
  };
  let seconds = 0;
  await untilReady(fleet, () => {
    look();
    seconds += 1;
    if (seconds % 29 === 0) fleet.processes.kill();
  });
  expect(most).toBe(1);
  await fleet.processes.stop();
}, 600_000);
