import { isRecord } from "../kube/object.ts";
import type { Finding } from "./finding.ts";
import { jsonType } from "./number.ts";
import { valueText } from "./wording.ts";

const INT32_MAX = 2 ** 31 - 1;

/**
 * Judges the number of replicas that a kind's scale subresource reads at a path such as
 * `.spec.replicas`, beyond what the schema says of it (apiextensions-apiserver, ValidateScaleSpec).
 */
export function scaleFindings(object: unknown, path: string): readonly Finding[] {
  const steps = path.split(".").filter((step) => step !== "");
  let at: unknown = object;
  for (const step of steps) {
    if (at === undefined) return [];
    if (!isRecord(at))
      return [wrong(path, steps, 0, accessorError(path, at, "map[string]interface {}"))];
    at = Object.hasOwn(at, step) ? at[step] : undefined;
  }
  if (at === undefined) return [];
  if (jsonType(at) !== "integer") return [wrong(path, steps, 0, accessorError(path, at, "int64"))];
  const replicas = Number(at);
  if (replicas < 0) return [wrong(path, steps, replicas, "should be a non-negative integer")];
  if (replicas <= INT32_MAX) return [];
  return [wrong(path, steps, replicas, `should be less than or equal to ${INT32_MAX}`)];
}

function accessorError(path: string, value: unknown, expected: string): string {
  return `${path} accessor error: ${valueText(value)} is not of the type ${expected}`;
}

function wrong(field: string, path: readonly string[], value: number, why: string): Finding {
  return { type: "FieldValueInvalid", field, path, message: `Invalid value: ${value}: ${why}` };
}
