import type { KubeObject } from "../kube/object.ts";
import type { Finding } from "../schema/finding.ts";
import { nearestName } from "../schema/nearest-name.ts";
import { valueAt } from "./mask.ts";

/** What to do about a finding in the object as it is written, where its message does not say so. */
export function nextStep(finding: Finding, object: KubeObject): string | undefined {
  switch (finding.type) {
    case "FieldValueRequired":
      return finding.message === "Required value" ? `add ${finding.path.at(-1)}` : undefined;
    case "FieldValueDuplicate":
      return "give each item of the list its own key";
    case "FieldValueNotSupported": {
      const [, list = ""] = /supported values: (.*)$/.exec(finding.message) ?? [];
      const choices = [...list.matchAll(/"([^"]*)"/g)].map(([, name]) => name ?? "");
      const close = nearestName(String(finding.value), choices);
      return close === undefined ? undefined : `did you mean ${JSON.stringify(close)}?`;
    }
    case "FieldValueTypeInvalid":
      return otherType(finding, valueAt(object, finding.path));
    default:
      return undefined;
  }
}

const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/;
const LONGEST_EXAMPLE = 60;

/** How to write the value that stands there as the type that is wanted. */
function otherType({ message, path }: Finding, value: unknown): string | undefined {
  const [, wanted = "", found] = /must be of type ([a-z,0-9]+): "([a-z]+)"$/.exec(message) ?? [];
  if (wanted.includes("string") && /^(integer|number|boolean)$/.test(found ?? "")) {
    return "put the value in quotes";
  }
  if (typeof value === "string") {
    const isNumber = /^(integer|number|int32|int64|float|double)$/.test(wanted);
    if (isNumber && NUMBER.test(value)) return "remove the quotes";
    if (wanted === "boolean" && /^(true|false)$/.test(value)) return "remove the quotes";
    // Only a command is split into words; any other text may be a secret.
    if (wanted === "array" && /^(command|args)$/.test(String(path.at(-1)))) {
      const list = `[${value.trim().split(/\s+/).map(word).join(", ")}]`;
      return list.length <= LONGEST_EXAMPLE ? `write a list: ${list}` : "write a list";
    }
  }
  if (wanted === "array" && found === "object")
    return "write a list: put a dash before its first key";
  if (wanted === "object" && found === "array") return "write a mapping: remove the dash";
  return undefined;
}

function word(text: string): string {
  return /^[A-Za-z./][\w./-]*$/.test(text) ? text : JSON.stringify(text);
}
