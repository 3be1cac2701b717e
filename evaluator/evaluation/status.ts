import { compare, type Fraction, formatFraction, ratio } from "./fraction.ts";
import type { Baseline } from "./gates.ts";
import {
  approvalId,
  type EvaluationPolicy,
  policyHash,
  SCORER_VERSION,
  shortThreshold,
} from "./identity.ts";
import type { Measurement, QuestionMeasurement } from "./measurement.ts";
import { questionName } from "./question-name.ts";
import type { Verdict } from "./verdict.ts";

/** A row of the table of questions, figures as decimals with four places. */
export interface QuestionRow {
  readonly id: string;
  readonly cases: number;
  readonly accuracy: string;
  readonly macroF1?: string;
}

/** The field `status.evaluation` of a DecisionModel; figures are decimals with four places. */
export interface EvaluationRecord {
  readonly revision: string;
  readonly accuracy: string;
  readonly baselineAccuracy?: string;
  /** How many questions were asked, and how many of them went wrong or unanswered. */
  readonly cases: number;
  readonly failedCases: number;
  readonly coverage: string;
  readonly calibratedCases: number;
  /** Left out where nothing was calibrated: its 0 would look perfect. */
  readonly ece?: string;
  readonly brier?: string;
  readonly baselineEce?: string;
  readonly classifiableCases: number;
  readonly macroF1?: string;
  readonly baselineMacroF1?: string;
  readonly minAccuracy: string;
  readonly maxAccuracyDrop?: string;
  readonly maxEce?: string;
  readonly maxEceIncrease?: string;
  readonly questions: readonly QuestionRow[];
  readonly truncated?: true;
  /** Left out while the verdict is neither. */
  readonly result?: "Passed" | "Failed";
  readonly reason: string;
  readonly policyHash: string;
  readonly scorerVersion: number;
  readonly datasetDigest: string;
  readonly approvalId: string;
  readonly completedAt: string;
}

/** What an evaluation came to, and what it was an evaluation of. */
export interface Evaluated {
  readonly revision: string;
  readonly policy: EvaluationPolicy;
  readonly datasetDigest: string;
  readonly measurement: Measurement;
  readonly baseline: Baseline;
  readonly verdict: Verdict;
  /** RFC 3339. */
  readonly completedAt: string;
}

const MOST_ROWS = 20;
const MOST_BYTES = 8192;
const MOST_REASON = 1024;

/**
 * Writes the record of an evaluation: at most 8 KiB of JSON, with the 20 questions of the lowest
 * accuracy, of equals those with the lowest macro-F1, then by name.
 */
export function evaluationRecord(evaluated: Evaluated): EvaluationRecord {
  const rows = [...evaluated.measurement.questions].sort(worstFirst).map(questionRow);
  let shown = Math.min(rows.length, MOST_ROWS);
  for (; ; shown--) {
    const record = recordWith(evaluated, rows.slice(0, shown), shown < rows.length);
    if (shown === 0 || Buffer.byteLength(JSON.stringify(record)) <= MOST_BYTES) return record;
  }
}

function worstFirst(a: QuestionMeasurement, b: QuestionMeasurement): number {
  return (
    compare(ratio(a.correct, a.asked), ratio(b.correct, b.asked)) ||
    compare(a.macroF1, b.macroF1) ||
    (a.question < b.question ? -1 : 1)
  );
}

function questionRow(of: QuestionMeasurement): QuestionRow {
  return {
    id: questionName(of.question),
    cases: of.asked,
    accuracy: formatFraction(ratio(of.correct, of.asked)),
    ...figure("macroF1", of.classifiable, of.macroF1),
  };
}

function recordWith(
  { revision, policy, datasetDigest, measurement, baseline, verdict, completedAt }: Evaluated,
  questions: readonly QuestionRow[],
  truncated: boolean,
): EvaluationRecord {
  const { asked, answered, correct, calibration, classifiable } = measurement;
  const hash = policyHash(policy);
  const { maxAccuracyDrop, maxECE, maxECEIncrease } = policy;
  return {
    revision,
    accuracy: formatFraction(ratio(correct, asked)),
    cases: asked,
    failedCases: asked - correct,
    coverage: formatFraction(ratio(answered, asked)),
    calibratedCases: calibration.scored,
    ...figure("ece", calibration.scored, calibration.ece),
    ...figure("brier", calibration.scored, calibration.brier),
    classifiableCases: classifiable,
    ...figure("macroF1", classifiable, measurement.macroF1),
    ...(baseline.state === "measured" ? baselineFigures(baseline.measurement) : {}),
    minAccuracy: shortThreshold(policy.minAccuracy),
    ...(maxAccuracyDrop === undefined ? {} : { maxAccuracyDrop: shortThreshold(maxAccuracyDrop) }),
    ...(maxECE === undefined ? {} : { maxEce: shortThreshold(maxECE) }),
    ...(maxECEIncrease === undefined ? {} : { maxEceIncrease: shortThreshold(maxECEIncrease) }),
    questions,
    ...(truncated ? { truncated } : {}),
    ...result(verdict),
    reason: verdict.message.slice(0, MOST_REASON).toWellFormed(),
    policyHash: hash,
    scorerVersion: SCORER_VERSION,
    datasetDigest,
    approvalId: approvalId(revision, { policyHash: hash, datasetDigest }),
    completedAt,
  };
}

function baselineFigures({ correct, asked, calibration, classifiable, macroF1 }: Measurement) {
  return {
    baselineAccuracy: formatFraction(ratio(correct, asked)),
    ...figure("baselineEce", calibration.scored, calibration.ece),
    ...figure("baselineMacroF1", classifiable, macroF1),
  };
}

function result({ outcome }: Verdict): Pick<EvaluationRecord, "result"> {
  if (outcome === "passed") return { result: "Passed" };
  return outcome === "failed" ? { result: "Failed" } : {};
}

/** A field with a figure, or none where the figure rests on nothing. */
function figure<Name extends string>(
  name: Name,
  items: number,
  value: Fraction,
): { readonly [field in Name]?: string } {
  return items === 0 ? {} : ({ [name]: formatFraction(value) } as { [field in Name]: string });
}
