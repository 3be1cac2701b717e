import type { ModelName } from "../../../api/model-name.ts";
import { field, isRecord } from "../../../kube/object.ts";
import type { Issue } from "./answer.ts";
import { parseKeepAlive } from "./durations.ts";
import { readReference } from "./model-reference.ts";

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

const TAGS = "'choice', 'score', 'noul'";
const MOST_QUESTIONS = 256;

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
  if (state === undefined) {
    if (!native) issues.push(missing("state"));
  } else if (!isState) {
    issues.push({
      loc: ["body", "state"],
      msg: "Input should be a string, an object or a list",
      type: "state_type",
    });
  }
  const questions = given("questions");
  const asked = questions === undefined ? undefined : readQuestions(questions, issues);
  const preset = native ? given("preset") : undefined;
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

/** Reads questions by id, or adds what is wrong with them. */
export function readQuestions(value: unknown, issues: Issue[]): readonly AskedQuestion[] {
  const loc = ["body", "questions"];
  if (!isRecord(value)) {
    issues.push({ loc, msg: "Input should be a valid dictionary", type: "dict_type" });
    return [];
  }
  const count = Object.keys(value).length;
  issues.push(...sized(loc, "Dictionary", count, 1, MOST_QUESTIONS));
  return Object.entries(value).flatMap(([id, question]) => readQuestion(id, question, issues));
}

function readQuestion(id: string, question: unknown, issues: Issue[]): readonly AskedQuestion[] {
  const at = ["body", "questions", id];
  if (!isRecord(question)) {
    issues.push({ loc: at, msg: "Input should be a valid dictionary", type: "dict_type" });
    return [];
  }
  const type = question.type ?? undefined;
  if (type !== "choice" && type !== "score" && type !== "noul") {
    issues.push(type === undefined ? tagMissing(at) : tagInvalid(at, type));
    return [];
  }
  const loc = [...at, type];
  const { instructions, criteria } = question;
  if (!isText(instructions ?? null)) issues.push(jsonType([...loc, "instructions"]));
  const options = readCriteria(type, criteria ?? undefined, [...loc, "criteria"], issues);
  return [{ id, type, options }];
}

function readCriteria(
  type: AskedQuestion["type"],
  criteria: unknown,
  loc: readonly string[],
  issues: Issue[],
): readonly string[] {
  if (type === "noul") {
    if (criteria === undefined) return ["false", "true"];
    if (!isRecord(criteria)) {
      issues.push({ loc, msg: "Input should be a valid dictionary", type: "dict_type" });
    } else {
      for (const key of ["true", "false"]) {
        if (!isText(criteria[key] ?? null)) issues.push(jsonType([...loc, key]));
      }
    }
    return ["false", "true"];
  }
  if (criteria === undefined) {
    issues.push({ loc, msg: "Field required", type: "missing" });
    return [];
  }
  if (type === "choice" && isRecord(criteria)) {
    for (const [label, text] of Object.entries(criteria)) {
      if (!isText(text)) issues.push(jsonType([...loc, label]));
    }
    issues.push(...sized(loc, "Dictionary", Object.keys(criteria).length, 2, 255));
    return Object.keys(criteria);
  }
  if (!Array.isArray(criteria)) {
    issues.push({ loc, msg: "Input should be a valid list", type: "list_type" });
    return [];
  }
  if (type === "score") {
    for (const [level, text] of criteria.entries()) {
      if (text === null || !isText(text)) issues.push(jsonType([...loc, String(level)]));
    }
    issues.push(...sized(loc, "List", criteria.length, 2, 10));
    return criteria.map((text) => (typeof text === "string" ? text : JSON.stringify(text)));
  }
  for (const [index, label] of criteria.entries()) {
    if (typeof label !== "string") issues.push({ loc: [...loc, String(index)], ...STRING_TYPE });
  }
  const labels = [...new Set(criteria.map(String))];
  issues.push(...sized(loc, "List", labels.length, 2, 255));
  return labels;
}

const STRING_TYPE = { msg: "Input should be a valid string", type: "string_type" } as const;

function missing(name: string): Issue {
  return { loc: ["body", name], msg: "Field required", type: "missing" };
}

function jsonType(loc: readonly string[]): Issue {
  return { loc, msg: "Input should be a string, an object or a list", type: "json_type" };
}

function tagMissing(loc: readonly string[]): Issue {
  return {
    loc,
    msg: "Unable to extract tag using discriminator 'type'",
    type: "union_tag_not_found",
    ctx: { discriminator: "'type'" },
  };
}

function tagInvalid(loc: readonly string[], type: unknown): Issue {
  const tag = typeof type === "string" ? type : JSON.stringify(type);
  return {
    loc,
    msg: `Input tag '${tag}' found using 'type' does not match any of the expected tags: ${TAGS}`,
    type: "union_tag_invalid",
    ctx: { discriminator: "'type'", tag, expected_tags: TAGS },
  };
}

function sized(
  loc: readonly string[],
  kind: "List" | "Dictionary",
  actual: number,
  least: number,
  most: number,
): readonly Issue[] {
  if (actual >= least && actual <= most) return [];
  const short = actual < least;
  const bound = short ? least : most;
  const items = bound === 1 ? "item" : "items";
  return [
    {
      loc,
      msg: `${kind} should have at ${short ? "least" : "most"} ${bound} ${items} after validation, not ${actual}`,
      type: short ? "too_short" : "too_long",
      ctx: {
        field_type: kind,
        [short ? "min_length" : "max_length"]: bound,
        actual_length: actual,
      },
    },
  ];
}

/** What descriptions may be: a text, structured data or nothing; numbers and booleans are refused. */
function isText(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "object";
}
