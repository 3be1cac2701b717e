import {
  closeSync,
  fstatSync,
  globSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { join, resolve } from "node:path";

/** A file to read, as the user gave it or found below what they gave. */
export interface InputFile {
  /** The path to print: as given, joined with what lies below a directory. */
  readonly path: string;
  /** Whether the user named this very file, rather than a directory or a pattern. */
  readonly named: boolean;
}

/** Why an input can't be used. */
export interface InputFault {
  readonly path: string;
  readonly message: string;
}

/** The files that arguments stand for, each once and in their order, and what could not be found. */
export interface Inputs {
  readonly files: readonly InputFile[];
  readonly faults: readonly InputFault[];
}

/** Most bytes that are read of a file or of standard input. */
export const LARGEST_INPUT = 16 * 1024 * 1024;
/** What is said of more. */
export const TOO_LARGE = `is larger than ${LARGEST_INPUT / 1024 / 1024} MiB; split it`;

const FILE_NAME = /\.(ya?ml|json)$/;
const MAX_DEPTH = 64;

/**
 * Expands files, directories with all below them, and glob patterns. A file that is reached twice,
 * by whatever path, counts once; `-` is passed through. Symbolic links are followed, loops are not.
 */
export function expandInputs(arguments_: readonly string[], cwd: string): Inputs {
  const walk = new Walk(cwd);
  for (const argument of arguments_) {
    if (argument === "-") walk.files.push({ path: "-", named: true });
    else walk.argument(argument);
  }
  return { files: walk.files, faults: walk.faults };
}

class Walk {
  readonly files: InputFile[] = [];
  readonly faults: InputFault[] = [];
  readonly #cwd: string;
  readonly #seen = new Set<string>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  argument(path: string): void {
    const kind = inputKind(path, this.#cwd);
    if (kind === "directory") this.#directory(path, 0);
    else if (kind === "file") this.#add(path, true);
    else if (/[*?[{]/.test(path)) this.#pattern(path, kind);
    else this.faults.push({ path, message: kind });
  }

  #pattern(pattern: string, fault: string): void {
    const found = globSync(pattern, { cwd: this.#cwd }).sort();
    if (found.length === 0) {
      const message = fault.startsWith("there is no") ? "no file matches this pattern" : fault;
      this.faults.push({ path: pattern, message });
    }
    for (const path of found) {
      if (inputKind(path, this.#cwd) === "directory") this.#directory(path, 0);
      else this.#add(path, false);
    }
  }

  #directory(path: string, depth: number): void {
    try {
      const real = realpathSync(resolve(this.#cwd, path));
      if (this.#seen.has(real) || depth > MAX_DEPTH) return;
      this.#seen.add(real);
      for (const entry of readdirSync(real, { withFileTypes: true }).sort(byName)) {
        if (entry.name.startsWith(".")) continue;
        const below = join(path, entry.name);
        const kind = entry.isSymbolicLink() ? inputKind(below, this.#cwd) : undefined;
        if (entry.isDirectory() || kind === "directory") this.#directory(below, depth + 1);
        else if (FILE_NAME.test(entry.name) && (entry.isFile() || kind === "file")) {
          this.#add(below, false);
        } else if (FILE_NAME.test(entry.name) && kind !== undefined) {
          this.faults.push({ path: below, message: kind });
        }
      }
    } catch (error) {
      this.faults.push({ path, message: systemMessage(error) });
    }
  }

  #add(path: string, named: boolean): void {
    try {
      const real = realpathSync(resolve(this.#cwd, path));
      if (this.#seen.has(real)) return;
      this.#seen.add(real);
      this.files.push({ path, named });
    } catch (error) {
      // A pipe of the shell's (/dev/fd/63) has no path of its own.
      if (isShellPipe(path)) this.files.push({ path, named });
      else this.faults.push({ path, message: systemMessage(error) });
    }
  }
}

/** `file`, `directory`, or why a path is neither; nothing waits on a named pipe that nobody writes to. */
export function inputKind(path: string, cwd: string): string {
  try {
    const stats = statSync(resolve(cwd, path));
    if (stats.isDirectory()) return "directory";
    if (stats.isFile() || (stats.isFIFO() && isShellPipe(path))) return "file";
    return stats.isFIFO()
      ? "is a named pipe; hand it in on standard input instead: write - for it, and < PIPE behind the command"
      : "is neither a file nor a directory";
  } catch (error) {
    return systemMessage(error);
  }
}

/** Reads a file of at most `LARGEST_INPUT` bytes, or says why it can't. */
export function readInput(
  path: string,
  cwd: string,
):
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly message: string } {
  const kind = inputKind(path, cwd);
  if (kind !== "file") {
    return { ok: false, message: kind === "directory" ? "is a directory; name a file" : kind };
  }
  try {
    const descriptor = openSync(resolve(cwd, path), "r");
    try {
      const { size } = fstatSync(descriptor);
      if (size > LARGEST_INPUT) return { ok: false, message: TOO_LARGE };
      return readDescriptor(descriptor, size);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return { ok: false, message: systemMessage(error) };
  }
}

// A pipe and /proc tell no size, and a file may grow while it is read.
function readDescriptor(descriptor: number, size: number) {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const chunk = new Uint8Array(Math.max(1, Math.min(size - total || 65_536, 1_048_576)));
    const count = readSync(descriptor, chunk);
    if (count === 0) return { ok: true as const, bytes: Buffer.concat(chunks) };
    total += count;
    if (total > LARGEST_INPUT) return { ok: false as const, message: TOO_LARGE };
    chunks.push(chunk.subarray(0, count));
  }
}

/** Reads a stream to its end, or as far as shows that it is too large. */
export async function readStream(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    total += chunk.length;
    if (total > LARGEST_INPUT) break;
  }
  return Buffer.concat(chunks);
}

/** A system error in plain words. */
export function systemMessage(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
      return "there is no such file or directory";
    case "EACCES":
    case "EPERM":
      return "may not be read; check its permissions";
    case "ELOOP":
      return "is a symbolic link that leads back to itself";
    case "ENAMETOOLONG":
      return "has a path that is too long";
    default:
      return message;
  }
}

function isShellPipe(path: string): boolean {
  return /^\/(dev\/(fd\/|stdin)|proc\/)/.test(path);
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : 1;
}
