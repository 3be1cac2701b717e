import type { ModelName } from "../../../api/model-name.ts";
import { isRecord } from "../../../kube/object.ts";
import { type Answer, invalid, isRefusal, json, modelNotFound, type Refusal } from "./answer.ts";
import { writeAnswer } from "./answers.ts";
import type { SimulatedModel } from "./catalog.ts";
import { type AskedQuestion, type DecideRequest, readDecideRequest } from "./decide-request.ts";
import { showReference } from "./model-reference.ts";
import { presetNotFound } from "./presets.ts";
import { readAsked } from "./question.ts";
import type { Resident } from "./residency.ts";
import { type Call, faulted, type ServerState } from "./state.ts";

const MOST_TOKENS = 65_536;
const QUEUE_FULL: Refusal = {
  status: 503,
  code: "QUEUE_FULL",
  error: "the server is busy, try again later",
  headers: { "Retry-After": "1" },
};

/** Which model answers, and by which way. */
interface Route {
  readonly target: SimulatedModel;
  /** The targets of a router, else the model alone: what a load loads. */
  readonly all: readonly SimulatedModel[];
  readonly routing: Readonly<Record<string, string>> | null;
}

/** What an answer of `/api/decide` has beside the decisions. */
interface Timing {
  readonly started: number;
  readonly loaded: number;
  readonly evaluated: number;
}

/** Answers `/api/decide`, or `/v1/systemone` where `native` is false: checks, queue, load, decision. */
export async function decide(
  state: ServerState,
  call: Call,
  native: boolean,
): Promise<Answer | Refusal> {
  const request = readDecideRequest(call.body, native);
  if (!("model" in request)) return invalid(request);
  const { life, settings } = state;
  const refused = faulted(call);
  if (refused !== undefined) return refused;
  if (life.inFlight >= settings.mostQueued) return QUEUE_FULL;
  life.inFlight++;
  try {
    return await accepted(state, call, request, native);
  } finally {
    life.inFlight--;
  }
}

async function accepted(
  state: ServerState,
  call: Call,
  request: DecideRequest,
  native: boolean,
): Promise<Answer | Refusal> {
  const { settings, life } = state;
  const started = settings.clock.now();
  const route = routeOf(state, request.model, request.state);
  if (isRefusal(route)) return route;
  const keepAlive = (native ? request.keepAlive : undefined) ?? settings.keepAlive;
  const isLoad =
    request.state === undefined && request.questions === undefined && request.preset === undefined;
  if (isLoad) return loadOrUnload(state, request, route, keepAlive, started);
  const questions = questionsOf(state, request, route.target);
  if (isRefusal(questions)) return questions;
  const resident = await life.loaded.acquire(route.target);
  const loaded = settings.clock.now();
  try {
    // The client has left while the model was loaded, which stays; nobody reads the answer.
    if (call.signal.aborted) return json(200, {});
    await life.loaded.pass(resident, route.target.decideMilliseconds);
  } finally {
    life.loaded.release(resident, keepAlive);
  }
  const timing = { started, loaded, evaluated: settings.clock.now() };
  return answered(state, request, { route, questions, timing, native });
}

function answered(
  { settings }: ServerState,
  request: DecideRequest,
  asked: {
    readonly route: Route;
    readonly questions: readonly AskedQuestion[];
    readonly timing: Timing;
    readonly native: boolean;
  },
): Answer | Refusal {
  const { route, questions, timing, native } = asked;
  const { target, routing } = route;
  const model = showReference(target.name);
  const tooMany = questions.find(({ options }) => options.length > target.mostOptions);
  if (tooMany !== undefined) return tooManyOptions(tooMany, model);
  const tokens = wordsIn(request.state);
  if (tokens > MOST_TOKENS) return inputTooLong(tokens);
  const truncated = tokens > target.contextLength;
  if (truncated && !native) return stateTruncated(model);
  const answers = questions.flatMap((question) => {
    const probabilities = settings.judge(target, question, request.state);
    return probabilities === undefined
      ? []
      : [[question.id, writeAnswer(question, probabilities, request.layaExtras)] as const];
  });
  const usage = { input_tokens: Math.min(tokens, target.contextLength), output_tokens: 0 };
  const body = { model, answers: Object.fromEntries(answers), usage };
  if (!native) return json(200, body);
  return json(200, {
    ...body,
    ...nativeFields(routing, truncated, "decide", timing),
  });
}

async function loadOrUnload(
  { life, settings }: ServerState,
  { model }: DecideRequest,
  { all }: Route,
  keepAlive: number,
  started: number,
): Promise<Answer> {
  const unload = keepAlive === 0;
  const held: Resident[] = [];
  for (const target of all) {
    if (unload) life.loaded.unload(target.digest);
    else held.push(await life.loaded.acquire(target));
  }
  for (const resident of held) life.loaded.release(resident, keepAlive);
  const now = settings.clock.now();
  const timing = { started, loaded: now, evaluated: now };
  return json(200, {
    model: showReference(model),
    answers: {},
    usage: { input_tokens: 0, output_tokens: 0 },
    ...nativeFields(null, false, unload ? "unload" : "load", timing),
  });
}

function nativeFields(
  routing: Route["routing"],
  truncated: boolean,
  reason: "decide" | "load" | "unload",
  { started, loaded, evaluated }: Timing,
) {
  return {
    routing,
    state_truncated: truncated,
    done_reason: reason,
    created_at: new Date(evaluated).toISOString(),
    total_duration: nanoseconds(evaluated - started),
    load_duration: nanoseconds(loaded - started),
    eval_duration: nanoseconds(evaluated - loaded),
  };
}

function routeOf({ store }: ServerState, name: ModelName, state: unknown): Route | Refusal {
  const router = showReference(name);
  const model = store.get(router)?.model;
  if (model === undefined) return modelNotFound(router);
  if (model.routes === undefined) return { target: model, all: [model], routing: null };
  const all: SimulatedModel[] = [];
  for (const to of Object.values(model.routes)) {
    const target = store.get(to)?.model;
    if (target === undefined) return modelNotFound(to, ` (routed from "${router}")`);
    all.push(target);
  }
  const route = isEnglish(state) ? "english" : "multilingual";
  const target = all[Object.keys(model.routes).indexOf(route)] ?? model;
  const routing = { router, model: showReference(target.name), route, reason: "language of state" };
  return { target, all, routing };
}

function questionsOf(
  { presets }: ServerState,
  { preset: name, questions }: DecideRequest,
  target: SimulatedModel,
): readonly AskedQuestion[] | Refusal {
  if (name !== undefined) return presets.get(name)?.asked ?? presetNotFound(name);
  if (questions !== undefined) return questions;
  if (target.questions !== undefined) return readAsked(target.questions);
  return invalid([{ loc: ["body", "questions"], msg: "Field required", type: "missing" }]);
}

function tooManyOptions({ id, type, options }: AskedQuestion, model: string): Refusal {
  const loc = ["body", "questions", id, type, "criteria"];
  const ctx = { options: options.length, model };
  const msg = `${options.length} options are more than ${model} can tell apart`;
  return invalid([{ loc, msg, type: "too_many_options", ctx }], "TOO_MANY_OPTIONS");
}

function inputTooLong(tokens: number): Refusal {
  const ctx = { max_tokens: MOST_TOKENS, tokens };
  const msg = `the state has ${tokens} tokens, more than ${MOST_TOKENS}`;
  return invalid([{ loc: ["body", "state"], msg, type: "input_too_long", ctx }], "INPUT_TOO_LONG");
}

function stateTruncated(model: string): Refusal {
  const msg = `the state does not fit into the context of ${model}`;
  const issue = { loc: ["body", "state"], msg, type: "state_truncated", ctx: { model } };
  return invalid([issue], "STATE_TRUNCATED");
}

/** Words stand for tokens: whoever writes a state can count them. */
function wordsIn(state: unknown): number {
  if (Array.isArray(state)) return state.reduce((sum: number, item) => sum + wordsIn(item), 0);
  if (isRecord(state)) return Object.entries(state).flat().reduce(addWords, 0);
  return state === undefined ? 0 : String(state).split(/\s+/).filter(Boolean).length;
}

const addWords = (sum: number, item: unknown) => sum + wordsIn(item);

/** Whether most letters are of the English alphabet. */
function isEnglish(state: unknown): boolean {
  const letters = JSON.stringify(state ?? "").match(/\p{L}/gu) ?? [];
  return letters.filter((letter) => letter <= "z").length >= letters.length / 2;
}

const nanoseconds = (milliseconds: number) => Math.round(milliseconds * 1e6);
