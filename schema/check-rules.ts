import type { Checked } from "../cel/checking/checked.ts";
import { estimateCost } from "../cel/cost/estimate.ts";
import { lesser, MAX_UINT64 } from "../cel/cost/range.ts";
import type { CompiledText, RuleCompiler, RuleText } from "../cel/rules.ts";
import { adviseBounds, nodeAt, ruleCost, type SchemaStep } from "./bound-advice.ts";
import { celTypeOf } from "./cel-types.ts";
import {
  below,
  findingAt,
  rulesOf,
  ruleText,
  type SchemaPlace,
  type Surroundings,
} from "./check-schema.ts";
import type { RawSchema } from "./crossplane.ts";
import type { Finding } from "./finding.ts";
import { sizedType } from "./sizes.ts";
import type { Structural } from "./structural.ts";
import { valueText } from "./wording.ts";

/** The most that one rule may cost by its estimate (apiextensions `StaticEstimatedCostLimit`). */
const RULE_COST_LIMIT = 10_000_000n;
/** The most that all rules of a schema may cost together (`StaticEstimatedCRDCostLimit`). */
const SCHEMA_COST_LIMIT = 100_000_000n;

// Rules that cost less are not named when the sum is too high, and no more than this many are.
const WORTH_NAMING = SCHEMA_COST_LIMIT / 100n;
const MOST_NAMED = 4;

/** Where the rules of one schema node stand, in the document and in the schema. */
export interface RuleNode {
  readonly schema: RawSchema;
  readonly place: SchemaPlace;
  readonly around: Surroundings;
  readonly root: Structural;
  readonly steps: readonly SchemaStep[];
}

/** Compiles and costs the rules of a schema, node by node, and adds up what they cost. */
export class RuleCheck {
  readonly #compiler: RuleCompiler;
  #total = 0n;
  #dearest: readonly DearRule[] = [];

  constructor(compiler: RuleCompiler) {
    this.#compiler = compiler;
  }

  /** What the API server has against the rules of one node. */
  check(node: RuleNode): readonly Finding[] {
    const rules = rulesOf(node.schema);
    if (rules.length === 0) return [];
    const place = below(node.place, "x-kubernetes-validations");
    const structural = nodeAt(node.root, node.steps);
    const self = structural && celTypeOf(structural);
    if (self === undefined) {
      const why =
        "failed to construct type information for x-kubernetes-validations rules: " +
        "unable to convert structural schema to CEL declarations";
      return [findingAt(place, "InternalError", `Internal error: internal error: ${why}`)];
    }
    return rules.flatMap((rule, index) => {
      const compiled = this.#compiler.compileText(rule, self);
      return this.#judge(node, rule, below(place, index), compiled);
    });
  }

  /** What the API server has against all rules together; `place` is that of the schema. */
  finish(place: SchemaPlace): readonly Finding[] {
    if (this.#total <= SCHEMA_COST_LIMIT) return [];
    const why =
      "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const findings = this.#dearest.map(({ place: at, cost, advise }) => {
      const left = SCHEMA_COST_LIMIT - (this.#total - cost);
      const advice = advise(left > 0n ? left : SCHEMA_COST_LIMIT / BigInt(this.#dearest.length));
      const share = `its share of the estimate is ${costText(cost)} of ${costText(this.#total)}`;
      const next = advice === undefined ? share : `${share}; ${advice}`;
      return { ...findingAt(at, "FieldValueForbidden", `Forbidden: ${why}`), next };
    });
    const name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    const message = `Forbidden: ${costMessage(name, this.#total, SCHEMA_COST_LIMIT)}`;
    const next = `the estimate is ${costText(this.#total)}, where ${SCHEMA_COST_LIMIT} are allowed`;
    return [...findings, { ...findingAt(place, "FieldValueForbidden", message), next }];
  }

  #judge(
    node: RuleNode,
    rule: RuleText,
    place: SchemaPlace,
    text: CompiledText,
  ): readonly Finding[] {
    const findings: Finding[] = [];
    const invalid = (keyword: string, value: string, why: string) => {
      const message = `Invalid value: ${value}: ${why}`;
      findings.push(findingAt(below(place, keyword), "FieldValueInvalid", message));
    };
    const { rule: compiled, message } = text;
    // A rule that does not compile has no cost.
    if (compiled?.ok)
      findings.push(...this.#cost(node, below(place, "rule"), compiled.program.checked));
    if (compiled?.ok === false) invalid("rule", ruleText(rule), compiled.message);
    if (message?.ok === false) invalid("messageExpression", ruleText(rule), message.message);
    if (message?.ok) {
      findings.push(
        ...this.#messageCost(node, below(place, "messageExpression"), message.program.checked),
      );
    }
    const { uncorrelatable } = node.around;
    if (text.usesOldSelf && uncorrelatable !== undefined) {
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      invalid("rule", valueText(rule.rule), why);
    }
    if (!text.usesOldSelf && rule.optionalOldSelf !== undefined) {
      const why = "may not be set if oldSelf is not used in rule";
      invalid("optionalOldSelf", String(rule.optionalOldSelf), why);
    }
    return findings;
  }

  #cost(node: RuleNode, place: SchemaPlace, checked: Checked): readonly Finding[] {
    const cost = ruleCost(checked, node.root, node.steps);
    const { root, steps } = node;
    const advise = (limit: bigint) => adviseBounds({ checked, root, steps, limit });
    this.#observe({ place, cost, advise });
    if (cost <= RULE_COST_LIMIT) return [];
    const message = `Forbidden: ${costMessage("estimated rule cost", cost, RULE_COST_LIMIT)}`;
    const estimate = `the estimate is ${costText(cost)}, where ${RULE_COST_LIMIT} are allowed`;
    const next = `${estimate}; ${advise(RULE_COST_LIMIT) ?? "simplify the rule, since no bound alone would do"}`;
    return [{ ...findingAt(place, "FieldValueForbidden", message), next }];
  }

  #messageCost(node: RuleNode, place: SchemaPlace, checked: Checked): readonly Finding[] {
    const structural = nodeAt(node.root, node.steps);
    const sized = structural && sizedType(structural);
    const cost = sized === undefined ? MAX_UINT64 : estimateCost(checked, sized).max;
    this.#observe({ place, cost, advise: () => undefined });
    if (cost <= RULE_COST_LIMIT) return [];
    const name = "estimated messageExpression cost";
    const message = `Forbidden: ${costMessage(name, cost, RULE_COST_LIMIT)}`;
    const next = `the estimate is ${costText(cost)}, where ${RULE_COST_LIMIT} are allowed`;
    return [{ ...findingAt(place, "FieldValueForbidden", message), next }];
  }

  #observe(rule: DearRule): void {
    this.#total = lesser(this.#total + rule.cost, MAX_UINT64);
    if (rule.cost < WORTH_NAMING) return;
    this.#dearest = [...this.#dearest, rule]
      .sort((left, right) => Number(right.cost - left.cost))
      .slice(0, MOST_NAMED);
  }
}

/** A rule or message that takes a good part of what all may cost; `advise` names bounds that help. */
interface DearRule {
  readonly place: SchemaPlace;
  readonly cost: bigint;
  advise(limit: bigint): string | undefined;
}

function costText(cost: bigint): string {
  return cost === MAX_UINT64 ? "2^64 or more" : String(cost);
}

function costMessage(name: string, cost: bigint, limit: bigint): string {
  return (
    `${name} exceeds budget by factor of ${factorText(Number(cost) / Number(limit))} (try simplifying ` +
    "the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
  );
}

function factorText(factor: number): string {
  if (factor > 100) return "more than 100x";
  if (factor < 1.5) return `${factor.toFixed(6)}x`;
  // A tie goes to the even digit, as Go rounds it.
  const tenths = factor * 10;
  const isTie = tenths % 1 === 0.5 && (factor * 4) % 1 === 0;
  const digits = isTie && Math.floor(tenths) % 2 === 0 ? Math.floor(tenths) / 10 : factor;
  return `${digits.toFixed(1)}x`;
}
