import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";

const SETTLE_MILLISECONDS = 100;

/**
 * Calls `onChange` soon after something changes in or below the given files and directories, once
 * for changes that come together, until the signal aborts. A file's directory is watched rather than
 * the file, since editors replace files.
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
  const watchers = paths.map((path) => watchPath(resolve(cwd, path), changed));
  return new Promise((done) => {
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher?.close();
      done();
    });
  });
}

function watchPath(path: string, changed: () => void): FSWatcher | undefined {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  // A pattern's files lie below the part before its first wildcard.
  const [fixed = ""] = path.split(/[*?[{]/);
  const isPattern = fixed !== path;
  const directory = isDirectory ? path : isPattern ? dirname(`${fixed}x`) : dirname(path);
  try {
    return watch(directory, { recursive: isDirectory || isPattern }, (_event, name) => {
      if (isDirectory || isPattern || name === null || name === basename(path)) changed();
    }).on("error", changed);
  } catch {
    // What is not there can't be watched; the run itself says so.
    return undefined;
  }
}
