import { isRecord, type KubeObject } from "../kube/object.ts";
import type { Finding } from "../schema/finding.ts";

const SECRET_NAME = /token|secret|passw|credential|api_?key|private_?key/i;
const MASK = "***";

/** Hides the value of an environment variable whose name says that it is a secret. */
export function masked(finding: Finding, object: KubeObject): Finding {
  const { path, value, type } = finding;
  // A wrong type is reported by its name alone.
  if (type === "FieldValueTypeInvalid" || typeof value !== "string") return finding;
  if (path.at(-1) !== "value" || path.at(-3) !== "env") return finding;
  const variable = valueAt(object, path.slice(0, -1));
  const name = isRecord(variable) ? variable.name : undefined;
  if (typeof name !== "string" || !SECRET_NAME.test(name)) return finding;
  return { ...finding, value: MASK, message: finding.message.replaceAll(value, MASK) };
}

/** The value at a path of an object, `undefined` where it leads nowhere. */
export function valueAt(object: unknown, path: readonly (string | number)[]): unknown {
  let at = object;
  for (const step of path) {
    if (!(isRecord(at) || Array.isArray(at)) || !Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<string | number, unknown>>)[step];
  }
  return at;
}
