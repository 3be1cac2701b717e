import type { CompositeCondition } from "../../functions/composition/composition.ts";
import { isRecord, type KubeObject, listField } from "../../kube/object.ts";

/** The condition types that Crossplane itself owns; it ignores a function that sets one. */
const systemTypes: ReadonlySet<string> = new Set([
  "Ready",
  "Synced",
  "Healthy",
  "UpToDate",
  "Responsive",
]);

/** Every transition time of a simulation, the one that `crossplane composition render` prints. */
const TRANSITION_TIME = "2024-01-01T00:00:00Z";

/** Crossplane's own conditions of a composite resource, for `setConditions`. */
export const systemConditions = {
  responsive: { type: "Responsive", status: "True", reason: "WatchCircuitClosed" },
  paused: {
    type: "Synced",
    status: "False",
    reason: "ReconcilePaused",
    message: "Reconciliation (including deletion) is paused via the pause annotation",
  },
  synced: { type: "Synced", status: "True", reason: "ReconcileSuccess" },
  unsynced: (keys: readonly string[]): CompositeCondition => ({
    type: "Synced",
    status: "False",
    reason: "ReconcileError",
    message: `Unsynced resources: ${someOf(keys)}`,
  }),
  failed: (error: string): CompositeCondition => ({
    type: "Synced",
    status: "False",
    reason: "ReconcileError",
    message: `cannot compose resources: ${error}`,
  }),
  available: { type: "Ready", status: "True", reason: "Available" },
  creating: (keys: readonly string[]): CompositeCondition => ({
    type: "Ready",
    status: "False",
    reason: "Creating",
    ...(keys.length === 0 ? {} : { message: `Unready resources: ${someOf(keys)}` }),
  }),
} as const;

/** The conditions of a function that Crossplane takes over: all but its own types. */
export function customConditions(
  conditions: readonly CompositeCondition[],
): readonly CompositeCondition[] {
  return conditions.filter(({ type }) => !systemTypes.has(type));
}

/**
 * After a fatal error every custom condition that this run did not set becomes Unknown, since
 * nobody knows any more whether it holds.
 */
export function unknownAfterError(
  composite: KubeObject,
  seen: readonly CompositeCondition[],
): readonly CompositeCondition[] {
  const known = new Set(seen.map(({ type }) => type));
  return listField(composite, "status", "conditions").flatMap((condition) => {
    const type = isRecord(condition) ? condition.type : undefined;
    if (typeof type !== "string" || systemTypes.has(type) || known.has(type)) return [];
    const message =
      "A fatal error occurred before the status of this condition could be determined.";
    return [{ type, status: "Unknown", reason: "FatalError", message } as const];
  });
}

/**
 * Sets conditions in an object's status: one of a known type is replaced in its place, unless only
 * its time would change; others are appended, and none is ever removed.
 */
export function setConditions(
  object: KubeObject,
  conditions: readonly CompositeCondition[],
): KubeObject {
  const list = [...listField(object, "status", "conditions")];
  const { generation } = object.metadata ?? {};
  for (const { type, status, reason, message } of conditions) {
    const at = list.findIndex((old) => isRecord(old) && old.type === type);
    const old = list[at];
    const same =
      isRecord(old) &&
      old.status === status &&
      old.reason === reason &&
      (old.message ?? "") === (message ?? "");
    const changed = {
      lastTransitionTime: same ? old.lastTransitionTime : TRANSITION_TIME,
      ...(message === undefined || message === "" ? {} : { message }),
      ...(systemTypes.has(type) && generation !== undefined
        ? { observedGeneration: generation }
        : {}),
      reason,
      status,
      type,
    };
    if (at < 0) list.push(changed);
    else list[at] = changed;
  }
  const status = isRecord(object.status) ? object.status : {};
  return { ...object, status: { ...status, conditions: list } };
}

/** The first three of some names in order, and how many more there are. */
function someOf(names: readonly string[]): string {
  const sorted = [...names].sort();
  const first = sorted.slice(0, 3);
  if (sorted.length > 3) return `${first.join(", ")}, and ${sorted.length - 3} more`;
  const last = sorted.length === 3 ? first.pop() : undefined;
  return last === undefined ? first.join(", ") : `${first.join(", ")}, and ${last}`;
}
