import { OperatorProcesses, type PlayOptions } from "../../evaluator/simulation/play.ts";
import type { Timeline } from "../../evaluator/simulation/timeline.ts";
import { SimulatedWorld } from "../../evaluator/simulation/world.ts";
import { allDefinitions } from "../../functions/shipped.ts";
import { type Instant, parseInstant } from "../../kube/instant.ts";
import type { KubeObject } from "../../kube/object.ts";

const DECISION_MODEL = {
  apiVersion: "decisionmodel.io/v1alpha1",
  kind: "DecisionModel",
  plural: "decisionmodels",
};

/** Many DecisionModels of one model in a simulated cluster, and the operator that looks after them. */
export interface Fleet {
  readonly world: SimulatedWorld;
  readonly processes: OperatorProcesses;
  models(): readonly KubeObject[];
}

/** Makes so many DecisionModels and starts an operator with the settings given. */
export function startFleet(
  count: number,
  settings: Timeline["settings"] = {},
  options: Omit<PlayOptions, "definitions"> = {},
): Fleet {
  const definitions = allDefinitions();
  const model = { name: "triage:v1", wrong: [], unanswered: [], confidence: 0.9 };
  const start = parseInstant("2026-01-05T09:00:00Z") as Instant;
  const world = new SimulatedWorld({ definitions, models: [model], start });
  for (let index = 0; index < count; index++) {
    const made = world.store.create(DECISION_MODEL, {
      apiVersion: DECISION_MODEL.apiVersion,
      kind: DECISION_MODEL.kind,
      metadata: { name: `model-${index}`, namespace: "default" },
      spec: { model: "triage:v1" },
    });
    if (!made.ok) throw new Error(made.problem.message);
  }
  const timeline = { settings } as Timeline;
  const all = { definitions, ...options };
  const processes = new OperatorProcesses(world, timeline, all);
  processes.start();
  const models = () => {
    const listed = world.store.list(DECISION_MODEL);
    return listed.ok ? listed.value.items : [];
  };
  return { world, processes, models };
}

/** Lets time pass until every DecisionModel is ready; throws when that takes longer than a day. */
export async function untilReady(
  { world, models }: Fleet,
  look: () => void = () => undefined,
): Promise<void> {
  const end = world.clock.now() + 86_400_000;
  while (models().some(({ status }) => (status as { phase?: string })?.phase !== "Ready")) {
    if (world.clock.now() > end) throw new Error("not ready after a day");
    await world.clock.advanceTo(world.clock.now() + 1000);
    look();
  }
}
