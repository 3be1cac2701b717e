import { field, isRecord } from "../../kube/object.ts";
import { type Fraction, fractionOf } from "./fraction.ts";
import { datasetDigest } from "./identity.ts";
import { scanObject } from "./json-object.ts";
import { questionName } from "./question-name.ts";

/** The most bytes of a dataset: 1 MiB, what a ConfigMap or Secret can hold. */
export const MOST_DATASET_BYTES = 1_048_576;

/** What a case wants a question to be answered with. */
export interface Expectation {
  readonly question: string;
  /** Any JSON value: a string for a choice, a boolean for a noul, a whole number from 0 for a score. */
  readonly expected: unknown;
  /** How far a score may be off, where the case says so; one below zero accepts nothing. */
  readonly tolerance?: Fraction;
}

/** One line of a dataset. */
export interface Case {
  /** Its line, from 1, blank ones counted. */
  readonly line: number;
  /** What to send, as the JSON text that stands in the line; `undefined` where it has none. */
  readonly state: string | undefined;
  readonly questions: string | undefined;
  /** The part of the dataset that reports show it with; it changes no verdict. */
  readonly slice?: string;
  /** At least one, sorted by question. */
  readonly expectations: readonly Expectation[];
}

/** A dataset as far as an evaluation reads it. */
export interface Dataset {
  /** SHA-256 over all of its bytes, whatever the cap. */
  readonly digest: string;
  readonly cases: readonly Case[];
}

/** A dataset, or everything that is wrong with it; the texts name lines and quote no content. */
export type DecodedDataset =
  | { readonly ok: true; readonly dataset: Dataset }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Decodes the first `maxCases` lines of a JSONL dataset in UTF-8 that are not blank; later lines are
 * not looked at. A byte order mark, CRLF, and a missing last line break are fine.
 */
export function decodeDataset(bytes: Uint8Array, maxCases: number): DecodedDataset {
  if (bytes.length > MOST_DATASET_BYTES) {
    const size = `${bytes.length} bytes, more than ${MOST_DATASET_BYTES}`;
    return { ok: false, problems: [`the dataset has ${size}: leave cases out`] };
  }
  const cases: Case[] = [];
  const problems: string[] = [];
  let read = 0;
  for (let line = 1, start = 0; start < bytes.length && read < maxCases; line++) {
    const end = lineEnd(bytes, start);
    const decoded = decodeLine(bytes.subarray(start, end), line);
    start = end + 1;
    if (decoded === "blank") continue;
    read += 1;
    if (typeof decoded === "string") problems.push(`line ${line}${decoded}`);
    else cases.push(decoded);
  }
  if (problems.length > 0) return { ok: false, problems };
  if (read === 0) {
    const problem = "the dataset has no case: write one JSON object per line";
    return { ok: false, problems: [problem] };
  }
  return { ok: true, dataset: { digest: datasetDigest(bytes), cases } };
}

/** Lines end at line feeds alone: strings may hold the other separators of Unicode. */
function lineEnd(bytes: Uint8Array, start: number): number {
  const found = bytes.indexOf(0x0a, start);
  return found < 0 ? bytes.length : found;
}

/** A case, `"blank"`, or what to say after the number of the line. */
function decodeLine(bytes: Uint8Array, line: number): Case | string {
  const decoded = decodeText(bytes);
  if (decoded === undefined) return ": it is not UTF-8; save the file as UTF-8";
  const text = line === 1 ? decoded.replace(/^\ufeff/, "") : decoded;
  if (text.trim() === "") return "blank";
  const scanned = scanObject(text);
  if (!scanned.ok) {
    const column = [...text.slice(0, scanned.at)].length + 1;
    return `, column ${column}: ${scanned.problem}`;
  }
  const { members } = scanned;
  const value = (name: string) => JSON.parse(members.get(name) ?? "null") as unknown;
  const expected = value("expected");
  if (!isRecord(expected) || Object.keys(expected).length === 0) {
    return `: expected must be an object with at least one question; ${shown(expected)}`;
  }
  const tolerances = value("tolerance") ?? {};
  if (!isRecord(tolerances)) {
    return `: tolerance must be an object of numbers; ${shown(tolerances)}`;
  }
  for (const [question, tolerance] of Object.entries(tolerances)) {
    if (typeof tolerance !== "number" || !Number.isFinite(tolerance)) {
      return `: tolerance of ${named(question)} must be a number; ${shown(tolerance)}`;
    }
  }
  const slice = value("slice") ?? undefined;
  if (slice !== undefined && (typeof slice !== "string" || slice.trim() === "")) {
    return `: slice must be a string that is not blank; ${shown(slice)}`;
  }
  const questions = value("questions");
  const expectations: Expectation[] = [];
  for (const question of Object.keys(expected).sort()) {
    const problem = mistyped(expected[question], field(questions, question, "type"));
    if (problem !== undefined) return `: expected of ${named(question)} ${problem}`;
    expectations.push(expectation(question, expected[question], field(tolerances, question)));
  }
  return {
    line,
    state: members.get("state"),
    questions: members.get("questions"),
    ...(slice === undefined ? {} : { slice }),
    expectations,
  };
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function expectation(question: string, expected: unknown, tolerance: unknown): Expectation {
  const value = typeof tolerance === "number" ? fractionOf(tolerance) : undefined;
  return value === undefined ? { question, expected } : { question, expected, tolerance: value };
}

/** Why a value can't be the answer of a question of the declared type, `undefined` where it can. */
function mistyped(expected: unknown, type: unknown): string | undefined {
  const wants = {
    choice: [isLabel(expected), "a string"],
    noul: [typeof expected === "boolean", "true or false"],
    score: [isLevel(expected), "a whole number from 0"],
  } as const;
  if (typeof type !== "string" || !Object.hasOwn(wants, type)) return undefined;
  const [fits, wanted] = wants[type as keyof typeof wants];
  return fits
    ? undefined
    : `must be ${wanted}, since the question is a ${type}; ${shown(expected)}`;
}

/** Tells whether an expected value can be that of a choice. */
export function isLabel(expected: unknown): expected is string {
  return typeof expected === "string";
}

/** Tells whether an expected value can be that of a score: a level, counted from 0. */
export function isLevel(expected: unknown): expected is number {
  return typeof expected === "number" && Number.isInteger(expected) && expected >= 0;
}

const named = (question: string) => `question ${JSON.stringify(questionName(question))}`;

/** What a value is, without its content. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return "it is null or missing";
  if (Array.isArray(value)) return "it is a list";
  if (isRecord(value)) return Object.keys(value).length === 0 ? "it is empty" : "it is an object";
  const broken = typeof value === "number" && !isLevel(value);
  return `it is a ${typeof value}${broken ? " below 0 or with a fraction" : ""}`;
}
