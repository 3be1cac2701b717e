import type { ModelName } from "../../../api/model-name.ts";
import { field, isRecord } from "../../../kube/object.ts";
import type { Issue } from "./answer.ts";
import { parseKeepAlive } from "./keep-alive.ts";
import { readReference } from "./model-reference.ts";
import { missing, readQuestions, STRING_TYPE } from "./question.ts";

/** One question of a request, its options in order. */
export interface AskedQuestion {
  readonly id: string;
  readonly type: "choice" | "score" | "noul";
  /** Labels of a choice, texts of a score's levels; false and true of a noul. */
  readonly options: readonly string[];
}

/** A request for a decision, or for a load where it has neither state nor questions. */
export interface DecideRequest {
  readonly model: ModelName;
  /** JSON; `undefined` where left out. */
  readonly state: unknown;
  /** `undefined` where left out: the model may have its own. */
  readonly questions: readonly AskedQuestion[] | undefined;
  readonly preset: string | undefined;
  /** Milliseconds, Infinity for ever; `undefined` where left out. */
  readonly keepAlive: number | undefined;
  readonly layaExtras: boolean;
}

/** Reads a body of `/api/decide`, or of `/v1` where `native` is false, or lists all that is wrong. */
export function readDecideRequest(
  body: Readonly<Record<string, unknown>>,
  native: boolean,
): DecideRequest | readonly Issue[] {
  const issues: Issue[] = [];
  const given = (name: string) => field(body, name) ?? undefined;
  const model = readModel(given("model"), ["body", "model"], issues);
  const state = given("state");
  const isState = typeof state === "string" || Array.isArray(state) || isRecord(state);
  const questions = given("questions");
  const preset = native ? given("preset") : undefined;
  if (state === undefined) {
    // Without either it asks for a load, which only the native path knows.
    const isLoad = native && questions === undefined && preset === undefined;
    if (!isLoad) issues.push(missing("state"));
  } else if (!isState) {
    issues.push({
      loc: ["body", "state"],
      msg: "Input should be a string, an object or a list",
      type: "state_type",
    });
  }
  const asked = questions === undefined ? undefined : readQuestions(questions, issues);
  if (preset !== undefined && typeof preset !== "string") {
    issues.push({ loc: ["body", "preset"], ...STRING_TYPE });
  } else if (preset !== undefined && questions !== undefined) {
    issues.push({
      loc: ["body", "preset"],
      msg: "Give either questions or a preset",
      type: "parameter",
    });
  }
  const keepAliveText = native ? given("keep_alive") : undefined;
  const keepAlive = parseKeepAlive(keepAliveText);
  if (keepAliveText !== undefined && keepAlive === undefined) {
    issues.push({
      loc: ["body", "keep_alive"],
      msg: "Input should be seconds or a duration",
      type: "keep_alive",
    });
  }
  if (native && given("stream") === true) {
    issues.push({
      loc: ["body", "stream"],
      msg: "Decisions are not streamed",
      type: "stream_unsupported",
    });
  }
  const extras = native ? given("extras") : undefined;
  if (extras !== undefined && !(Array.isArray(extras) && extras.every((item) => item === "laya"))) {
    issues.push({ loc: ["body", "extras"], msg: "Input should be a list of 'laya'", type: "enum" });
  }
  if (issues.length > 0 || model === undefined) return issues;
  return {
    model,
    state,
    questions: asked,
    preset: typeof preset === "string" ? preset : undefined,
    keepAlive,
    layaExtras: Array.isArray(extras) && extras.length > 0,
  };
}

/** Reads a name under its location, or adds what is wrong with it. */
export function readModel(
  value: unknown,
  loc: readonly string[],
  issues: Issue[],
): ModelName | undefined {
  if (value === undefined || value === null) {
    issues.push({ loc, msg: "Field required", type: "missing" });
  } else if (typeof value !== "string") {
    issues.push({ loc, ...STRING_TYPE });
  } else {
    const model = readReference(value);
    if (model === undefined) {
      issues.push({ loc, msg: "Input should be a valid model name", type: "model_name" });
    }
    return model;
  }
  return undefined;
}
