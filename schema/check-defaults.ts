import { RuleCompiler } from "../cel/rules.ts";
import { isRecord } from "../kube/object.ts";
import { below, findingAt, recordOf, type SchemaPlace } from "./check-schema.ts";
import { isSame } from "./correlation.ts";
import type { RawSchema } from "./crossplane.ts";
import type { Finding } from "./finding.ts";
import { readStructure } from "./read-schema.ts";
import { judgeRules } from "./rules.ts";
import { store } from "./store.ts";
import type { Structural } from "./structural.ts";
import { validate } from "./validate.ts";
import { jsonText, valueText } from "./wording.ts";

/**
 * What the API server has against the defaults of a schema: unknown fields, and whatever it would
 * refuse in an object.
 */
export function checkDefaults(
  raw: RawSchema,
  schema: Structural,
  place: SchemaPlace,
): readonly Finding[] {
  const findings = schema.default === undefined ? [] : [...checkDefault(raw, schema, place)];
  const properties = recordOf(raw.properties);
  for (const [name, property] of schema.properties) {
    const at = below(place, "properties", name);
    findings.push(...checkDefaults(recordOf(properties[name]), property, at));
  }
  // The API server looks at no default under additionalProperties.
  if (schema.items !== undefined) {
    findings.push(...checkDefaults(recordOf(raw.items), schema.items, below(place, "items")));
  }
  return findings;
}

function checkDefault(raw: RawSchema, schema: Structural, place: SchemaPlace): readonly Finding[] {
  const at = below(place, "default");
  const value = schema.default;
  const findings: Finding[] = [];
  if (!isSame(pruned(value, schema), value)) {
    const message = `Invalid value: ${valueText(value)}: must not have unknown fields`;
    findings.push(findingAt(at, "FieldValueInvalid", message));
  }
  const found = validate(value, schema);
  for (const finding of found.length > 0 ? found : judgeDefault(raw, value)) {
    const isInside = finding.path.length > 0 && finding.field !== "<nil>";
    const field = isInside ? `${at.field}.${finding.field}` : at.field;
    findings.push({ ...finding, field, path: [...at.path, ...finding.path] });
  }
  return findings;
}

/** A default must satisfy the rules as a value that stays and as one that is new. */
function judgeDefault(raw: RawSchema, value: unknown): readonly Finding[] {
  if (!jsonText(raw).includes('"x-kubernetes-validations"')) return [];
  const schema = readStructure(raw, new RuleCompiler());
  const stays = judgeRules(value, schema, value);
  return stays.length > 0 ? stays : judgeRules(value, schema);
}

/** A default without its unknown fields, and without the defaults that stand below it. */
function pruned(value: unknown, schema: Structural): unknown {
  const holder: Record<string, unknown> = { value };
  const around: Structural = {
    ...schema,
    type: "object",
    embeddedResource: false,
    preserveUnknown: false,
    properties: new Map([["value", withoutDefaults(schema)]]),
    additional: undefined,
    items: undefined,
    defaulted: [],
  };
  const { value: stored } = store(holder, around).object;
  return isRecord(value) || Array.isArray(value) ? stored : value;
}

function withoutDefaults(schema: Structural): Structural {
  return {
    ...schema,
    nullable: true,
    default: undefined,
    defaulted: [],
    items: schema.items && withoutDefaults(schema.items),
    additional: schema.additional && withoutDefaults(schema.additional),
    properties: new Map(
      [...schema.properties].map(([name, property]) => [name, withoutDefaults(property)]),
    ),
  };
}
