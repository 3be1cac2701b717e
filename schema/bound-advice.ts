import type { Checked } from "../cel/checking/checked.ts";
import { estimateCost } from "../cel/cost/estimate.ts";
import { MAX_UINT64, multiply } from "../cel/cost/range.ts";
import { sizedType, unboundedCount } from "./sizes.ts";
import type { Bounds, Structural } from "./structural.ts";

/** How often values of a schema node may occur in one object, by the bounds around it; undefined without a bound. */
export type Cardinality = bigint | undefined;

/** A step from a schema node to one inside it. */
export type SchemaStep =
  | { readonly kind: "property"; readonly name: string }
  | { readonly kind: "items" | "values" };

/** A rule's estimated cost with some bounds changed. */
interface CostedRule {
  readonly checked: Checked;
  readonly root: Structural;
  /** The way from the root of the schema to the node that has the rule. */
  readonly steps: readonly SchemaStep[];
  readonly limit: bigint;
}

type Bound = "maxItems" | "maxProperties" | "maxLength";

/** A bound that may make a rule cheap enough. */
interface Candidate {
  readonly steps: readonly SchemaStep[];
  readonly bound: Bound;
  readonly declared: number | undefined;
}

// Beyond this a bound changes nothing: no request is that large.
const MOST = 3 * 1024 * 1024;

/** How often values of the node at the end of the steps may occur. */
function cardinality(root: Structural, steps: readonly SchemaStep[]): Cardinality {
  let count: Cardinality = 1n;
  let at: Structural | undefined = root;
  for (const step of steps) {
    if (at === undefined) return count;
    if (step.kind !== "property") {
      const bound: number | undefined =
        step.kind === "items" ? at.bounds.maxItems : at.bounds.maxProperties;
      if (bound === undefined || count === undefined) count = undefined;
      else count = multiply(count, BigInt(Math.max(0, bound)));
    }
    at = childAt(at, step);
  }
  return count;
}

/** The node at the end of the steps. */
export function nodeAt(root: Structural, steps: readonly SchemaStep[]): Structural | undefined {
  return steps.reduce<Structural | undefined>((at, step) => at && childAt(at, step), root);
}

/** The estimate of a rule that the API server holds against its limit: one evaluation times all values. */
export function ruleCost(checked: Checked, root: Structural, steps: readonly SchemaStep[]): bigint {
  const node = nodeAt(root, steps);
  const sized = node && sizedType(node);
  if (sized === undefined) return MAX_UINT64;
  const { max } = estimateCost(checked, sized);
  return multiply(max, cardinality(root, steps) ?? unboundedCount(sized.minBytes));
}

/**
 * The bounds that would bring a rule below the limit, as a sentence: a single one where one is
 * enough, preferring one that is missing, else all that matter; undefined where no bound helps.
 */
export function adviseBounds(rule: CostedRule): string | undefined {
  const before = ruleCost(rule.checked, rule.root, rule.steps);
  const helpful = candidates(rule).filter((one) => costWith(rule, [one], 1) < before);
  const singles = helpful.map((one) => ({ one, value: largest(rule, [one]) }));
  const best = singles
    .filter(({ value }) => value >= 1)
    .sort(
      (left, right) =>
        Number(left.one.declared !== undefined) - Number(right.one.declared !== undefined) ||
        right.value - left.value,
    )[0];
  const missing = helpful.filter(({ declared }) => declared === undefined);
  const together = missing.length > 1 ? largest(rule, missing) : 0;
  const each = `${listed(missing.map(boundName))} to ${together} or less each`;
  if (best !== undefined) {
    const alternative = together > best.value ? `, or ${each}` : "";
    return `set ${boundText(best.one, best.value)}${alternative}`;
  }
  if (together >= 1) return `set ${each}`;
  const all = helpful.length === 0 ? 0 : largest(rule, helpful);
  if (all < 1) return undefined;
  return `set ${listed(helpful.map((one) => boundText(one, all)))}`;
}

function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}

function boundText(candidate: Candidate, value: number): string {
  const { declared } = candidate;
  const now = declared === undefined ? "it has none" : `it is ${declared}`;
  const lower = declared === undefined ? value : Math.min(value, declared);
  return `${boundName(candidate)} to ${lower} or less (${now})`;
}

function boundName({ steps, bound }: Candidate): string {
  return `${bound} of ${stepsText(steps)}`;
}

function stepsText(steps: readonly SchemaStep[]): string {
  let text = "";
  for (const step of steps) {
    if (step.kind === "property") text += text === "" ? step.name : `.${step.name}`;
    else text += step.kind === "items" ? "[]" : "{}";
  }
  return text === "" ? "the root" : text;
}

/** The largest common value of some bounds with which the rule passes; 0 when there is none. */
function largest(rule: CostedRule, changed: readonly Candidate[]): number {
  let [passes, fails] = [0, MOST];
  while (fails - passes > 1) {
    const middle = Math.floor((passes + fails) / 2);
    if (costWith(rule, changed, middle) <= rule.limit) passes = middle;
    else fails = middle;
  }
  return passes;
}

function costWith(rule: CostedRule, changed: readonly Candidate[], value: number): bigint {
  const root = changed.reduce(
    (at, { steps, bound, declared }) =>
      withBound(at, steps, bound, Math.min(value, declared ?? value)),
    rule.root,
  );
  return ruleCost(rule.checked, root, rule.steps);
}

/** Every bound around and inside the node that has the rule. */
function candidates({ root, steps }: CostedRule): readonly Candidate[] {
  const found: Candidate[] = [];
  const add = (at: readonly SchemaStep[], node: Structural) => {
    const bound = boundOf(node);
    if (bound !== undefined) found.push({ steps: at, bound, declared: node.bounds[bound] });
  };
  const visit = (at: readonly SchemaStep[], node: Structural) => {
    add(at, node);
    for (const [name, property] of node.properties) {
      visit([...at, { kind: "property", name }], property);
    }
    if (node.items !== undefined) visit([...at, { kind: "items" }], node.items);
    if (node.additional !== undefined) visit([...at, { kind: "values" }], node.additional);
  };
  for (let depth = 0; depth < steps.length; depth += 1) {
    const node = nodeAt(root, steps.slice(0, depth));
    if (node !== undefined) add(steps.slice(0, depth), node);
  }
  const node = nodeAt(root, steps);
  if (node !== undefined) visit(steps, node);
  return found;
}

function boundOf(node: Structural): Bound | undefined {
  if (node.type === "array") return "maxItems";
  if (node.type === "object") return node.additional === undefined ? undefined : "maxProperties";
  if (node.intOrString) return "maxLength";
  const isTime = ["date", "date-time", "duration"].includes(node.bounds.format ?? "");
  return node.type === "string" && !isTime && node.bounds.enum === undefined
    ? "maxLength"
    : undefined;
}

function childAt(node: Structural, step: SchemaStep): Structural | undefined {
  if (step.kind === "property") return node.properties.get(step.name);
  return step.kind === "items" ? node.items : node.additional;
}

/** A copy of a schema in which one bound differs. */
function withBound(
  node: Structural,
  steps: readonly SchemaStep[],
  bound: Bound,
  value: number,
): Structural {
  const [step, ...rest] = steps;
  if (step === undefined) {
    const bounds: Bounds = { ...node.bounds, [bound]: value };
    return { ...node, bounds };
  }
  const child = childAt(node, step);
  if (child === undefined) return node;
  const changed = withBound(child, rest, bound, value);
  if (step.kind === "property") {
    const properties = new Map([...node.properties, [step.name, changed]]);
    const seen = node.visible.get(step.name);
    const field = { name: seen?.name, alias: seen?.alias, schema: changed };
    return { ...node, properties, visible: new Map([...node.visible, [step.name, field]]) };
  }
  return step.kind === "items" ? { ...node, items: changed } : { ...node, additional: changed };
}
