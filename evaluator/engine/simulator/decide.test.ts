import { describe, expect, test } from "vitest";
import { JumpingClock, StandingClock } from "../../../test/support/engine-clock.ts";
import { send, simulatedServer } from "../../../test/support/simulated-server.ts";
import type { Judge } from "./judge.ts";

const question = { q: { type: "noul" } };

/** The probabilities that logits come to. */
function softmax(logits: readonly number[]): readonly number[] {
  const weights = logits.map(Math.exp);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

// The example of upstream's page, recomputed with temperature 1.
const LOGITS: Readonly<Record<string, readonly number[]>> = {
  route: [2.1, 0.3, -0.4],
  severity: [-1, 0.2, 1.1, 0.4],
  wants_refund: [-0.8, 1.9],
};
const byLogits: Judge = (_, { id }) => softmax(LOGITS[id] ?? []);
const example = {
  model: "laya:en",
  state: "My March invoice shows two charges; please return one.",
  questions: {
    route: { type: "choice", criteria: { billing: "money", tech: "faults", sales: null } },
    severity: { type: "score", criteria: ["none", "minor", "major", "outage"] },
    wants_refund: { type: "noul" },
  },
};

describe("answers", () => {
  test("are in the wire's form, order and rounding", async () => {
    const server = simulatedServer(new JumpingClock(), { judge: byLogits });
    const answer = await send(server, "POST /v1/systemone", { body: example });
    expect(answer?.body).toBe(
      JSON.stringify({
        model: "laya:en",
        answers: {
          route: {
            type: "choice",
            choice: "billing",
            confidence: 0.7025,
            probabilities: { billing: 0.8017, tech: 0.1325, sales: 0.0658 },
          },
          severity: {
            type: "score",
            score: 1.9235,
            confidence: 0.3249,
            legend: { 0: "none", 1: "minor", 2: "major", 3: "outage" },
            probabilities: { 0: 0.0605, 1: 0.2007, 2: 0.4937, 3: 0.2452 },
          },
          wants_refund: { type: "noul", noul: 0.937 },
        },
        usage: { input_tokens: 9, output_tokens: 0 },
      }),
    );
  });

  test("without rules are those of upstream's own fake runner", async () => {
    const server = simulatedServer(new JumpingClock());
    const criteria = ["a", "b", "c"];
    const questions = { q: { type: "choice", criteria }, n: { type: "noul" } };
    const body = { model: "laya:en", state: "", questions };
    const answer = await send(server, "POST /v1/systemone", { body });
    expect(answer?.json.answers).toEqual({
      q: {
        type: "choice",
        choice: "a",
        confidence: 0.7632,
        probabilities: { a: 0.8421, b: 0.0888, c: 0.0691 },
      },
      n: { type: "noul", noul: 0.0953 },
    });
  });

  test("of the native path say how long they took, in nanoseconds, and may carry laya's own figures", async () => {
    const server = simulatedServer(new JumpingClock(), { judge: byLogits });
    const body = { ...example, extras: ["laya"] };
    const cold = await send(server, "POST /api/decide", { body });
    expect(cold?.json).toMatchObject({
      routing: null,
      state_truncated: false,
      done_reason: "decide",
      created_at: "2026-12-01T00:00:04.360Z",
      total_duration: 4_360_000_000,
      load_duration: 4_200_000_000,
      eval_duration: 160_000_000,
    });
    expect(cold?.json.answers.wants_refund.laya).toEqual({
      confidence: 0.937,
      act_probability: null,
    });
    expect(cold?.json.answers.route.laya.confidence).toBeCloseTo(0.432, 3);
    const warm = await send(server, "POST /api/decide", { body });
    expect(warm?.json).toMatchObject({ load_duration: 0, eval_duration: 160_000_000 });
  });

  test("of a router are those of the model that the state's language leads to", async () => {
    const server = simulatedServer(new JumpingClock());
    const ask = async (state: string) =>
      (
        await send(server, "POST /api/decide", {
          body: { model: "laya", state, questions: question },
        })
      )?.json;
    expect(await ask("two charges")).toMatchObject({
      model: "laya:en",
      routing: { router: "laya:latest", model: "laya:en", route: "english" },
    });
    expect((await ask("два списания")).routing.model).toBe("laya:multilingual");
  });
});

const questionOf = (question: unknown) => ({ model: "m", state: "s", questions: { q: question } });

describe("what is wrong with a body is said all at once", () => {
  test("as upstream's page shows", async () => {
    const server = simulatedServer(new JumpingClock());
    const body = { model: "laya:en", questions: { q: { type: "rank" } } };
    const answer = await send(server, "POST /v1/systemone", { body });
    const msg =
      "Input tag 'rank' found using 'type' does not match any of the expected tags: 'choice', 'score', 'noul'";
    expect(answer?.json).toEqual({
      error: `state: Field required; questions.q: ${msg}`,
      code: "INVALID_REQUEST",
      detail: [
        { loc: ["body", "state"], msg: "Field required", type: "missing" },
        {
          loc: ["body", "questions", "q"],
          msg,
          type: "union_tag_invalid",
          ctx: {
            discriminator: "'type'",
            tag: "rank",
            expected_tags: "'choice', 'score', 'noul'",
          },
        },
      ],
    });
  });

  const labels = (count: number) => Array.from({ length: count }, (_, index) => `l${index}`);
  test.each<[unknown, string, string]>([
    [{ model: 1, state: "s", questions: question }, "model", "string_type"],
    [{ state: "s", questions: question }, "model", "missing"],
    [{ model: "m@sha256:0", state: "s", questions: question }, "model", "model_name"],
    [{ model: "m", state: 1, questions: question }, "state", "state_type"],
    [{ model: "m", state: "s", questions: [] }, "questions", "dict_type"],
    [{ model: "m", state: "s", questions: {} }, "questions", "too_short"],
    [questionOf(1), "questions.q", "dict_type"],
    [questionOf({}), "questions.q", "union_tag_not_found"],
    [questionOf({ type: "noul", instructions: 1 }), "questions.q.noul.instructions", "json_type"],
    [
      questionOf({ type: "noul", criteria: { true: 1 } }),
      "questions.q.noul.criteria.true",
      "json_type",
    ],
    [questionOf({ type: "choice" }), "questions.q.choice.criteria", "missing"],
    [questionOf({ type: "choice", criteria: "a" }), "questions.q.choice.criteria", "list_type"],
    [
      questionOf({ type: "choice", criteria: ["a", 1] }),
      "questions.q.choice.criteria.1",
      "string_type",
    ],
    [
      questionOf({ type: "choice", criteria: { a: 1, b: "" } }),
      "questions.q.choice.criteria.a",
      "json_type",
    ],
    [
      questionOf({ type: "choice", criteria: ["a", "a"] }),
      "questions.q.choice.criteria",
      "too_short",
    ],
    [
      questionOf({ type: "choice", criteria: labels(256) }),
      "questions.q.choice.criteria",
      "too_long",
    ],
    [questionOf({ type: "score", criteria: ["a"] }), "questions.q.score.criteria", "too_short"],
    [questionOf({ type: "score", criteria: labels(11) }), "questions.q.score.criteria", "too_long"],
    [
      questionOf({ type: "score", criteria: ["a", null] }),
      "questions.q.score.criteria.1",
      "json_type",
    ],
    [{ model: "m", keep_alive: "soon" }, "keep_alive", "keep_alive"],
    [{ model: "m", keep_alive: true }, "keep_alive", "keep_alive"],
    [{ model: "m", stream: true }, "stream", "stream_unsupported"],
    [{ model: "m", extras: ["other"] }, "extras", "enum"],
    [{ model: "m", state: "s", preset: 1 }, "preset", "string_type"],
    [{ model: "m", state: "s", preset: "p", questions: question }, "preset", "parameter"],
  ])("%j: %s, %s", async (body, place, type) => {
    const server = simulatedServer(new JumpingClock());
    const answer = await send(server, "POST /api/decide", { body });
    expect(
      answer?.json.detail.map(({ loc, type }: Issue) => [loc.slice(1).join("."), type]),
    ).toEqual([[place, type]]);
    expect(answer?.json.error).toBe(`${place}: ${answer?.json.detail[0].msg}`);
  });

  test("and what only the native path knows is no matter elsewhere", async () => {
    const server = simulatedServer(new JumpingClock());
    const body = { ...example, keep_alive: "soon", stream: true, extras: 1, preset: 1 };
    expect((await send(server, "POST /v1/systemone", { body }))?.status).toBe(200);
  });
});

interface Issue {
  readonly loc: readonly string[];
  readonly type: string;
}

describe("concurrency", () => {
  test("one forward pass of a model at a time, and no more requests than the queue holds", async () => {
    const clock = new StandingClock();
    const server = simulatedServer(clock, { mostQueued: 2 });
    const ended: [number | undefined, number][] = [];
    const ask = async () => {
      const body = { model: "laya:en", state: "s", questions: question };
      const answer = await send(server, "POST /v1/systemone", { body });
      ended.push([answer?.status, clock.now()]);
      return answer;
    };
    void ask();
    void ask();
    const refused = await ask();
    expect(refused?.json.code).toBe("QUEUE_FULL");
    expect(refused?.headers["Retry-After"]).toBe("1");
    await clock.pass(10_000);
    expect(ended).toEqual([
      [503, 0],
      [200, 4360],
      [200, 4520],
    ]);
    expect(clock.waiting).toBe(0);
    // The places are free again.
    void ask();
    await clock.pass(160);
    expect(ended.at(-1)).toEqual([200, 10_160]);
  });

  test("a client that leaves while a model is loaded costs no pass, and the model stays", async () => {
    const clock = new StandingClock();
    const server = simulatedServer(clock);
    const left = new AbortController();
    const body = { model: "laya:en", state: "s", questions: question };
    const asked = send(server, "POST /v1/systemone", { body, signal: left.signal });
    await clock.pass(1000);
    left.abort();
    await clock.pass(3200);
    await asked;
    expect(clock.now()).toBe(4200);
    expect((await send(server, "GET /api/ps"))?.json.models).toHaveLength(1);
  });
});
