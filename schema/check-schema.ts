import type { RuleText } from "../cel/rules.ts";
import { isRecord } from "../kube/object.ts";
import { quote } from "../kube/quote.ts";
import type { SchemaStep } from "./bound-advice.ts";
import type { RawSchema } from "./crossplane.ts";
import type { FieldPath } from "./field-path.ts";
import type { Finding, FindingType } from "./finding.ts";
import { isRuleFieldPath } from "./rule-field-path.ts";
import { jsonText, valueText } from "./wording.ts";

/** A place in a definition: the path into the document, and the field as the API server prints it. */
export interface SchemaPlace {
  readonly path: FieldPath;
  readonly field: string;
}

/** Where a node of a schema stands, as far as its rules and defaults depend on it. */
export interface Surroundings {
  readonly isRoot: boolean;
  readonly insideMetadata: boolean;
  /** Why no default may stand here. */
  readonly defaultsForbidden: string | undefined;
  /** The outermost field whose parts of an old object no longer tell which is which. */
  readonly uncorrelatable: string | undefined;
}

/** One child of a schema node, with its place and surroundings. */
export interface SchemaChild {
  readonly schema: unknown;
  readonly place: SchemaPlace;
  readonly around: Surroundings;
  /** The way to it from the schema around, where its values are parts of the object and no mere conditions. */
  readonly step: SchemaStep | undefined;
}

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];
const REASONS = ["Duplicate", "Forbidden", "Invalid", "Required"].map(
  (name) => `FieldValue${name}`,
);
const META: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

/** The place one step below another. */
export function below(place: SchemaPlace, ...steps: readonly (string | number)[]): SchemaPlace {
  let { field } = place;
  for (const [index, step] of steps.entries()) {
    const isKey = typeof step === "number" || (index > 0 && steps[index - 1] === "properties");
    field += isKey ? `[${step}]` : `.${step}`;
  }
  return { path: [...place.path, ...steps], field };
}

/** A finding at a place. */
export function findingAt(
  place: SchemaPlace,
  type: FindingType,
  message: string,
  value?: unknown,
): Finding {
  const finding = { type, field: place.field, path: place.path, message };
  return value === undefined ? finding : { ...finding, value };
}

/** All schemas that stand in a schema. */
export function childrenOfSchema(
  schema: RawSchema,
  place: SchemaPlace,
  around: Surroundings,
): readonly SchemaChild[] {
  const children: SchemaChild[] = [];
  const inside = { ...around, isRoot: false };
  const { additionalProperties, items, not } = schema;
  if (isRecord(additionalProperties)) {
    const defaultsForbidden = around.insideMetadata
      ? "inside additionalProperties applying to object metadata"
      : around.defaultsForbidden;
    const at = below(place, "additionalProperties");
    const values = { ...inside, defaultsForbidden };
    children.push({
      schema: additionalProperties,
      place: at,
      around: values,
      step: { kind: "values" },
    });
  }
  const isWhole = around.isRoot || schema["x-kubernetes-embedded-resource"] === true;
  const isUncorrelatable = !["granular", "atomic", undefined].includes(
    schema["x-kubernetes-map-type"] as string | undefined,
  );
  for (const [name, property] of Object.entries(recordOf(schema.properties))) {
    const isMeta = isWhole && META.has(name);
    const own: Surroundings = {
      isRoot: false,
      insideMetadata: around.insideMetadata || isMeta,
      defaultsForbidden:
        isMeta && around.isRoot ? `in top-level ${name}` : around.defaultsForbidden,
      uncorrelatable: around.uncorrelatable ?? (isUncorrelatable ? place.field : undefined),
    };
    const at = below(place, "properties", name);
    children.push({ schema: property, place: at, around: own, step: { kind: "property", name } });
  }
  if (items !== undefined) {
    const isMap = schema["x-kubernetes-list-type"] === "map";
    const uncorrelatable = around.uncorrelatable ?? (isMap ? undefined : place.field);
    const at = below(place, "items");
    children.push({
      schema: items,
      place: at,
      around: { ...inside, uncorrelatable },
      step: { kind: "items" },
    });
  }
  if (not !== undefined) {
    children.push({ schema: not, place: below(place, "not"), around: inside, step: undefined });
  }
  for (const junctor of ["allOf", "anyOf", "oneOf"]) {
    for (const [index, branch] of listOf(schema[junctor]).entries()) {
      const at = below(place, junctor, index);
      children.push({ schema: branch, place: at, around: inside, step: undefined });
    }
  }
  return children;
}

/** What the API server has against one schema node, whatever stands below it (apiextensions `validation.go`). */
export function checkNode(
  schema: RawSchema,
  place: SchemaPlace,
  around: Surroundings,
): readonly Finding[] {
  const findings: Finding[] = [];
  const forbid = (keyword: string, why: string) =>
    findings.push(findingAt(below(place, keyword), "FieldValueForbidden", `Forbidden: ${why}`));
  const { type } = schema;
  if (type === "null") forbid("type", "type cannot be set to null, use nullable as an alternative");
  if (typeof type === "string" && type !== "" && !TYPES.includes(type)) {
    findings.push(unsupported(below(place, "type"), type, TYPES));
  }
  if (schema.default !== undefined && schema.default !== null && around.defaultsForbidden) {
    forbid("default", `must not be set ${around.defaultsForbidden}`);
  }
  if (schema.id) forbid("id", "id is not supported");
  for (const keyword of ["additionalItems", "dependencies", "$ref"]) {
    if (schema[keyword] !== undefined) forbid(keyword, `${keyword} is not supported`);
  }
  for (const keyword of ["patternProperties", "definitions"]) {
    if (Object.keys(recordOf(schema[keyword])).length > 0) {
      forbid(keyword, `${keyword} is not supported`);
    }
  }
  if (Array.isArray(schema.items))
    forbid("items", "items must be a schema object and not an array");
  if (around.insideMetadata && schema["x-kubernetes-embedded-resource"] === true) {
    forbid("x-kubernetes-embedded-resource", "must not be used inside of resource meta");
  }
  if (schema.uniqueItems === true) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    forbid("uniqueItems", why);
  }
  const hasProperties = Object.keys(recordOf(schema.properties)).length > 0;
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined && additionalProperties !== true && hasProperties) {
    forbid("additionalProperties", "additionalProperties and properties are mutual exclusive");
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    const message = "Invalid value: false: must be true or undefined";
    const at = below(place, "x-kubernetes-preserve-unknown-fields");
    findings.push(findingAt(at, "FieldValueInvalid", message, false));
  }
  return findings;
}

/** What the API server has against the texts of a node's rules, before it compiles any. */
export function checkRuleTexts(schema: RawSchema, place: SchemaPlace): readonly Finding[] {
  return rulesOf(schema).flatMap((rule, index) => {
    const at = below(place, "x-kubernetes-validations", index);
    const findings: Finding[] = [];
    const invalid = (keyword: string, value: unknown, why: string) => {
      const message = `Invalid value: ${valueText(value)}: ${why}`;
      findings.push(findingAt(below(at, keyword), "FieldValueInvalid", message, value));
    };
    const required = (keyword: string, why: string) =>
      findings.push(findingAt(below(at, keyword), "FieldValueRequired", `Required value: ${why}`));
    const { message, messageExpression, fieldPath, reason } = rule;
    if (rule.rule.trim() === "") required("rule", "rule is not specified");
    else if (message !== "" && message.trim() === "") {
      invalid("message", message, "must be non-empty if specified");
    } else if (/[\n\r]/.test(message.trim())) {
      invalid("message", message, "must not contain line breaks");
    } else if (/[\n\r]/.test(rule.rule.trim()) && message.trim() === "") {
      required("message", "message must be specified if rule contains line breaks");
    }
    if (messageExpression !== "" && messageExpression.trim() === "") {
      required("messageExpression", "messageExpression must be non-empty if specified");
    }
    if (reason !== undefined && !REASONS.includes(reason)) {
      findings.push(unsupported(below(at, "reason"), reason, REASONS));
    }
    if (fieldPath !== "" && fieldPath.trim() === "") {
      invalid("fieldPath", fieldPath, "must be non-empty if specified");
    }
    if (/[\n\r]/.test(fieldPath)) invalid("fieldPath", fieldPath, "must not contain line breaks");
    if (fieldPath !== "" && !isRuleFieldPath(fieldPath, schema)) {
      invalid("fieldPath", fieldPath, "must be a valid path");
    }
    return findings;
  });
}

/** The rules of a schema node. */
export function rulesOf(schema: RawSchema): readonly RuleText[] {
  return listOf(schema["x-kubernetes-validations"]).map((entry) => {
    const raw = recordOf(entry);
    const text = (keyword: string) => (typeof raw[keyword] === "string" ? raw[keyword] : "");
    return {
      rule: text("rule"),
      message: text("message"),
      messageExpression: text("messageExpression"),
      fieldPath: text("fieldPath"),
      reason: typeof raw.reason === "string" ? raw.reason : undefined,
      optionalOldSelf: typeof raw.optionalOldSelf === "boolean" ? raw.optionalOldSelf : undefined,
    };
  });
}

/** A finding about a value that is not among the allowed ones. */
export function unsupported(
  place: SchemaPlace,
  value: string,
  choices: readonly string[],
): Finding {
  const list = choices.map(quote).join(", ");
  const message = `Unsupported value: ${quote(value)}: supported values: ${list}`;
  return findingAt(place, "FieldValueNotSupported", message, value);
}

/** The value as a record; an empty one when it is none. */
export function recordOf(value: unknown): RawSchema {
  return isRecord(value) ? value : {};
}

/** The value as a list; an empty one when it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A rule as the API server prints it in an error. */
export function ruleText(rule: RuleText): string {
  return jsonInOrder([
    ["Rule", rule.rule],
    ["Message", rule.message],
    ["MessageExpression", rule.messageExpression],
    ["Reason", rule.reason ?? null],
    ["FieldPath", rule.fieldPath],
    ["OptionalOldSelf", rule.optionalOldSelf ?? null],
  ]);
}

function jsonInOrder(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([key, value]) => `"${key}":${jsonText(value)}`).join(",")}}`;
}
