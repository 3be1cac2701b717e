import { type Calibration, calibrate } from "./calibration.ts";
import { macroF1 } from "./classification.ts";
import { add, divide, type Fraction, ZERO } from "./fraction.ts";
import type { Outcome } from "./score.ts";

/** A case with what its questions came to. */
export interface ScoredCase {
  /** Its line in the dataset, from 1. */
  readonly line: number;
  /** The part of the dataset that it is reported with; left out where it names none. */
  readonly slice?: string;
  /** In the order of its expectations: by question. */
  readonly outcomes: readonly Outcome[];
}

/** What is kept of a case for judging: its questions, answered together, go right or wrong together. */
export interface CaseTally {
  readonly line: number;
  /** Whether each question was answered rightly, in the order of its expectations. */
  readonly correct: readonly boolean[];
}

/** What the answers to one question came to, over all cases that ask it. */
export interface QuestionMeasurement {
  readonly question: string;
  readonly asked: number;
  readonly answered: number;
  readonly correct: number;
  /** How many had a class to hit. */
  readonly classifiable: number;
  /** Of those; 0 where there are none. */
  readonly macroF1: Fraction;
}

/** What the answers of one revision to one dataset came to; exact, whatever the order of the cases. */
export interface Measurement {
  readonly asked: number;
  /** How many questions had a usable answer, right or wrong. */
  readonly answered: number;
  readonly correct: number;
  readonly calibration: Calibration;
  readonly classifiable: number;
  /** The mean over the questions that have a class to hit, each counting as much; 0 without any. */
  readonly macroF1: Fraction;
  /** Sorted by question. */
  readonly questions: readonly QuestionMeasurement[];
  /** In the order of the cases; without texts, since measurements stay in memory. */
  readonly cases: readonly CaseTally[];
}

/** Measures the outcomes of every question asked. */
export function measure(cases: readonly ScoredCase[]): Measurement {
  const outcomes = cases.flatMap((one) => one.outcomes);
  const byQuestion = Map.groupBy(outcomes, ({ question }) => question);
  const questions = [...byQuestion.keys()]
    .sort()
    .map((question) => measureQuestion(question, byQuestion.get(question) ?? []));
  const classified = questions.filter(({ classifiable }) => classifiable > 0);
  const sum = (count: (one: QuestionMeasurement) => number) =>
    questions.reduce((total, one) => total + count(one), 0);
  return {
    asked: outcomes.length,
    answered: sum(({ answered }) => answered),
    correct: sum(({ correct }) => correct),
    calibration: calibrate(outcomes.flatMap(({ calibration }) => calibration ?? [])),
    classifiable: sum(({ classifiable }) => classifiable),
    macroF1: divide(
      classified.reduce((total, one) => add(total, one.macroF1), ZERO),
      classified.length,
    ),
    questions,
    cases: cases.map(tally),
  };
}

function tally({ line, outcomes }: ScoredCase): CaseTally {
  return { line, correct: outcomes.map(({ correct }) => correct) };
}

function measureQuestion(question: string, outcomes: readonly Outcome[]): QuestionMeasurement {
  const pairs = outcomes.flatMap(({ classified }) => classified ?? []);
  return {
    question,
    asked: outcomes.length,
    answered: outcomes.filter(({ answered }) => answered).length,
    correct: outcomes.filter(({ correct }) => correct).length,
    classifiable: pairs.length,
    macroF1: macroF1(pairs),
  };
}
