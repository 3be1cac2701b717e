import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isRecord, type KubeObject } from "../kube/object.ts";
import { FloatLiteral } from "../schema/number.ts";
import { inputKind, systemMessage } from "./inputs.ts";
import { visible } from "./render/text.ts";
import { readSource, type SourceDocument } from "./source.ts";

/** A Kubernetes object and where it stands. */
export interface ManifestDocument {
  readonly object: KubeObject;
  /** The path as the user gave it, joined with the file's name where that is a directory. */
  readonly file: string;
  /** The line of the document's first key, from 1. */
  readonly line: number;
  /** The document as written: exact numbers, and where each field stands. */
  readonly source: SourceDocument;
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

/** Prints a problem as compilers do, so that editors can jump to it. */
export function problemLine({ file, line, message }: InputProblem): string {
  return visible(`${file}${line === undefined ? "" : `:${line}`}: ${message}`);
}

/**
 * Reads every YAML or JSON document of a file, of the files directly in a directory, or, for `-`,
 * of what standard input held.
 */
export function loadDocuments(
  path: string,
  cwd: string,
  stdin: Uint8Array,
  wants: (fileName: string) => boolean = () => true,
): Loaded {
  if (path === "-") return readDocuments("<stdin>", stdin);
  if (inputKind(path, cwd) !== "directory") return loadFile(path, cwd);
  try {
    const files = readdirSync(resolve(cwd, path))
      .filter((name) => /\.(ya?ml|json)$/.test(name) && wants(name))
      .sort()
      .map((name) => join(path, name))
      .filter((file) => inputKind(file, cwd) !== "directory");
    return joined(files.map((file) => loadFile(file, cwd)));
  } catch (error) {
    return unread(path, systemMessage(error));
  }
}

/** Joins what several inputs gave, in their order. */
export function joined(all: readonly Loaded[]): Loaded {
  return {
    documents: all.flatMap(({ documents }) => documents),
    problems: all.flatMap(({ problems }) => problems),
  };
}

function loadFile(file: string, cwd: string): Loaded {
  const kind = inputKind(file, cwd);
  if (kind !== "file") return unread(file, kind);
  try {
    return readDocuments(file, readFileSync(resolve(cwd, file)));
  } catch (error) {
    return unread(file, systemMessage(error));
  }
}

const unread = (file: string, message: string): Loaded => {
  return { documents: [], problems: [{ file, message }] };
};

/** Reads the documents of a file's bytes; the items of a `kind: List` count as documents. */
export function readDocuments(file: string, bytes: Uint8Array): Loaded {
  const source = readSource(bytes);
  if (!source.ok) {
    const line = source.place === undefined ? {} : { line: source.place.line };
    return { documents: [], problems: [{ file, ...line, message: source.message }] };
  }
  return joined(
    source.documents.map((document): Loaded => {
      const { line } = document.start;
      const object = withoutNullMetadata(plainJson(document.value));
      const wrong = objectProblem(object);
      return wrong === undefined
        ? {
            documents: [{ object: object as KubeObject, file, line, source: document }],
            problems: [],
          }
        : { documents: [], problems: [{ file, line, message: wrong }] };
    }),
  );
}

/** The API server takes `metadata: null` for none. */
function withoutNullMetadata(object: unknown): unknown {
  if (!isRecord(object) || object.metadata !== null) return object;
  const { metadata: _null, ...rest } = object;
  return rest;
}

/**
 * A parsed value as it comes out of the API server and protobuf: numbers are doubles, whatever
 * their spelling in the file.
 */
export function plainJson(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof FloatLiteral) return value.value;
  if (Array.isArray(value)) return value.map(plainJson);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainJson(item)]));
}

/** Why a value is no Kubernetes object; only what every reader relies on. */
function objectProblem(value: unknown): string | undefined {
  // What it is instead is not shown: it may be a secret that was decoded.
  if (!isRecord(value)) return "is no Kubernetes object; it needs apiVersion and kind";
  for (const field of ["apiVersion", "kind"]) {
    if (typeof value[field] !== "string" || value[field] === "") {
      return `is no Kubernetes object: it has no ${field}`;
    }
  }
  const { metadata } = value;
  if (metadata !== undefined && !isRecord(metadata)) {
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
