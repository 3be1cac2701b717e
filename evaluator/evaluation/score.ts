import { field, isRecord } from "../../kube/object.ts";
import { type CalibrationPoint, confidenceOf } from "./calibration.ts";
import type { Classified } from "./classification.ts";
import { type Expectation, isLabel, isLevel } from "./dataset.ts";
import {
  absolute,
  add,
  compare,
  type Fraction,
  fractionOf,
  ONE,
  ratio,
  subtract,
  ZERO,
} from "./fraction.ts";

/** What one question of one case came to. */
export interface Outcome {
  readonly question: string;
  /** Whether there was a usable answer: a label, a probability or a number, by the answer's type. */
  readonly answered: boolean;
  readonly correct: boolean;
  /** Left out where the answer came without usable probabilities, or there was none. */
  readonly calibration?: CalibrationPoint;
  /** Left out where the expected value is neither a label nor a boolean. */
  readonly classified?: Classified;
}

/** What an answer says, by its own type and whatever was expected. */
interface Reading {
  readonly correct: boolean;
  readonly calibration?: CalibrationPoint;
  /** The class answered, of a choice or a noul. */
  readonly predicted?: string;
}

/**
 * Scores the answers to one case, an engine's `answers` of any shape; `tolerance` is for scores
 * whose case has none. A missing answer is wrong but says nothing about calibration: counted as
 * confidence 0 it would look perfectly calibrated.
 */
export function scoreCase(
  expectations: readonly Expectation[],
  answers: unknown,
  tolerance: Fraction,
): readonly Outcome[] {
  return expectations.map((expectation) => {
    const { question, expected } = expectation;
    const reading = read(field(answers, question), expectation, tolerance);
    return {
      question,
      answered: reading !== undefined,
      correct: reading?.correct ?? false,
      ...(reading?.calibration === undefined ? {} : { calibration: reading.calibration }),
      ...classified(expected, reading?.predicted),
    };
  });
}

/**
 * What an answer says, as a dataset would put it: the label of a choice, the boolean of a noul, the
 * number of a score; `undefined` where it has no known type or not the value of its type.
 */
export function answeredValue(answer: unknown): string | boolean | number | undefined {
  switch (field(answer, "type")) {
    case "choice": {
      const label = field(answer, "choice");
      return typeof label === "string" ? label : undefined;
    }
    case "noul": {
      const probability = field(answer, "noul");
      return isFiniteNumber(probability) ? probability >= 0.5 : undefined;
    }
    case "score": {
      const score = field(answer, "score");
      return isFiniteNumber(score) ? score : undefined;
    }
    default:
      return undefined;
  }
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);

/** Reads an answer, `undefined` where it is not usable. */
function read(
  answer: unknown,
  { expected, tolerance: own }: Expectation,
  tolerance: Fraction,
): Reading | undefined {
  const value = answeredValue(answer);
  switch (typeof value) {
    case "string":
      return readChoice(answer, value, expected);
    case "boolean":
      return readNoul(answer, value, expected);
    case "number":
      return readScore(answer, value, expected, own ?? tolerance);
    default:
      return undefined;
  }
}

function readChoice(answer: unknown, label: string, expected: unknown): Reading {
  const predicted = className(label);
  if (!isLabel(expected)) return { correct: false, predicted };
  const correct = label === expected;
  const probability = field(answer, "probabilities", label);
  if (typeof probability !== "number") return { correct, predicted };
  return { correct, predicted, calibration: { confidence: confidenceOf(probability), correct } };
}

function readNoul(answer: unknown, says: boolean, expected: unknown): Reading {
  const predicted = className(says);
  if (typeof expected !== "boolean") return { correct: false, predicted };
  const correct = says === expected;
  const yes = confidenceOf(Number(field(answer, "noul")));
  const confidence = says ? yes : subtract(ONE, yes);
  return { correct, predicted, calibration: { confidence, correct } };
}

function readScore(
  answer: unknown,
  score: number,
  expected: unknown,
  tolerance: Fraction,
): Reading {
  const value = fractionOf(score);
  const level = isLevel(expected) ? fractionOf(expected) : undefined;
  if (value === undefined || level === undefined) return { correct: false };
  const correct = compare(absolute(subtract(value, level)), tolerance) <= 0;
  const likeliest = likeliestLevel(field(answer, "probabilities"));
  if (likeliest === undefined) return { correct };
  const { confidence } = likeliest;
  return { correct, calibration: { confidence, correct: likeliest.level === expected } };
}

const MOST_LEVELS = 10;
const SUM_MAY_DIFFER = ratio(1, 100);

/**
 * The level with the highest probability, the lowest of equals. `undefined` unless the map has the
 * keys 0 to n − 1 for 2 to 10 levels, each from 0 to 1, with a sum within 0.01 of 1.
 */
function likeliestLevel(
  probabilities: unknown,
): { readonly level: number; readonly confidence: Fraction } | undefined {
  if (!isRecord(probabilities)) return undefined;
  const levels = Object.keys(probabilities).length;
  if (levels < 2 || levels > MOST_LEVELS) return undefined;
  let likeliest = { level: 0, confidence: ZERO };
  let sum = ZERO;
  for (let level = 0; level < levels; level++) {
    const probability = field(probabilities, String(level));
    const inRange = typeof probability === "number" && probability >= 0 && probability <= 1;
    if (!inRange) return undefined;
    const confidence = confidenceOf(probability);
    if (compare(confidence, likeliest.confidence) > 0) likeliest = { level, confidence };
    sum = add(sum, confidence);
  }
  return compare(absolute(subtract(sum, ONE)), SUM_MAY_DIFFER) <= 0 ? likeliest : undefined;
}

function classified(expected: unknown, predicted: string | undefined) {
  if (!isLabel(expected) && typeof expected !== "boolean") return {};
  return { classified: { expected: className(expected), predicted } };
}

/** A class as JSON, so that the label "true" of a choice is another one than the true of a noul. */
const className = (value: string | boolean) => JSON.stringify(value);
