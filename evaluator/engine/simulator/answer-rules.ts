import { isRecord } from "../../../kube/object.ts";
import { quote } from "../../../kube/quote.ts";
import { sha256 } from "./catalog.ts";
import { firstOption, type Judge } from "./judge.ts";
import { showReference } from "./model-reference.ts";

/** What is answered to a question about some states. */
export interface AnswerRule {
  /** A text that the state must hold, itself or as JSON; any state where left out. */
  readonly when?: string;
  /** The label of a choice, the level of a score as a number, true or false; null for no answer at all. */
  readonly answer: string | null;
  /** Of that answer; the other options share the rest equally. */
  readonly probability: number;
  /** What is answered instead, and how often: one row of a confusion matrix. */
  readonly confusion: ReadonlyMap<string, number>;
}

/** Rules by model and question, `*` being all that have none of their own; the first that fits counts. */
export type AnswerRules = ReadonlyMap<string, ReadonlyMap<string, readonly AnswerRule[]>>;

/** Rules, or what is wrong with the first that is none: where it stands, what was seen, what to write. */
export type ReadRules =
  | { readonly ok: true; readonly rules: AnswerRules }
  | { readonly ok: false; readonly error: string };

const DEFAULT_PROBABILITY = 0.9;

/** Reads `{answers: {MODEL: {QUESTION: [RULE, ...]}}}`, a single rule standing for a list of one. */
export function readAnswerRules(value: unknown): ReadRules {
  const wrong = (error: string): ReadRules => ({ ok: false, error });
  const answers = isRecord(value) ? value.answers : undefined;
  if (!isRecord(answers)) return wrong("answers is missing; give answers: {MODEL: {QUESTION: …}}");
  const rules = new Map<string, ReadonlyMap<string, readonly AnswerRule[]>>();
  for (const [model, questions] of Object.entries(answers)) {
    const at = `answers[${quote(model)}]`;
    if (!isRecord(questions)) return wrong(`${at} is no object; give the answer to each question`);
    const ofModel = new Map<string, readonly AnswerRule[]>();
    for (const [question, listed] of Object.entries(questions)) {
      const ofQuestion: AnswerRule[] = [];
      for (const [index, item] of (Array.isArray(listed) ? listed : [listed]).entries()) {
        const rule = readRule(item);
        if (typeof rule === "string") return wrong(`${at}[${quote(question)}][${index}]: ${rule}`);
        ofQuestion.push(rule);
      }
      ofModel.set(question, ofQuestion);
    }
    rules.set(model, ofModel);
  }
  return { ok: true, rules };
}

const FIELDS = ["when", "answer", "probability", "confusion"];

function readRule(value: unknown): AnswerRule | string {
  if (!isRecord(value)) return "a rule is an object with the field answer";
  const unknown = Object.keys(value).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return `${quote(unknown)} is unknown; a rule has ${FIELDS.join(", ")}`;
  const { when, answer, probability = DEFAULT_PROBABILITY, confusion = {} } = value;
  if (when !== undefined && typeof when !== "string") return "when is no text; quote it";
  if (answer !== null && !["string", "number", "boolean"].includes(typeof answer)) {
    return "answer is missing; give a label, a level, true, false, or null for no answer";
  }
  if (!isShare(probability)) return `probability is ${probability}; give a number from 0 to 1`;
  if (!isRecord(confusion) || !Object.values(confusion).every(isShare)) {
    return "confusion is not an object of answers and how often each is given, from 0 to 1";
  }
  const row = new Map(Object.entries(confusion).map(([option, share]) => [option, Number(share)]));
  const sum = [...row.values()].reduce((total, share) => total + share, 0);
  if (sum > 1 + 1e-9)
    return `confusion adds up to ${sum}; the right answer needs what is left of 1`;
  return {
    ...(when === undefined ? {} : { when }),
    answer: answer === null ? null : String(answer),
    probability,
    confusion: row,
  };
}

const isShare = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= 1;

/**
 * A judge that follows rules. Where none fits, and where one names what is no option of the
 * question, the first option is the likeliest, as in `firstOption`. Equal seeds give equal answers.
 */
export function ruledBy(rules: AnswerRules, seed: number): Judge {
  return (model, question, state) => {
    const name = showReference(model.name);
    const text = typeof state === "string" ? state : JSON.stringify(state ?? null);
    const ofModel = rules.get(name) ?? rules.get("*");
    const listed = ofModel?.get(question.id) ?? ofModel?.get("*") ?? [];
    const rule = listed.find(({ when }) => when === undefined || text.includes(when));
    if (rule === undefined) return firstOption(model, question, state);
    if (rule.answer === null) return undefined;
    const given = confused(rule, draw(`${seed}\n${name}\n${question.id}\n${text}`));
    const { options, type } = question;
    const keys = type === "score" ? options.map((_, level) => String(level)) : options;
    const chosen = keys.indexOf(given);
    if (chosen < 0) return firstOption(model, question, state);
    const rest = (1 - rule.probability) / (keys.length - 1);
    return keys.map((_, index) => (index === chosen ? rule.probability : rest));
  };
}

/** The answer, or what is given instead of it at this draw. */
function confused({ answer, confusion }: AnswerRule, drawn: number): string {
  let from = 0;
  for (const [option, share] of confusion) {
    from += share;
    if (drawn < from) return option;
  }
  return answer ?? "";
}

/** A number from 0 to below 1 that a text always gives, spread evenly over texts. */
function draw(text: string): number {
  return Number.parseInt(sha256(text).slice(0, 12), 16) / 2 ** 48;
}
