import { type Confusion, confusions } from "./confusion.ts";
import type { Dataset } from "./dataset.ts";
import { type Fraction, ratio, toNumber } from "./fraction.ts";
import { type Baseline, judge } from "./gates.ts";
import type { EvaluationPolicy } from "./identity.ts";
import {
  type Measurement,
  measure,
  type QuestionMeasurement,
  type ScoredCase,
} from "./measurement.ts";
import {
  type Answer,
  type Disagreement,
  disagreements,
  type Given,
  type Listed,
  mistakes,
} from "./report-answers.ts";
import { scoredCase } from "./run.ts";
import { clustersOf, effectiveSize } from "./statistics/clusters.ts";
import { clopperPearson, type Interval, wilson } from "./statistics/intervals.ts";
import { logLoss } from "./statistics/log-loss.ts";
import { mcnemar, type PairedComparison } from "./statistics/mcnemar.ts";
import { type Binning, type Reliability, reliability } from "./statistics/reliability.ts";
import type { Verdict } from "./verdict.ts";

/** The level of all intervals in a report, two-sided. */
const REPORT_LEVEL = 0.95;

/** What a model answered to every case of a dataset, in the cases' order. */
export interface Answers {
  readonly model: string;
  readonly answers: readonly unknown[];
}

/** What is to be reported. */
export interface Reported {
  readonly dataset: Dataset;
  /** Left out where nothing is judged. */
  readonly policy?: EvaluationPolicy;
  /** How far a score may be off where its case says nothing. */
  readonly tolerance: Fraction;
  readonly candidate: Answers;
  readonly baseline?: Answers;
}

/** A share of questions that were answered rightly; figures are doubles from 0 to 1. */
export interface Share {
  readonly asked: number;
  readonly answered: number;
  readonly correct: number;
  readonly accuracy: number;
  /** Of Wilson, over as many independent questions as the cases are worth. */
  readonly interval: Interval;
  /** Left out where no question has a class to hit. */
  readonly macroF1?: number;
}

/** All figures of one model. */
export interface Figures extends Share {
  readonly model: string;
  /** Of Clopper and Pearson, over the same effective number of questions. */
  readonly exactInterval: Interval;
  /** Left out where the cases can't tell: one case, all right, or all wrong. */
  readonly designEffect?: number;
  /** As many independent questions would tell as much. */
  readonly effective: number;
  /** The share of questions with a usable answer. */
  readonly coverage: number;
  /** How many answers came with a confidence; what follows rests on them and is left out without any. */
  readonly calibrated: number;
  readonly brier?: number;
  /** In nats. */
  readonly logLoss?: number;
  readonly reliability?: { readonly equalWidth: Reliability; readonly equalMass: Reliability };
}

/** A question or a slice, as the candidate and the baseline answer it. */
export interface Row {
  readonly name: string;
  readonly candidate: Share;
  readonly baseline?: Share;
}

/** An evaluation as a person reads it. */
export interface EvaluationReport {
  readonly dataset: { readonly digest: string; readonly cases: number; readonly questions: number };
  /** Of all intervals. */
  readonly level: number;
  /** Left out where there was no policy. */
  readonly verdict?: Verdict;
  readonly candidate: Figures;
  readonly baseline?: Figures;
  readonly comparison?: PairedComparison;
  /** The lowest accuracy of the candidate first. */
  readonly questions: readonly Row[];
  /** By name; empty where no case names a slice. */
  readonly slices: readonly Row[];
  /** Of the candidate, by question. */
  readonly confusion: readonly Confusion[];
  /** The candidate's wrong answers, the most confident first. */
  readonly mistakes: Listed<Answer>;
  /** What the baseline alone answers rightly comes first. */
  readonly disagreements?: Listed<Disagreement>;
}

/** The name of the cases without a slice, next to those with one. */
const NO_SLICE = "(no slice)";

/**
 * Scores, measures, judges and compares complete answers to a dataset, by the rules of the operator's
 * gate. Intervals by bootstrap are drawn from the dataset's digest, so that they come out the same again.
 */
export function evaluationReport(reported: Reported): EvaluationReport {
  const { dataset, policy } = reported;
  const candidate = assess(reported, reported.candidate);
  const baseline = reported.baseline && assess(reported, reported.baseline);
  const against: Baseline =
    baseline === undefined
      ? { state: "none" }
      : { state: "measured", measurement: baseline.measurement };
  return {
    dataset: {
      digest: dataset.digest,
      cases: dataset.cases.length,
      questions: candidate.measurement.asked,
    },
    level: REPORT_LEVEL,
    ...(policy === undefined ? {} : { verdict: judge(policy, candidate.measurement, against) }),
    candidate: candidate.figures,
    questions: questionRows(candidate.measurement, baseline?.measurement),
    slices: sliceRows(candidate.scored, baseline?.scored),
    confusion: confusions(candidate.scored),
    mistakes: mistakes(dataset.cases, candidate),
    ...(baseline === undefined
      ? {}
      : {
          baseline: baseline.figures,
          comparison: mcnemar(candidate.measurement.cases, baseline.measurement.cases),
          disagreements: disagreements(dataset.cases, candidate, baseline),
        }),
  };
}

interface Assessed extends Given {
  readonly measurement: Measurement;
  readonly figures: Figures;
}

function assess({ dataset, tolerance }: Reported, { model, answers }: Answers): Assessed {
  const scored = dataset.cases.map((one, index) => scoredCase(one, answers[index], tolerance));
  const measurement = measure(scored);
  // 31 bits of the digest: the same dataset gives the same intervals.
  const seed = Number.parseInt(dataset.digest.slice(0, 8), 16) >>> 1;
  return { answers, scored, measurement, figures: figures(model, scored, measurement, seed) };
}

function figures(
  model: string,
  scored: readonly ScoredCase[],
  measurement: Measurement,
  seed: number,
): Figures {
  const { designEffect, effective } = effectiveSize(clustersOf(measurement.cases));
  const { asked, answered, calibration } = measurement;
  const share = shareOf(measurement, toNumber(effective));
  return {
    model,
    ...share,
    exactInterval: clopperPearson(share.accuracy, toNumber(effective), REPORT_LEVEL),
    ...(designEffect === undefined ? {} : { designEffect: toNumber(designEffect) }),
    effective: toNumber(effective),
    coverage: toNumber(ratio(answered, asked)),
    calibrated: calibration.scored,
    ...(calibration.scored === 0 ? {} : calibrationFigures(scored, measurement, seed)),
  };
}

function calibrationFigures(
  scored: readonly ScoredCase[],
  { calibration }: Measurement,
  seed: number,
) {
  const points = scored.map(({ outcomes }) => outcomes.flatMap((one) => one.calibration ?? []));
  const table = (binning: Binning) => reliability(points, binning, { level: REPORT_LEVEL, seed });
  return {
    brier: toNumber(calibration.brier),
    logLoss: logLoss(points.flat()),
    reliability: { equalWidth: table("equal width"), equalMass: table("equal mass") },
  };
}

/** A share over so many independent questions. */
function shareOf(of: Omit<QuestionMeasurement, "question">, effective: number): Share {
  const { asked, answered, correct, classifiable, macroF1 } = of;
  const accuracy = toNumber(ratio(correct, asked));
  return {
    asked,
    answered,
    correct,
    accuracy,
    interval: wilson(accuracy, effective, REPORT_LEVEL),
    ...(classifiable === 0 ? {} : { macroF1: toNumber(macroF1) }),
  };
}

/** A question is asked at most once by a case, so its answers are independent. */
function questionRows(candidate: Measurement, baseline: Measurement | undefined): readonly Row[] {
  const stable = new Map(baseline?.questions.map((one) => [one.question, one]));
  const rows = candidate.questions.map((own) => {
    const other = stable.get(own.question);
    return {
      name: own.question,
      candidate: shareOf(own, own.asked),
      ...(other === undefined ? {} : { baseline: shareOf(other, other.asked) }),
    };
  });
  return rows.sort(
    (a, b) => a.candidate.accuracy - b.candidate.accuracy || (a.name < b.name ? -1 : 1),
  );
}

function sliceRows(
  candidate: readonly ScoredCase[],
  baseline: readonly ScoredCase[] | undefined,
): readonly Row[] {
  if (candidate.every(({ slice }) => slice === undefined)) return [];
  const bySlice = (scored: readonly ScoredCase[]) =>
    Map.groupBy(scored, ({ slice }) => slice ?? NO_SLICE);
  const share = (scored: readonly ScoredCase[]) => {
    const measurement = measure(scored);
    return shareOf(measurement, toNumber(effectiveSize(clustersOf(measurement.cases)).effective));
  };
  const stable = bySlice(baseline ?? []);
  const own = bySlice(candidate);
  return [...own.keys()].sort().map((name) => {
    const other = stable.get(name);
    return {
      name,
      candidate: share(own.get(name) ?? []),
      ...(other === undefined ? {} : { baseline: share(other) }),
    };
  });
}
