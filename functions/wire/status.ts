import { isRecord } from "../../kube/object.ts";

/**
 * Lays one object over another, as decided for the XR's status: objects merge field by field, lists
 * and scalars replace. Neither argument is changed; a field that is undefined does not count.
 */
export function mergeOver(
  below: Readonly<Record<string, unknown>>,
  above: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const merged = new Map(Object.entries(below));
  for (const [field, value] of Object.entries(above)) {
    if (value === undefined) continue;
    const earlier = merged.get(field);
    merged.set(field, isRecord(earlier) && isRecord(value) ? mergeOver(earlier, value) : value);
  }
  // Unlike assignment, fromEntries makes `__proto__` a field of its own.
  return Object.fromEntries(merged);
}
