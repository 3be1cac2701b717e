import { describe, expect, it } from "vitest";
import type { Case } from "./dataset.ts";
import { ratio } from "./fraction.ts";
import { type CaseResult, concludeRun, scoreRun } from "./run.ts";

const cases: readonly Case[] = [2, 5, 6].map((line) => ({
  line,
  state: "{}",
  questions: undefined,
  expectations: [{ question: "q", expected: true }],
}));
const right: CaseResult = { state: "answered", answers: { q: { type: "noul", noul: 1 } } };
const empty: CaseResult = { state: "answered", answers: {} };
const broken: CaseResult = { state: "broken", message: "connection reset" };
const rejected: CaseResult = { state: "rejected", status: 422, code: "TOO_MANY_OPTIONS" };
const conclude = (...results: readonly (CaseResult | undefined)[]) =>
  concludeRun(cases, results, ratio(1, 2));

describe("a run", () => {
  it("is measured when every case was answered, whatever is in the answers", () => {
    expect(conclude(right, empty, right)).toMatchObject({
      state: "measured",
      measurement: { asked: 3, answered: 2, correct: 2 },
    });
  });

  it("53: is worth nothing when one case was not reached, and names the first", () => {
    expect(conclude(right, broken, broken)).toEqual({
      state: "broken",
      message: "the case on line 5 was not answered: connection reset",
    });
  });

  it("is worth nothing while a case has no result", () => {
    expect(conclude(right, right)).toMatchObject({ state: "broken" });
    expect(conclude(undefined, right, right)).toMatchObject({ state: "broken" });
  });

  it("31: is rejected with a case, by line, even where another broke before it", () => {
    expect(conclude(broken, right, rejected)).toEqual({
      state: "rejected",
      line: 6,
      message:
        "the engine rejects the case on line 6 (HTTP 422 TOO_MANY_OPTIONS): mend that line of the dataset",
    });
  });

  it("is scored case by case, each with its line and its slice", () => {
    const [first, ...others] = cases;
    const sliced = first === undefined ? others : [{ ...first, slice: "German" }, ...others];
    const outcome = { question: "q", answered: true, correct: true };
    expect(scoreRun(sliced, [right, right, right], ratio(1, 2))).toMatchObject({
      state: "scored",
      cases: [
        { line: 2, slice: "German", outcomes: [outcome] },
        { line: 5, outcomes: [outcome] },
        { line: 6, outcomes: [outcome] },
      ],
    });
  });

  it("never quotes what an engine says for a code", () => {
    const result = conclude({ ...rejected, code: "state: hunter2" }, right, right);
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });
});
