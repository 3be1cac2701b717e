import type { Definitions } from "../schema/definitions.ts";
import { expandInputs, type InputFile, LARGEST_INPUT, readInput, TOO_LARGE } from "./inputs.ts";
import { at, isValid, type Output, type OutputOptions, type Unreadable } from "./output/output.ts";
import { readSource } from "./source.ts";
import { judgeDocument, type Surroundings } from "./verdict.ts";

/** What a run of `sluice validate` goes by. */
export interface ValidationOptions extends OutputOptions {
  readonly cwd: string;
  readonly definitions: Definitions;
  readonly surroundings: Surroundings;
  readonly ignoreUnknown: boolean;
  /** What standard input held. */
  readonly stdin: Uint8Array;
  /** Says what is no fault, such as an empty file. */
  note(line: string): void;
}

/** Judges all documents of the inputs, printing each as it is known, and returns the exit code. */
export function validateInputs(
  arguments_: readonly string[],
  output: Output,
  options: ValidationOptions,
): number {
  const run = new Run(output, options);
  const { files, faults } = expandInputs(arguments_, options.cwd);
  for (const { path, message } of faults) run.unreadable({ file: path, message });
  for (const file of files) run.file(file);
  return run.finish();
}

class Run {
  readonly #output: Output;
  readonly #options: ValidationOptions;
  /** Kinds found in directories that may just be somebody else's. */
  readonly #foreign: Unreadable[] = [];
  #documents = 0;
  #judged = 0;
  #invalid = 0;
  #unreadable = 0;
  #skipped = 0;

  constructor(output: Output, options: ValidationOptions) {
    this.#output = output;
    this.#options = options;
  }

  file({ path, named }: InputFile): void {
    const { cwd, stdin, note } = this.#options;
    const read = path === "-" ? { ok: true as const, bytes: stdin } : readInput(path, cwd);
    if (!read.ok || read.bytes.length > LARGEST_INPUT) {
      this.unreadable({ file: path, message: read.ok ? TOO_LARGE : read.message });
      return;
    }
    const source = readSource(read.bytes);
    const documents = source.ok ? source.documents : (source.before ?? []);
    for (const document of documents) this.#document(path, named, document);
    if (!source.ok) {
      this.unreadable({ file: path, place: source.place, message: source.message });
    } else if (documents.length === 0) {
      note(`${at(path)}: holds no document`);
    }
  }

  #document(file: string, named: boolean, document: Parameters<typeof judgeDocument>[1]): void {
    const { definitions, surroundings, ignoreUnknown } = this.#options;
    const judged = judgeDocument(file, document, definitions, surroundings);
    if (judged.ok) {
      this.#documents += 1;
      this.#judged += 1;
      if (!isValid(judged.verdict, this.#options)) this.#invalid += 1;
      this.#output.verdict(judged.verdict);
    } else if (judged.unknownKind === true && ignoreUnknown) this.#skipped += 1;
    else {
      const unreadable = { file, place: judged.place, message: judged.message };
      if (judged.foreign === true && !named) this.#foreign.push(unreadable);
      else {
        this.#documents += 1;
        this.unreadable(unreadable);
      }
    }
  }

  unreadable(unreadable: Unreadable): void {
    this.#unreadable += 1;
    this.#output.unreadable(unreadable);
  }

  finish(): number {
    if (this.#judged > 0) this.#skipped += this.#foreign.length;
    else {
      this.#documents += this.#foreign.length;
      for (const unreadable of this.#foreign) this.unreadable(unreadable);
    }
    const nothing = this.#documents === 0 && this.#unreadable === 0 && this.#skipped === 0;
    if (nothing) this.#options.note("sluice validate: there is no document to validate");
    const exitCode = nothing || this.#unreadable > 0 ? 2 : this.#invalid > 0 ? 1 : 0;
    const totals = {
      documents: this.#documents,
      invalid: this.#invalid,
      unreadable: this.#unreadable,
      skipped: this.#skipped,
    };
    this.#output.finish(totals, exitCode);
    return exitCode;
  }
}
