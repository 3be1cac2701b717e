import { isRecord, listField, numberField, stringField } from "./object.ts";

/** A condition as found in some object's status; absent text is empty. */
export interface ObservedCondition {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number | undefined;
}

/** Finds a condition by type in `status.conditions` (or another list at `path`) of untrusted data. */
export function findCondition(
  object: unknown,
  type: string,
  ...path: readonly string[]
): ObservedCondition | undefined {
  const list = path.length === 0 ? ["status", "conditions"] : path;
  for (const condition of listField(object, ...list)) {
    if (!isRecord(condition) || condition.type !== type) continue;
    const status = condition.status;
    return {
      status: status === "True" || status === "False" ? status : "Unknown",
      reason: stringField(condition, "reason") ?? "",
      message: stringField(condition, "message") ?? "",
      observedGeneration: numberField(condition, "observedGeneration"),
    };
  }
  return undefined;
}
