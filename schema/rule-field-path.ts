import { isRecord } from "../kube/object.ts";
import type { RawSchema } from "./crossplane.ts";
import type { FieldPath } from "./field-path.ts";
import type { Structural } from "./structural.ts";

/** The field that a rule's `fieldPath` names, below the rule's own; undefined where no schema has it. */
export interface RuleFieldPath {
  readonly steps: FieldPath;
  /** The path as the API server prints it. */
  readonly text: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

/**
 * Reads the `fieldPath` of a rule, `.spec.name` or `['spec']['name']`, against the schema that holds
 * the rule. It may lead through properties and map keys, not into lists.
 */
export function readRuleFieldPath(path: string, schema: Structural): RuleFieldPath | undefined {
  return read(path, schema, (node) => node);
}

/** Tells whether a schema that is not yet read has the field that a rule's `fieldPath` names. */
export function isRuleFieldPath(path: string, schema: RawSchema): boolean {
  return read(path, schema, fieldsOf) !== undefined;
}

interface Fields<Node> {
  readonly properties: ReadonlyMap<string, Node>;
  readonly additional: Node | undefined;
}

function fieldsOf({ properties, additionalProperties }: RawSchema): Fields<RawSchema> {
  return {
    properties: new Map(
      Object.entries(isRecord(properties) ? properties : {}) as [string, RawSchema][],
    ),
    additional: isRecord(additionalProperties) ? additionalProperties : undefined,
  };
}

function read<Node>(
  path: string,
  schema: Node,
  fields: (node: Node) => Fields<Node>,
): RuleFieldPath | undefined {
  const steps: string[] = [];
  let text = "";
  let at: Node = schema;
  let rest = path;
  while (rest !== "") {
    const step = firstStep(rest);
    if (step === undefined) return undefined;
    rest = rest.slice(step.length);
    const { properties, additional } = fields(at);
    const property = properties.get(step.name);
    if (property !== undefined) text += text === "" ? step.name : `.${step.name}`;
    else if (properties.size === 0 && additional !== undefined) text += `[${step.name}]`;
    else return undefined;
    const next = property ?? additional;
    if (next === undefined) return undefined;
    at = next;
    steps.push(step.name);
  }
  return { steps, text };
}

function firstStep(path: string): { name: string; length: number } | undefined {
  const dotted = /^\.([^.[\]']+[^.[\]]*)/.exec(path);
  if (dotted !== null) return { name: dotted[1] as string, length: dotted[0].length };
  const quoted = /^\['((?:[^'\\]|\\.)*)'\]/s.exec(path);
  if (quoted === null) return undefined;
  let isValid = true;
  const name = (quoted[1] as string).replace(/\\(.)/gs, (_, letter: string) => {
    const character = ESCAPES[letter];
    isValid &&= character !== undefined;
    return character ?? "";
  });
  return isValid ? { name, length: quoted[0].length } : undefined;
}
