import { field } from "../../kube/object.ts";
import type { Case } from "./dataset.ts";
import { toNumber } from "./fraction.ts";
import type { ScoredCase } from "./measurement.ts";
import { answeredValue, type Outcome } from "./score.ts";

/** An answer to one question of one case, next to what was expected. */
export interface Answer {
  /** The line of the case in its dataset. */
  readonly line: number;
  readonly slice?: string;
  readonly question: string;
  /** The state of the case, as its dataset has it, cut where it is long. */
  readonly state: string;
  readonly expected: unknown;
  /** `null` where there was no usable answer. */
  readonly answered: unknown;
  /** From 0 to 1; left out where the answer came without one. */
  readonly confidence?: number;
}

/** A question that one of the two models alone answers rightly. */
export interface Disagreement extends Answer {
  readonly baselineAnswered: unknown;
  /** Which of them is right. */
  readonly right: "candidate" | "baseline";
}

/** A list with the first of its entries, and how many there are. */
export interface Listed<Entry> {
  readonly total: number;
  readonly first: readonly Entry[];
}

/** What a model gave for each case, and what that came to; both in the cases' order. */
export interface Given {
  readonly answers: readonly unknown[];
  readonly scored: readonly ScoredCase[];
}

const MOST_LISTED = 100;
const MOST_STATE = 200;

/** The wrong answers of a model, the most confident first. */
export function mistakes(cases: readonly Case[], { answers, scored }: Given): Listed<Answer> {
  const wrong = scored.flatMap(({ outcomes }, index) => {
    return outcomes.flatMap((outcome, at) => {
      const asked = cases[index];
      if (asked === undefined || outcome.correct) return [];
      return [answerOf(asked, at, outcome, answers[index])];
    });
  });
  // An answer without a confidence comes after all that have one; lines keep their order.
  return listed(wrong.sort((a, b) => (b.confidence ?? -1) - (a.confidence ?? -1)));
}

/** What one of two models alone answers rightly, first what the baseline does. */
export function disagreements(
  cases: readonly Case[],
  candidate: Given,
  baseline: Given,
): Listed<Disagreement> {
  const found = candidate.scored.flatMap(({ outcomes }, index) => {
    return outcomes.flatMap((outcome, at): Disagreement[] => {
      const [asked, other] = [cases[index], baseline.scored[index]?.outcomes[at]];
      if (asked === undefined || other === undefined || other.correct === outcome.correct)
        return [];
      return [
        {
          ...answerOf(asked, at, outcome, candidate.answers[index]),
          baselineAnswered: answeredValue(field(baseline.answers[index], outcome.question)) ?? null,
          right: outcome.correct ? "candidate" : "baseline",
        },
      ];
    });
  });
  const order = { baseline: 0, candidate: 1 };
  return listed(found.sort((a, b) => order[a.right] - order[b.right]));
}

function answerOf(
  { line, slice, state = "", expectations }: Case,
  at: number,
  { question, calibration }: Outcome,
  answers: unknown,
): Answer {
  return {
    line,
    ...(slice === undefined ? {} : { slice }),
    question,
    state: state.length > MOST_STATE ? `${state.slice(0, MOST_STATE).toWellFormed()}…` : state,
    expected: expectations[at]?.expected ?? null,
    answered: answeredValue(field(answers, question)) ?? null,
    ...(calibration === undefined ? {} : { confidence: toNumber(calibration.confidence) }),
  };
}

function listed<Entry>(entries: readonly Entry[]): Listed<Entry> {
  return { total: entries.length, first: entries.slice(0, MOST_LISTED) };
}
