import { canonicalJson } from "../../kube/canonical.ts";
import type { SimulatedModel } from "../engine/simulator/catalog.ts";
import type { AskedQuestion } from "../engine/simulator/decide-request.ts";
import type { Judge } from "../engine/simulator/judge.ts";
import type { Case } from "../evaluation/dataset.ts";

/** What a simulated model knows of a dataset. */
export interface Knowledge {
  /** The lines that it answers wrongly. */
  readonly wrong: readonly number[];
  /** The lines that it gives no answer to. */
  readonly unanswered: readonly number[];
  /** The probability that it gives what it answers. */
  readonly confidence: number;
}

/**
 * Has models answer the cases of datasets rightly but for the lines that are given, so that what a
 * gate counts is known beforehand. `caseOf` finds a case by its state as canonical JSON, empty where
 * it has none; what is no case's gets the first option.
 */
export function knownAnswers(
  caseOf: (state: string) => Case | undefined,
  knowledgeOf: (model: SimulatedModel) => Knowledge | undefined,
): Judge {
  return (model, question, state) => {
    const one = caseOf(state === undefined ? "" : canonicalJson(state));
    const { wrong, unanswered, confidence } = knowledgeOf(model) ?? KNOWS_ALL;
    if (one !== undefined && unanswered.includes(one.line)) return undefined;
    const right = one === undefined ? 0 : rightOption(one, question);
    const isWrong = one !== undefined && wrong.includes(one.line);
    const { length } = question.options;
    const chosen = isWrong ? (right + 1) % length : right;
    const others = length === 1 ? 0 : (1 - confidence) / (length - 1);
    return question.options.map((_, index) => (index === chosen ? confidence : others));
  };
}

const KNOWS_ALL: Knowledge = { wrong: [], unanswered: [], confidence: 0.9 };

function rightOption({ expectations }: Case, { id, type, options }: AskedQuestion): number {
  const expected = expectations.find(({ question }) => question === id)?.expected;
  if (type === "noul") return expected === true ? 1 : 0;
  const index = type === "score" ? Number(expected) : options.indexOf(String(expected));
  return Number.isInteger(index) && index >= 0 && index < options.length ? index : 0;
}
