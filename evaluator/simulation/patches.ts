import { isRecord, stringField } from "../../kube/object.ts";

/** Applies a JSON merge patch (RFC 7386): objects merge, null removes, all else replaces. */
export function mergeJson(target: unknown, patch: unknown): unknown {
  return merge(target, patch, (_, wanted) => wanted);
}

/**
 * Applies a strategic merge patch as far as the evaluator sends any: a list `conditions` merges by
 * `type`, an element's fields into those that are there; other lists are replaced.
 */
export function mergeStrategically(target: unknown, patch: unknown): unknown {
  return merge(target, patch, (old, wanted, key) =>
    key === "conditions" && Array.isArray(old) ? mergeConditions(old, wanted) : wanted,
  );
}

type MergeList = (old: unknown, wanted: readonly unknown[], key: string) => unknown;

function merge(target: unknown, patch: unknown, mergeList: MergeList): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, wanted] of Object.entries(patch)) {
    if (wanted === null) delete merged[key];
    else if (Array.isArray(wanted)) merged[key] = mergeList(merged[key], wanted, key);
    else merged[key] = merge(merged[key], wanted, mergeList);
  }
  return merged;
}

function mergeConditions(old: readonly unknown[], wanted: readonly unknown[]): unknown {
  const merged = [...old];
  for (const condition of wanted) {
    const type = stringField(condition, "type");
    const index = merged.findIndex((one) => stringField(one, "type") === type);
    if (index < 0) merged.push(condition);
    else merged[index] = mergeStrategically(merged[index], condition);
  }
  return merged;
}
