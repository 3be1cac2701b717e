import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readValueFile } from "../../cli/value-file.ts";
import { type Played, type PlayOptions, play } from "../../evaluator/simulation/play.ts";
import { readTimeline } from "../../evaluator/simulation/read-timeline.ts";
import type { Timeline } from "../../evaluator/simulation/timeline.ts";
import { allDefinitions } from "../../functions/shipped.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";

/** Where the timelines are, one folder each. */
export const folder = fileURLToPath(new URL("../../examples/rollouts/", import.meta.url));

/** The names of all timelines. */
export const names = readdirSync(folder).sort();

const definitions = allDefinitions();

/** Reads a timeline by its name; throws where it is wrong. */
export function timelineOf(name: string): Timeline {
  const file = join(folder, name, "timeline.yaml");
  // Read as the command line reads it: other readers of YAML take other texts for true.
  const value = readValueFile(file, folder);
  if (!value.ok) throw new Error(`${file} ${value.error}`);
  const read = readTimeline(value.value);
  if (!read.ok) throw new Error(`${file}: ${read.error}`);
  return read.timeline;
}

/** Plays a timeline with all that is shipped. */
export function playTimeline(
  timeline: Timeline,
  options: Omit<PlayOptions, "definitions"> = {},
): Promise<Played> {
  return play(timeline, { definitions, ...options });
}

/** What is still going on at the end of a timeline gets so much longer to end. */
const QUIET = { do: "wait", milliseconds: 600_000 } as const;
/** Days of waiting show nothing that an hour does not, and are played thousands of times. */
const MOST_WAITING = 3_600_000;

/** A timeline to be played many times and to its very end. */
export function hurried({ steps, ...rest }: Timeline): Timeline {
  const shortened = steps.map((step) =>
    step.do === "wait"
      ? { ...step, milliseconds: Math.min(step.milliseconds, MOST_WAITING) }
      : step,
  );
  return { ...rest, steps: [...shortened, QUIET] };
}

/** What there is in the end of all that an operator made or wrote, without times and UIDs. */
export function outcome({ world, promotions }: Played): unknown {
  const objects: string[] = [];
  for (const kind of KINDS) {
    const listed = world.store.list(kind);
    if (!listed.ok) continue;
    for (const { metadata } of listed.value.items) {
      objects.push(`${kind.kind} ${metadata?.namespace}/${metadata?.name}`);
    }
  }
  // Which of several came first may depend on when somebody was interrupted.
  return { objects: objects.sort(), promotions: [...promotions].sort(), statuses: statuses(world) };
}

const KINDS = [
  { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps" },
  { apiVersion: "v1", kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims" },
  { apiVersion: "v1", kind: "Service", plural: "services" },
  { apiVersion: "batch/v1", kind: "Job", plural: "jobs" },
  { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments" },
  { apiVersion: "policy/v1", kind: "PodDisruptionBudget", plural: "poddisruptionbudgets" },
];

function statuses({ store }: Played["world"]): unknown {
  const models = store.list({
    apiVersion: "decisionmodel.io/v1alpha1",
    kind: "DecisionModel",
    plural: "decisionmodels",
  });
  if (!models.ok) return [];
  return models.value.items.map((model) => [model.metadata?.name, timeless(model.status)]);
}

/** Times, UIDs and what messages say of pods are others where the operator was interrupted. */
function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !/(Time|At|^lastFailedJob|^message)$/.test(name))
      .map(([name, one]) => [name, timeless(one)]),
  );
}

/** The DecisionModel of a name. */
export function modelOf({ world }: Played, name: string): KubeObject | undefined {
  const found = world.store.get(
    { apiVersion: "decisionmodel.io/v1alpha1", kind: "DecisionModel", plural: "decisionmodels" },
    "default",
    name,
  );
  return found.ok ? found.value : undefined;
}
