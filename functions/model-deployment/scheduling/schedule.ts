import { explainPlacement } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import type { Snapshot } from "./fleet.ts";
import { Matcher } from "./matcher.ts";
import { createMemberExplainer } from "./nearest.ts";
import { scheduleReplicas } from "./pass.ts";
import type { Schedule } from "./placement.ts";

/** Chooses places for the replicas of deployments. What it remembers never changes an answer. */
export interface Scheduler {
  /** Decides what becomes of the replicas; a selector that does not compile is met by no device. */
  schedule(snapshot: Snapshot): Schedule;
  /** Explains for every cluster why one more replica would fit there or not, after that schedule. */
  explain(snapshot: Snapshot, schedule: Schedule): Explanation;
}

/** Makes a scheduler, which compiles each selector and matches each profile of devices once. */
export function createScheduler(): Scheduler {
  const matcher = new Matcher();
  const explainMember = createMemberExplainer(matcher);
  return {
    schedule: (snapshot) => scheduleReplicas(snapshot, matcher),
    explain: (snapshot, schedule) => explainPlacement(snapshot, schedule, matcher, explainMember),
  };
}
