import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { LineCounter, parseAllDocuments } from "yaml";
import { isRecord, type KubeObject } from "../kube/object.ts";

/** A Kubernetes object and where it stands. */
export interface ManifestDocument {
  readonly object: KubeObject;
  /** The path as the user gave it, joined with the file's name where that is a directory. */
  readonly file: string;
  /** The line of the document's first key, from 1. */
  readonly line: number;
}

/** Why input can't be used, and where. */
export interface InputProblem {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

/** Documents and problems of some input; documents are complete only without problems. */
export interface Loaded {
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly InputProblem[];
}

const largestFile = 32 * 1024 * 1024;

/** Prints a problem as compilers do, so that editors can jump to it. */
export function problemLine({ file, line, message }: InputProblem): string {
  return `${file}${line === undefined ? "" : `:${line}`}: ${message}`;
}

/** Reads every YAML or JSON document of a file, or of the files directly in a directory. */
export function loadDocuments(
  path: string,
  cwd: string,
  wants: (fileName: string) => boolean = () => true,
): Loaded {
  let files: readonly string[];
  try {
    const absolute = resolve(cwd, path);
    files = statSync(absolute).isDirectory()
      ? readdirSync(absolute)
          .filter((name) => /\.(ya?ml|json)$/.test(name) && wants(name))
          .sort()
          .map((name) => join(path, name))
      : [path];
  } catch (error) {
    return { documents: [], problems: [{ file: path, message: systemMessage(error) }] };
  }
  return joined(files.map((file) => loadFile(file, cwd)));
}

/** Joins what several inputs gave, in their order. */
export function joined(all: readonly Loaded[]): Loaded {
  return {
    documents: all.flatMap(({ documents }) => documents),
    problems: all.flatMap(({ problems }) => problems),
  };
}

function loadFile(file: string, cwd: string): Loaded {
  const problem = (message: string): Loaded => ({ documents: [], problems: [{ file, message }] });
  try {
    const absolute = resolve(cwd, file);
    if (statSync(absolute).size > largestFile) {
      return problem(`is larger than ${largestFile / 1024 / 1024} MiB; split it`);
    }
    return parseDocuments(file, readFileSync(absolute, "utf8"));
  } catch (error) {
    return problem(systemMessage(error));
  }
}

/** Parses the documents of a text; the items of a `kind: List` count as documents of their own. */
export function parseDocuments(file: string, text: string): Loaded {
  const documents: ManifestDocument[] = [];
  const problems: InputProblem[] = [];
  const counter = new LineCounter();
  const lineOf = (offset: number) => Math.max(1, counter.linePos(offset).line);
  const parsed = parseAllDocuments(text, { lineCounter: counter, prettyErrors: false });
  for (const document of Array.isArray(parsed) ? parsed : []) {
    const line = lineOf(document.contents?.range?.[0] ?? document.range[0]);
    const [error] = document.errors;
    if (error !== undefined) {
      problems.push({ file, line: lineOf(error.pos[0]), message: firstLine(error.message) });
      continue;
    }
    let value: unknown;
    try {
      value = document.toJS();
    } catch (failure) {
      problems.push({ file, line, message: firstLine((failure as Error).message) });
      continue;
    }
    if (value === null || value === undefined) continue;
    const items = isRecord(value) && value.kind === "List" ? value.items : [value];
    for (const item of Array.isArray(items) ? items : [items]) {
      const wrong = objectProblem(item);
      if (wrong === undefined) documents.push({ object: item as KubeObject, file, line });
      else problems.push({ file, line, message: wrong });
    }
  }
  return { documents, problems };
}

/** Why a value is no Kubernetes object; only what every reader relies on. */
function objectProblem(value: unknown): string | undefined {
  const shown = JSON.stringify(value)?.slice(0, 60) ?? "nothing";
  if (!isRecord(value)) return `is no Kubernetes object but ${shown}; it needs apiVersion and kind`;
  for (const field of ["apiVersion", "kind"]) {
    if (typeof value[field] !== "string" || value[field] === "") {
      return `is no Kubernetes object: it has no ${field}`;
    }
  }
  const { metadata } = value;
  if (metadata !== undefined && metadata !== null && !isRecord(metadata)) {
    return `metadata of this ${value.kind} must be a mapping`;
  }
  for (const field of ["labels", "annotations"]) {
    const strings = isRecord(metadata) ? (metadata[field] ?? {}) : {};
    if (!isRecord(strings) || Object.values(strings).some((one) => typeof one !== "string")) {
      return `metadata.${field} of this ${value.kind} must map strings to strings; quote numbers and booleans`;
    }
  }
  for (const field of ["name", "namespace", "uid"]) {
    const text = isRecord(metadata) ? (metadata[field] ?? "") : "";
    if (typeof text !== "string") return `metadata.${field} of this ${value.kind} must be a string`;
  }
  return undefined;
}

/** The name of a document's file without its directory. */
export function fileName({ file }: ManifestDocument): string {
  return basename(file);
}

const firstLine = (text: string) => text.split("\n")[0] ?? text;

function systemMessage(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file or directory";
  if (code === "EACCES") return "may not be read; check its permissions";
  return message;
}
