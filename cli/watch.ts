import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";

const SETTLE_MILLISECONDS = 100;
const LOOK_MILLISECONDS = 1_000;

/**
 * Calls `onChange` soon after something changes in or below the given files and directories, once
 * for changes that come together, until the signal aborts. A file's directory is watched rather than
 * the file, since editors replace files; one that vanishes or is replaced is watched again as soon as
 * it is there.
 */
export function watchPaths(
  paths: readonly string[],
  cwd: string,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MILLISECONDS);
  };
  const watches = paths.map((path) => new PathWatch(resolve(cwd, path), changed));
  // Also keeps the process alive while there is nothing left to watch.
  const looking = setInterval(() => {
    for (const one of watches) if (one.renew()) changed();
  }, LOOK_MILLISECONDS);
  return new Promise((done) => {
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      clearInterval(looking);
      for (const one of watches) one.close();
      done();
    });
  });
}

/** Watches what a path leads to, as long as that is the same directory. */
class PathWatch {
  readonly #path: string;
  readonly #changed: () => void;
  #watcher: FSWatcher | undefined;
  #identity: string | undefined;

  constructor(path: string, changed: () => void) {
    this.#path = path;
    this.#changed = changed;
    this.renew();
  }

  /** Watches anew if the path leads to another directory than before, and tells whether it does. */
  renew(): boolean {
    const { directory, recursive, only } = placeOf(this.#path);
    const stat = statSync(directory, { throwIfNoEntry: false });
    // A new directory may have the number of the one before it.
    const identity = stat && `${directory} ${stat.dev} ${stat.ino} ${stat.birthtimeMs}`;
    if (identity === this.#identity) return false;
    this.close();
    this.#identity = identity;
    if (identity !== undefined) this.#watch(directory, recursive, only);
    return true;
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #watch(directory: string, recursive: boolean, only: string | undefined): void {
    try {
      this.#watcher = watch(directory, { recursive }, (_event, name) => {
        if (only === undefined || name === null || name === only) this.#changed();
      }).on("error", this.#changed);
    } catch {
      // What can't be read can't be watched; the run itself says so.
    }
  }
}

/** Which directory to watch for a path, and the one file in it that matters. */
function placeOf(path: string) {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  // A pattern's files lie below the part before its first wildcard.
  const [fixed = ""] = path.split(/[*?[{]/);
  if (fixed !== path) return { directory: dirname(`${fixed}x`), recursive: true, only: undefined };
  if (isDirectory) return { directory: path, recursive: true, only: undefined };
  return { directory: dirname(path), recursive: false, only: basename(path) };
}
