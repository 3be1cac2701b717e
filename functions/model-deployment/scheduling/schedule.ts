import {
  describeSelectorProblem,
  type PlacedSelector,
  selectorsTooHeavy,
} from "../../composition/selector-compiler.ts";
import { explainPlacement } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import type { Demand, Snapshot } from "./fleet.ts";
import { Matcher } from "./matcher.ts";
import { scheduleReplicas } from "./pass.ts";
import type { Schedule } from "./placement.ts";
import { selectorPath } from "./selector-path.ts";

/** Chooses places for the replicas of deployments. What it remembers never changes an answer. */
export interface Scheduler {
  /** Compiles the selectors of a demand, and names each that does not compile by its field, with why. */
  problems(demand: Demand): readonly string[];
  /** Decides what becomes of the replicas; a selector that does not compile is met by no device. */
  schedule(snapshot: Snapshot): Schedule;
  /** Explains for every cluster why one more replica would fit there or not, after that schedule. */
  explain(snapshot: Snapshot, schedule: Schedule): Explanation;
}

/** Makes a scheduler, which compiles each selector and matches each profile of devices once. */
export function createScheduler(): Scheduler {
  const matcher = new Matcher();
  return {
    problems: (demand) => {
      const selectors = selectorsOf(demand);
      const tooHeavy = selectorsTooHeavy(selectors.map(({ text }) => text));
      if (tooHeavy !== undefined) {
        return [`spec.template.spec.engines: the selectors of all devices ${tooHeavy}`];
      }
      return selectors.flatMap((selector) => {
        const message = matcher.problem(selector.text);
        return message === undefined ? [] : [describeSelectorProblem({ ...selector, message })];
      });
    },
    schedule: (snapshot) => scheduleReplicas(snapshot, matcher),
    explain: (snapshot, schedule) => explainPlacement(snapshot, schedule, matcher),
  };
}

function selectorsOf({ engines }: Demand): readonly PlacedSelector[] {
  return engines.flatMap(({ members }, e) =>
    members.flatMap(({ requests }, m) =>
      requests.flatMap(({ selectors }, r) =>
        selectors.map((text, s) => ({ path: selectorPath(e, m, r, s), text })),
      ),
    ),
  );
}
