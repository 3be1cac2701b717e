import { RuleCompiler } from "../cel/rules.ts";
import { isRecord, stringField } from "../kube/object.ts";
import { quote } from "../kube/quote.ts";
import type { SchemaStep } from "./bound-advice.ts";
import { checkDefaults } from "./check-defaults.ts";
import { checkListTypes } from "./check-lists.ts";
import { RuleCheck, type RuleNode } from "./check-rules.ts";
import {
  below,
  checkNode,
  checkRuleTexts,
  childrenOfSchema,
  findingAt,
  listOf,
  recordOf,
  type SchemaPlace,
  type Surroundings,
} from "./check-schema.ts";
import { checkStructural } from "./check-structural.ts";
import { compositeSchema, type RawSchema } from "./crossplane.ts";
import type { Finding } from "./finding.ts";
import { readStructure } from "./read-schema.ts";
import type { Structural } from "./structural.ts";
import { jsonText } from "./wording.ts";

const STATUS_ROOT: ReadonlySet<string> = new Set(
  (
    "description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength " +
    "pattern maxItems minItems uniqueItems multipleOf required items properties externalDocs example " +
    "x-kubernetes-preserve-unknown-fields x-kubernetes-validations"
  ).split(" "),
);

// The same names as the API server prints them.
const STATUS_ROOT_NAMES =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength " +
  "Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example " +
  "XPreserveUnknownFields XValidations";

/**
 * What the API server has against a CRD, or against the CRD that Crossplane makes of an XRD: its
 * schemas, the rules in them and what they cost. Paths lead into the document; fields are as the API
 * server prints them. Any other document has no findings.
 */
export function checkDefinition(document: unknown): readonly Finding[] {
  const kind = stringField(document, "kind");
  const isXrd = kind === "CompositeResourceDefinition";
  if (!isXrd && kind !== "CustomResourceDefinition") return [];
  const spec = recordOf(recordOf(document).spec);
  const versions = listOf(spec.versions).map(recordOf);
  const findings = checkNames(recordOf(document), spec, versions);
  // The API server prints the one schema of all versions as a field of its older API.
  const isShared =
    !isXrd && versions.every(({ schema }) => jsonText(schema) === jsonText(versions[0]?.schema));
  for (const [index, version] of versions.entries()) {
    if (isShared && index > 0) break;
    const path = ["spec", "versions", index, "schema", "openAPIV3Schema"];
    const field = isShared ? "spec.validation" : `spec.versions[${index}].schema`;
    const place = { path, field: `${field}.openAPIV3Schema` };
    const raw = recordOf(version.schema).openAPIV3Schema;
    if (!isRecord(raw)) {
      const at = {
        path: path.slice(0, -2),
        field: `spec.versions[${index}].schema.openAPIV3Schema`,
      };
      findings.push(findingAt(at, "FieldValueRequired", "Required value"));
      continue;
    }
    const schema = isXrd ? compositeSchema(raw, spec) : raw;
    const hasStatus = isXrd || recordOf(version.subresources).status !== undefined;
    findings.push(...checkVersion(schema, place, hasStatus));
  }
  return findings;
}

function checkNames(
  document: RawSchema,
  spec: RawSchema,
  versions: readonly RawSchema[],
): Finding[] {
  const findings: Finding[] = [];
  const name = stringField(document, "metadata", "name") ?? "";
  const expected = `${stringField(spec, "names", "plural") ?? ""}.${spec.group ?? ""}`;
  if (name !== expected) {
    const at = { path: ["metadata", "name"], field: "metadata.name" };
    const message = `Invalid value: ${quote(name)}: must be spec.names.plural+"."+spec.group`;
    findings.push(findingAt(at, "FieldValueInvalid", message, name));
  }
  const names = versions.map((version) => stringField(version, "name") ?? "");
  for (const [index, one] of names.entries()) {
    if (names.indexOf(one) === index) continue;
    const at = { path: ["spec", "versions", index, "name"], field: "spec.versions" };
    const message = "Invalid value: must contain unique version names";
    findings.push(findingAt(at, "FieldValueInvalid", message, one));
    break;
  }
  const isCrd = document.kind === "CustomResourceDefinition";
  if (isCrd && versions.filter(({ storage }) => storage === true).length !== 1) {
    const at = { path: ["spec", "versions"], field: "spec.versions" };
    const message = "Invalid value: must have exactly one version marked as storage version";
    findings.push(findingAt(at, "FieldValueInvalid", message));
  }
  return findings;
}

function checkVersion(
  schema: RawSchema,
  place: SchemaPlace,
  hasStatus: boolean,
): readonly Finding[] {
  const findings: Finding[] = [...checkRoot(schema, place, hasStatus)];
  const structural = checkStructural(schema, place);
  const root = readStructure(schema);
  const defaults = structural.length === 0 ? checkDefaults(schema, root, place) : [];
  findings.push(...structural, ...defaults);
  const isSound = structural.length === 0 && defaults.length === 0;
  const walk = new SchemaWalk(isSound ? root : undefined);
  const around: Surroundings = {
    isRoot: true,
    insideMetadata: false,
    defaultsForbidden: undefined,
    uncorrelatable: undefined,
  };
  const { schemaFindings, ruleFindings } = walk.visit(schema, place, around, []);
  return [...findings, ...schemaFindings, ...ruleFindings, ...walk.rules.finish(place)];
}

function checkRoot(schema: RawSchema, place: SchemaPlace, hasStatus: boolean): readonly Finding[] {
  const findings: Finding[] = [];
  if (schema.nullable === true) {
    const message = "Forbidden: nullable cannot be true at the root";
    findings.push(findingAt(below(place, "nullable"), "FieldValueForbidden", message));
  }
  if (!hasStatus) return findings;
  if (schema.type !== "object" && schema.type !== undefined) {
    const message =
      `Invalid value: ${quote(String(schema.type))}: only "object" is allowed as the type at the root of ` +
      "the schema if the status subresource is enabled";
    findings.push(findingAt(below(place, "type"), "FieldValueInvalid", message));
  }
  if (Object.keys(schema).some((keyword) => !STATUS_ROOT.has(keyword))) {
    const message =
      `Invalid value: only [${STATUS_ROOT_NAMES}] fields are allowed at the root of the schema if the ` +
      "status subresource is enabled";
    findings.push(findingAt(place, "FieldValueInvalid", message));
  }
  return findings;
}

interface Visited {
  /** Against the schema; below these no rule is compiled. */
  readonly schemaFindings: readonly Finding[];
  readonly ruleFindings: readonly Finding[];
}

class SchemaWalk {
  readonly rules = new RuleCheck(new RuleCompiler());
  readonly #root: Structural | undefined;

  /** `root` is the schema where it is sound enough to compile rules. */
  constructor(root: Structural | undefined) {
    this.#root = root;
  }

  visit(
    schema: RawSchema,
    place: SchemaPlace,
    around: Surroundings,
    steps: readonly SchemaStep[] | undefined,
  ): Visited {
    const schemaFindings = [...checkNode(schema, place, around)];
    const ruleFindings: Finding[] = [];
    for (const child of childrenOfSchema(schema, place, around)) {
      if (!isRecord(child.schema)) continue;
      const inner = child.step && steps ? [...steps, child.step] : undefined;
      const visited = this.visit(child.schema, child.place, child.around, inner);
      schemaFindings.push(...visited.schemaFindings);
      ruleFindings.push(...visited.ruleFindings);
    }
    schemaFindings.push(...checkListTypes(schema, place), ...checkRuleTexts(schema, place));
    // An error further down or here would only come back as one that no author understands.
    if (schemaFindings.length === 0 && this.#root !== undefined && steps !== undefined) {
      const node: RuleNode = { schema, place, around, root: this.#root, steps };
      ruleFindings.push(...this.rules.check(node));
    }
    return { schemaFindings, ruleFindings };
  }
}
