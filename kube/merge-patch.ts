import { jsonEqual } from "./canonical.ts";
import { isRecord } from "./object.ts";

/**
 * The JSON merge patch (RFC 7386) that makes one value of another, `undefined` where they are equal.
 * Lists are replaced as a whole; fields that are gone become null.
 */
export function mergePatch(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, wanted] = [before[key], after[key]];
    if (wanted === undefined || wanted === null) {
      if (old !== undefined && old !== null) patch[key] = null;
    } else if (isRecord(old) && isRecord(wanted)) {
      const inner = mergePatch(old, wanted);
      if (inner !== undefined) patch[key] = inner;
    } else if (!jsonEqual(old, wanted)) patch[key] = wanted;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
