import { isRecord, stringField } from "../../../kube/object.ts";
import { type Answer, empty, type Issue, invalid, json, type Refusal } from "./answer.ts";
import { missing, readQuestions, STRING_TYPE } from "./question.ts";
import type { Call, ServerState } from "./state.ts";

/** Names that upstream has questions for; those questions are not simulated. */
const BUILT_IN = ["triage", "email", "guard", "moderation", "router", "agent"];
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** `GET /api/presets`: the sets of questions that were made here. */
export function listPresets({ presets }: ServerState): Answer {
  const list = [...presets.entries()].map(([name, { description, questions, modifiedAt }]) => ({
    name,
    builtin: false,
    ...(description === undefined ? {} : { description }),
    questions: Object.keys(questions),
    modified_at: new Date(modifiedAt).toISOString(),
  }));
  return json(200, { presets: list });
}

/** `POST /api/presets/show`: one with its questions. */
export function showPreset({ presets }: ServerState, { body }: Call): Answer | Refusal {
  const name = nameIn(body);
  if (typeof name !== "string") return invalid([name]);
  const preset = presets.get(name);
  if (preset === undefined) return presetNotFound(name);
  const { description, questions, modifiedAt } = preset;
  return json(200, {
    name,
    builtin: false,
    ...(description === undefined ? {} : { description }),
    questions,
    modified_at: new Date(modifiedAt).toISOString(),
  });
}

/** `POST /api/presets/create`: makes one, or replaces it. */
export function createPreset({ presets, settings }: ServerState, { body }: Call): Answer | Refusal {
  const issues: Issue[] = [];
  const name = nameIn(body);
  if (typeof name !== "string") issues.push(name);
  else if (!NAME.test(name) || BUILT_IN.includes(name)) {
    const msg = "Input should be 1 to 64 of a-z, 0-9, - and _, and no built-in preset";
    issues.push({ loc: ["body", "name"], msg, type: "value_error" });
  }
  const { questions } = body;
  if (questions === undefined || questions === null) issues.push(missing("questions"));
  const asked = readQuestions(questions ?? {}, questions == null ? [] : issues);
  if (typeof name !== "string" || !isRecord(questions) || issues.length > 0) {
    return invalid(issues);
  }
  const description = stringField(body, "description");
  presets.set(name, { description, questions, asked, modifiedAt: settings.clock.now() });
  return empty(200);
}

/** `DELETE /api/presets/delete`. */
export function deletePreset({ presets }: ServerState, { body }: Call): Answer | Refusal {
  const name = nameIn(body);
  if (typeof name !== "string") return invalid([name]);
  if (BUILT_IN.includes(name)) {
    return { status: 403, code: "FORBIDDEN", error: `preset "${name}" is built in` };
  }
  return presets.delete(name) ? empty(200) : presetNotFound(name);
}

/** A refusal of a preset that nobody made. */
export function presetNotFound(name: string): Refusal {
  return { status: 404, code: "NOT_FOUND", error: `preset ${JSON.stringify(name)} not found` };
}

function nameIn({ name }: Call["body"]): string | Issue {
  if (name === undefined || name === null) return missing("name");
  return typeof name === "string" ? name : { loc: ["body", "name"], ...STRING_TYPE };
}
