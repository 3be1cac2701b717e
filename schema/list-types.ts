import { isRecord } from "../kube/object.ts";
import { fieldText } from "./field-path.ts";
import type { Finding, FindingType } from "./finding.ts";
import { FloatLiteral } from "./number.ts";
import type { Structural } from "./structural.ts";
import { jsonText, valueText } from "./wording.ts";

/**
 * Finds what occurs twice in lists of type set and map. Like the API server it reports the second
 * occurrence of a value only, and takes an item without its key for one whose key is empty.
 */
export function findDuplicates(object: unknown, schema: Structural): readonly Finding[] {
  const findings: Finding[] = [];
  const path: (string | number)[] = [];
  const report = (type: FindingType, message: string, value: unknown) => {
    const field = fieldText(path, "bracketed", schema);
    findings.push({ type, field, path: [...path], message, value });
  };
  const at = (step: string | number, act: () => void) => {
    path.push(step);
    act();
    path.pop();
  };
  const visit = (value: unknown, node: Structural): void => {
    if (!node.hasUniqueItems) return;
    if (Array.isArray(value)) {
      if (node.listType === "set") reportRepeated(value, (item) => item);
      if (node.listType === "map") visitMap(value, node.listMapKeys);
      const { items } = node;
      if (items === undefined || !items.hasUniqueItems) return;
      for (const [index, item] of value.entries()) at(index, () => visit(item, items));
    } else if (isRecord(value)) {
      for (const key of Object.keys(value)) {
        const child = node.properties.get(key) ?? node.additional;
        if (child?.hasUniqueItems) at(key, () => visit(value[key], child));
      }
    }
  };
  const visitMap = (list: readonly unknown[], keyNames: readonly string[]): void => {
    const odd = list.findIndex((item) => item !== null && !isRecord(item));
    if (odd >= 0) {
      const why = "must be an object for an array of list-type map";
      const message = `Invalid value: ${valueText(list[odd])}: ${why}`;
      at(odd, () => report("FieldValueInvalid", message, list[odd]));
      return;
    }
    const [only, ...more] = keyNames;
    if (only === undefined || more.length > 0) {
      reportRepeated(list, (item) => keyOf(item, keyNames));
    } else {
      const shown = (key: unknown) => (key === undefined ? {} : { [only]: key });
      reportRepeated(list, (item) => (isRecord(item) ? item[only] : undefined), shown);
    }
  };
  const reportRepeated = (
    list: readonly unknown[],
    keyOfItem: (item: unknown) => unknown,
    shown = (key: unknown) => key,
  ): void => {
    if (list.length < 2) return;
    const seen = new Map<string, number>();
    for (const [index, item] of list.entries()) {
      const key = keyOfItem(item);
      const text = identityText(key);
      const times = (seen.get(text) ?? 0) + 1;
      seen.set(text, times);
      if (times !== 2) continue;
      const twice = shown(key);
      at(index, () => report("FieldValueDuplicate", `Duplicate value: ${valueText(twice)}`, twice));
    }
  };
  visit(object, schema);
  return findings;
}

function keyOf(item: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isRecord(item)) return {};
  const present = names.filter((name) => Object.hasOwn(item, name));
  return Object.fromEntries(present.map((name) => [name, item[name]]));
}

/** Equal for equal items. Within a compound value 1 and 1.0 are one; alone, an int64 and a float64. */
function identityText(item: unknown): string {
  if (typeof item === "string") return `"${item}`;
  return item instanceof FloatLiteral ? `float64 ${item.value}` : jsonText(item);
}
