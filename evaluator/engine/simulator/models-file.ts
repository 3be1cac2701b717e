import { isRecord } from "../../../kube/object.ts";
import { quote } from "../../../kube/quote.ts";
import type { Issue } from "./answer.ts";
import {
  catalog,
  type ModelDescription,
  makeModel,
  NONDESCRIPT,
  type SimulatedModel,
} from "./catalog.ts";
import { readReference, showReference } from "./model-reference.ts";
import { readQuestions } from "./question.ts";

/** Models, or what is wrong with the first that is none: where it stands, what was seen, what to write. */
export type ReadModels =
  | { readonly ok: true; readonly models: readonly SimulatedModel[] }
  | { readonly ok: false; readonly error: string };

/** Numbers of a description, with their bounds. */
const NUMBERS: Readonly<Record<string, readonly [number, number]>> = {
  revision: [1, 1_000_000],
  size: [10_000, 1e15],
  contextLength: [1, 65_536],
  mostOptions: [2, 255],
  loadMilliseconds: [0, 86_400_000],
  decideMilliseconds: [0, 86_400_000],
};
const TEXTS = ["family", "quantization"];
const FIELDS = ["name", ...Object.keys(NUMBERS), ...TEXTS, "questions"];

/**
 * Reads `{models: [{name, …}, …]}`, the rest of a description being that of the catalog's model of
 * that name, or of no model in particular, and gives them with the others of the catalog.
 */
export function readModels(value: unknown): ReadModels {
  const listed = isRecord(value) ? value.models : undefined;
  if (!Array.isArray(listed)) {
    return { ok: false, error: "models is missing; give models: [{name: NAME}, …]" };
  }
  const models = new Map(catalog.map((model) => [showReference(model.name), model]));
  for (const [index, item] of listed.entries()) {
    const description = readDescription(item);
    if (typeof description === "string") {
      return { ok: false, error: `models[${index}]${description}` };
    }
    models.set(description.name, makeModel(description));
  }
  return { ok: true, models: [...models.values()] };
}

function readDescription(value: unknown): ModelDescription | string {
  if (!isRecord(value)) return " is no object; give at least its name";
  const name = typeof value.name === "string" ? readReference(value.name) : undefined;
  if (name === undefined) return `.name is ${show(value.name)}; give MODEL:TAG`;
  for (const [field, given] of Object.entries(value)) {
    const problem = problemOf(field, given);
    if (problem !== undefined) return `.${field} ${problem}`;
  }
  const shown = showReference(name);
  const base = catalog.find((model) => showReference(model.name) === shown) ?? NONDESCRIPT;
  return { ...base, ...value, name: shown };
}

function problemOf(field: string, given: unknown): string | undefined {
  if (!FIELDS.includes(field)) return `is unknown; a model has ${FIELDS.join(", ")}`;
  const bounds = NUMBERS[field];
  if (bounds !== undefined) {
    const [least, most] = bounds;
    const isWhole = Number.isInteger(given) && Number(given) >= least && Number(given) <= most;
    return isWhole ? undefined : `is ${show(given)}; give a whole number from ${least} to ${most}`;
  }
  if (TEXTS.includes(field) && typeof given !== "string") return `is ${show(given)}; give a text`;
  if (field !== "questions") return undefined;
  const issues: Issue[] = [];
  readQuestions(given, issues);
  const [issue] = issues;
  return issue && `are not acceptable: ${issue.loc.slice(1).join(".")}: ${issue.msg}`;
}

const show = (value: unknown) =>
  typeof value === "string" ? quote(value) : (JSON.stringify(value) ?? "missing");
