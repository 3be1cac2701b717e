import { describe, expect, test } from "vitest";
import { readAnswerRules, ruledBy } from "./answer-rules.ts";
import { catalog, type SimulatedModel } from "./catalog.ts";
import type { AskedQuestion } from "./decide-request.ts";
import { firstOption } from "./judge.ts";

const [model, other] = catalog as readonly [SimulatedModel, SimulatedModel];
const route: AskedQuestion = { id: "route", type: "choice", options: ["billing", "tech", "sales"] };
const level: AskedQuestion = { id: "level", type: "score", options: ["none", "some"] };
const urgent: AskedQuestion = { id: "urgent", type: "noul", options: ["false", "true"] };

function judge(answers: unknown, seed = 1) {
  const read = readAnswerRules({ answers });
  if (!read.ok) throw new Error(read.error);
  return ruledBy(read.rules, seed);
}

describe("a rule", () => {
  const of = judge({
    "laya:en": {
      route: [
        { when: "charge", answer: "billing", probability: 0.8 },
        { when: '"kind":"bug"', answer: "tech" },
        { answer: "sales", probability: 0.5 },
      ],
      level: { answer: 1, probability: 1 },
      urgent: { answer: true },
    },
    "*": { "*": { answer: null } },
  });
  test.each<[AskedQuestion, unknown, readonly number[]]>([
    [route, "two charges", [0.8, 0.1, 0.1]],
    [route, { kind: "bug" }, [0.05, 0.9, 0.05]],
    [route, "hello", [0.25, 0.25, 0.5]],
    [level, "", [0, 1]],
    [urgent, "", [0.1, 0.9]],
  ])("of %j for %j", (question, state, expected) => {
    const probabilities = of(model, question, state) ?? [];
    expect(probabilities.map((share) => Number(share.toFixed(9)))).toEqual(expected);
  });

  test("for all other models and questions may say that there is no answer", () => {
    expect(of(other, route, "")).toBeUndefined();
  });

  test("that does not fit leaves the first option", () => {
    const first = (question: AskedQuestion) => firstOption(model, question, "");
    expect(judge({ "laya:en": { route: { answer: "none of them" } } })(model, route, "")).toEqual(
      first(route),
    );
    expect(judge({ "laya:en": {} })(model, route, "")).toEqual(first(route));
    expect(judge({})(model, level, "")).toEqual(first(level));
  });
});

describe("a row of a confusion matrix", () => {
  const answers = {
    "laya:en": { route: { answer: "billing", confusion: { tech: 0.2, sales: 0.1 } } },
  };
  const states = Array.from({ length: 2000 }, (_, index) => `case ${index}`);
  const given = (seed: number) => {
    const of = judge(answers, seed);
    return states.map((state) => {
      const probabilities = of(model, route, state) ?? [];
      return route.options[probabilities.indexOf(Math.max(...probabilities))];
    });
  };

  test("says how often something else is answered", () => {
    const count = (label: string) => given(1).filter((answer) => answer === label).length / 2000;
    expect(count("tech")).toBeCloseTo(0.2, 1);
    expect(count("sales")).toBeCloseTo(0.1, 1);
    expect(count("billing")).toBeCloseTo(0.7, 1);
  });

  test("gives the same answers for the same seed, and others for another", () => {
    expect(given(1)).toEqual(given(1));
    expect(given(1)).not.toEqual(given(2));
  });
});

test.each<[unknown, string]>([
  [[], "answers is missing"],
  [{ answers: [] }, "answers is missing"],
  [{ answers: { m: 1 } }, 'answers["m"] is no object'],
  [{ answers: { m: { q: 1 } } }, 'answers["m"]["q"][0]: a rule is an object'],
  [{ answers: { m: { q: [{ answer: "a" }, {}] } } }, 'answers["m"]["q"][1]: answer is missing'],
  [{ answers: { m: { q: { answer: "a", anser: 1 } } } }, '"anser" is unknown'],
  [{ answers: { m: { q: { answer: "a", when: 1 } } } }, "when is no text"],
  [{ answers: { m: { q: { answer: "a", probability: 2 } } } }, "probability is 2"],
  [{ answers: { m: { q: { answer: "a", confusion: { b: "x" } } } } }, "confusion is not an object"],
  [{ answers: { m: { q: { answer: "a", confusion: { b: 0.6, c: 0.6 } } } } }, "adds up to 1.2"],
])("%j: %s", (value, message) => {
  const read = readAnswerRules(value);
  expect(read.ok ? "" : read.error).toContain(message);
});
