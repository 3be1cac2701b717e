import { isRecord } from "../../../kube/object.ts";
import type { Issue } from "./answer.ts";
import type { AskedQuestion } from "./decide-request.ts";

const TAGS = "'choice', 'score', 'noul'";
const MOST_QUESTIONS = 256;

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

/** Reads questions that were checked before. */
export function readAsked(questions: unknown): readonly AskedQuestion[] {
  return readQuestions(questions, []);
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

/** What is wrong with a text that is none. */
export const STRING_TYPE = { msg: "Input should be a valid string", type: "string_type" } as const;

/** What is wrong with a field of a body that is not there. */
export function missing(name: string): Issue {
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
