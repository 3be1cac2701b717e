import { type Calibration, calibrate } from "./calibration.ts";
import { macroF1 } from "./classification.ts";
import { add, divide, type Fraction, ZERO } from "./fraction.ts";
import type { Outcome } from "./score.ts";

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
}

/** Measures the outcomes of every question asked. */
export function measure(outcomes: readonly Outcome[]): Measurement {
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
  };
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
