import type { FunctionResult } from "../functions/composition/composition.ts";
import { type KubeObject, listField, stringField } from "../kube/object.ts";
import type { SimulatedComposite } from "./simulation/simulate.ts";

/** What an edit meets where it does not have its whole effect. */
export interface StandingNote {
  readonly text: string;
  /** Something is refused or missing, so that an edit may show no change where there will be one. */
  readonly blocks: boolean;
}

/** Reasons that are warned of and keep nothing from being composed, but for what they name. */
const ADVISORY = new Set([
  "PartiallyScheduled",
  "InsufficientCapacity",
  "NoCacheStorage",
  "ManagedNotSupported",
]);
/** Reasons of which nobody warns, since somebody asked for that. */
const ASKED_FOR = new Set(["Paused", "ReconcilePaused"]);

/**
 * Says of a composite, as it stands in the end, what it is held for, what it was warned of, earlier
 * too, and still is, and that it is paused. What was warned of on the way and has passed is not said.
 */
export function standingNotes(
  { composite, results }: Pick<SimulatedComposite, "composite" | "results">,
  earlier: SimulatedComposite["results"] = [],
): readonly StandingNote[] {
  const { namespace, name } = composite.metadata ?? {};
  const title = `${composite.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  const isWarning = ({ severity }: FunctionResult) => severity !== "Normal";
  const warned = [...earlier, ...results].filter(isWarning);
  const conditions = conditionsOf(composite);
  const holding = conditions.find(({ type, status }) => type === "Holding" && status === "True");
  const failed = conditions.filter(
    ({ status, reason, message }) =>
      status === "False" &&
      (ASKED_FOR.has(reason) ||
        warned.some((one) => one.reason === reason || one.message === message)) &&
      reason !== holding?.reason &&
      !(holding?.message ?? "").includes(message),
  );
  const refused = results.filter((one) => isWarning(one) && one.reason === "ComposeResources");
  const all: readonly StandingNote[] = [
    ...(holding === undefined
      ? []
      : [{ text: `${title} is held: ${holding.message}`, blocks: true }]),
    ...failed.map(({ reason, message }) => {
      const blocks = !ADVISORY.has(reason) && !ASKED_FOR.has(reason);
      return { text: `${title}: ${message === "" ? reason : message}`, blocks };
    }),
    ...refused.map(({ message }) => ({ text: `${title}: ${message}`, blocks: true })),
  ];
  return all.filter(({ text }, at) => all.findIndex((one) => one.text === text) === at);
}

function conditionsOf(composite: KubeObject) {
  return listField(composite, "status", "conditions").map((condition) => ({
    type: stringField(condition, "type") ?? "",
    status: stringField(condition, "status") ?? "",
    reason: stringField(condition, "reason") ?? "",
    message: stringField(condition, "message") ?? "",
  }));
}
