import type { ParseArgsConfig } from "node:util";

/** Where a command reads and writes; tests pass buffers, `main.ts` passes the process's own streams. */
export interface Terminal {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Writes text as it is; results go here. */
  out(text: string): void;
  /** Writes text as it is; errors, warnings and progress go here. */
  err(text: string): void;
  /** Whether to colour output: a terminal, and `NO_COLOR` not set. */
  readonly colour: boolean;
  /** The columns of the terminal that `out` goes to; left out when it goes elsewhere. */
  readonly width?: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory that relative paths of arguments start from. */
  readonly cwd: string;
}

/** One subcommand of `sluice`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The whole text of `--help`, written for a person: usage, flags, examples, exit codes. */
  readonly help: string;
  /** The flags for `util.parseArgs` and for shell completion; `--help` is added by `main.ts`. */
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /** The values that a flag takes, where they are a short list, for completion. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** What the positional arguments are, for completion. */
  readonly positionals: "files" | "directories" | "none";
  /** Runs with parsed flags and resolves to the exit code. */
  run(arguments_: CommandArguments, terminal: Terminal): Promise<number>;
}

/** What `util.parseArgs` found; a flag that may be repeated is a list. */
export interface CommandArguments {
  readonly flags: Readonly<
    Record<string, string | boolean | readonly (string | boolean)[] | undefined>
  >;
  readonly positionals: readonly string[];
}
