import { confidenceQuantile, weighEvidence } from "./evidence.ts";
import {
  compare,
  type Fraction,
  formatAgainst,
  formatFraction,
  parseDecimal,
  ratio,
  subtract,
  ZERO,
} from "./fraction.ts";
import { type EvaluationPolicy, shortThreshold } from "./identity.ts";
import type { Measurement } from "./measurement.ts";
import { mcnemar } from "./statistics/mcnemar.ts";
import type { FailureReason, Verdict } from "./verdict.ts";

/** The stable revision's measurement over the same cases, as far as there is one. */
export type Baseline =
  /** No stable revision can be measured: relative gates are left out. */
  | { readonly state: "none" }
  | { readonly state: "unavailable"; readonly message: string }
  | { readonly state: "measured"; readonly measurement: Measurement };

/** A threshold that is compared with a figure. */
type GateName =
  | "minAccuracy"
  | "maxAccuracyDrop"
  | "minCoverage"
  | "maxECE"
  | "maxECEIncrease"
  | "minMacroF1"
  | "maxMacroF1Drop";

/** One gate of a policy: a figure and how it must stand to the threshold. */
interface Gate {
  readonly name: GateName;
  /** What the figure is, as messages call it. */
  readonly quantity: string;
  /** A floor is reached from above, a ceiling from below; equality passes either. */
  readonly bound: "floor" | "ceiling";
  /** Whether it compares with the stable revision. */
  readonly relative: boolean;
  readonly value: (candidate: Measurement, stable: Measurement) => Fraction;
  /** Where the figure comes from. */
  readonly detail: (candidate: Measurement, stable: Measurement) => string;
}

/** Gates over the same items, none of which passes where there are no items. */
interface Family {
  readonly items: (of: Measurement) => number;
  readonly reason: FailureReason;
  /** What it means that there are none, and what to do. */
  readonly lacking: string;
  readonly gates: readonly Gate[];
}

type Figure = (of: Measurement) => Fraction;

const accuracy: Figure = ({ correct, asked }) => ratio(correct, asked);
const coverage: Figure = ({ answered, asked }) => ratio(answered, asked);
const ece: Figure = ({ calibration }) => calibration.ece;
const macroF1: Figure = (of) => of.macroF1;

/** In the order of judgement: the first gate that fails is the one that is named. */
const FAMILIES: readonly Family[] = [
  {
    items: ({ asked }) => asked,
    reason: "EvaluationFailed",
    lacking: "no question was scored; a dataset must expect at least one answer",
    gates: [
      absolute(
        "minAccuracy",
        "accuracy",
        "floor",
        accuracy,
        (of) => `${of.correct} of ${of.asked}`,
      ),
      relative("maxAccuracyDrop", "accuracy drop", "falls", accuracy, (candidate, stable) => {
        const { worse, better, p } = mcnemar(candidate.cases, stable.cases);
        const shown = p < 0.0001 ? "below 0.0001" : p.toFixed(4);
        return `, ${worse} got worse and ${better} better, McNemar p ${shown}`;
      }),
      absolute(
        "minCoverage",
        "coverage",
        "floor",
        coverage,
        (of) => `${of.answered} of ${of.asked} answered`,
      ),
    ],
  },
  {
    items: ({ calibration }) => calibration.scored,
    reason: "CalibrationUnavailable",
    lacking:
      "no answer came with usable probabilities; use a model that gives them, or leave maxECE and maxECEIncrease out",
    gates: [
      absolute("maxECE", "ECE", "ceiling", ece, (of) => `over ${of.calibration.scored} answers`),
      relative("maxECEIncrease", "ECE increase", "rises", ece),
    ],
  },
  {
    items: ({ classifiable }) => classifiable,
    reason: "ClassificationUnavailable",
    lacking:
      "no question expects a label or a boolean; add some, or leave minMacroF1 and maxMacroF1Drop out",
    gates: [
      absolute(
        "minMacroF1",
        "macro-F1",
        "floor",
        macroF1,
        (of) => `over ${of.classifiable} answers`,
      ),
      relative("maxMacroF1Drop", "macro-F1 drop", "falls", macroF1),
    ],
  },
];
const GATES = FAMILIES.flatMap(({ gates }) => gates);

/** The thresholds that the API accepts: decimals from 0 to 1. */
const THRESHOLD = /^(0(\.[0-9]+)?|1(\.0+)?)$/;

/** Tells whether a policy compares with the stable revision, which must then be measured too. */
export function comparesWithStable(policy: EvaluationPolicy): boolean {
  return GATES.some(({ name, relative }) => relative && policy[name] !== undefined);
}

/**
 * Judges a measurement by every threshold of a policy, exactly; a value at its threshold passes. The
 * message names the figures of the gate that fails, or of all that pass. Where all pass but the cases
 * are too few for the policy's confidence the evidence is insufficient.
 */
export function judge(
  policy: EvaluationPolicy,
  candidate: Measurement,
  baseline: Baseline,
): Verdict {
  const set = GATES.filter(({ name }) => policy[name] !== undefined);
  const unusable = unusableThreshold(policy);
  if (unusable !== undefined) return failed("EvaluationFailed", unusable);
  if (baseline.state === "unavailable" && comparesWithStable(policy)) {
    const message = `the stable revision could not be measured: ${baseline.message}`;
    return { outcome: "held", reason: "BaselineUnavailable", message };
  }
  const stable = baseline.state === "measured" ? baseline.measurement : undefined;
  const enforced = set.filter(({ relative }) => !relative || stable !== undefined);
  const passes: string[] = [];
  for (const family of FAMILIES) {
    const gates = family.gates.filter((gate) => enforced.includes(gate));
    const lack = lacking(family, gates, candidate, stable);
    if (lack !== undefined) return failed(family.reason, lack);
    for (const gate of gates) {
      const { passed, message } = judgeGate(gate, policy[gate.name] ?? "", candidate, stable);
      if (!passed) return failed("EvaluationFailed", message);
      passes.push(message);
    }
  }
  const quantile = confidenceQuantile(policy.confidence ?? "");
  if (quantile !== undefined) {
    const { state, message } = weighEvidence(policy, quantile, candidate);
    if (state === "short") return { outcome: "insufficient", message };
    passes.push(message);
  }
  const skipped = set.filter((gate) => !enforced.includes(gate)).map(({ name }) => name);
  if (skipped.length > 0) {
    passes.push(`not judged without a stable revision: ${skipped.join(", ")}`);
  }
  return { outcome: "passed", message: passes.join("; "), skipped };
}

/** What is wrong with a policy that the API would not have accepted. */
function unusableThreshold(policy: EvaluationPolicy): string | undefined {
  const bad = GATES.map(({ name }) => name).find(
    (name) => policy[name] !== undefined && !THRESHOLD.test(policy[name]),
  );
  if (bad !== undefined) {
    const seen = shortThreshold(JSON.stringify(policy[bad]));
    return `${bad} ${seen} must be a decimal from 0 to 1`;
  }
  const { confidence, minAccuracy } = policy;
  if (confidence === undefined) return undefined;
  if (confidenceQuantile(confidence) === undefined) {
    const seen = shortThreshold(JSON.stringify(confidence));
    return `confidence ${seen} must be a decimal above 0.5 and below 1`;
  }
  return minAccuracy.startsWith("1")
    ? "confidence needs a minAccuracy below 1, since no number of cases proves that a model never errs"
    : undefined;
}

/** Says that a measurement which gates need has no items: a share of nothing would pass or fail by chance. */
function lacking(
  { items, lacking }: Family,
  gates: readonly Gate[],
  candidate: Measurement,
  stable: Measurement | undefined,
): string | undefined {
  if (gates.length === 0) return undefined;
  if (items(candidate) === 0) return lacking;
  const compares = stable !== undefined && gates.some(({ relative }) => relative);
  return compares && items(stable) === 0 ? `of the stable revision ${lacking}` : undefined;
}

function judgeGate(
  { name, quantity, bound, value, detail }: Gate,
  threshold: string,
  candidate: Measurement,
  stable: Measurement = candidate,
): { readonly passed: boolean; readonly message: string } {
  const limit = parseDecimal(threshold) ?? ZERO;
  const figure = value(candidate, stable);
  const order = compare(figure, limit);
  const passed = bound === "floor" ? order >= 0 : order <= 0;
  const words = bound === "floor" ? ["reaches", "is below"] : ["is within", "is above"];
  const shown = `${formatAgainst(figure, limit)} (${detail(candidate, stable)})`;
  const relation = words[passed ? 0 : 1];
  return {
    passed,
    message: `${quantity} ${shown} ${relation} ${name} ${shortThreshold(threshold)}`,
  };
}

function absolute(
  name: GateName,
  quantity: string,
  bound: Gate["bound"],
  value: Figure,
  detail: (of: Measurement) => string,
): Gate {
  return { name, quantity, bound, relative: false, value, detail };
}

function relative(
  name: GateName,
  quantity: string,
  worse: "falls" | "rises",
  figure: Figure,
  remark: Gate["detail"] = () => "",
): Gate {
  return {
    name,
    quantity,
    bound: "ceiling",
    relative: true,
    value: (candidate, stable) =>
      worse === "falls"
        ? subtract(figure(stable), figure(candidate))
        : subtract(figure(candidate), figure(stable)),
    detail: (candidate, stable) =>
      `${formatFraction(figure(stable))} to ${formatFraction(figure(candidate))}${remark(candidate, stable)}`,
  };
}

const failed = (reason: FailureReason, message: string): Verdict => ({
  outcome: "failed",
  reason,
  message,
});
