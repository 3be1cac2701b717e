import { parseArgs } from "node:util";
import type { Command, CommandArguments, Terminal } from "./command.ts";

/** What `runSluice` dispatches over: each command's module is loaded only when it is needed. */
export type CommandLoader = (name: string) => Promise<Command>;

const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  preview: async () => (await import("./preview.ts")).preview,
  explain: async () => (await import("./explain.ts")).explain,
  validate: async () => (await import("./validate.ts")).validate,
  cel: async () => (await import("./cel.ts")).cel,
  function: async () => (await import("./function.ts")).functionCommand,
  plan: async () => (await import("./plan.ts")).plan,
  rollout: async () => (await import("./rollout.ts")).rollout,
  evaluator: async () => (await import("./evaluator.ts")).evaluator,
  engine: async () => (await import("./engine.ts")).engine,
  completion: async () => (await import("./completion.ts")).completion,
};

/** The commands in the order of `sluice --help`. */
export const commandNames: readonly string[] = Object.keys(loaders);

/** Loads one of `commandNames`. */
export const loadCommand: CommandLoader = async (name) => {
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  if (load === undefined) throw new Error(`no command is called ${name}`);
  return load();
};

/** The exit code of a command line that cannot be understood. */
const usageError = 2;

/**
 * Runs one command line and resolves to its exit code: that of the command, 0 for `--help` and
 * `--version`, 2 for an unknown command or flag, 70 for a bug.
 */
export async function runSluice(
  argv: readonly string[],
  names: readonly string[],
  load: CommandLoader,
  version: () => string,
  terminal: Terminal,
): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    const topic = name === "help" ? rest[0] : undefined;
    if (topic !== undefined && names.includes(topic)) terminal.out((await load(topic)).help);
    else terminal.out(await overview(names, load));
    return 0;
  }
  if (name === "--version" || name === "-V") {
    terminal.out(`sluice ${version()}\n`);
    return 0;
  }
  if (!names.includes(name)) {
    const what = name.startsWith("-") ? "flag" : "command";
    terminal.err(`sluice: unknown ${what} "${name}"${suggestion(name, names)}\n`);
    terminal.err("Run `sluice --help` for the list of commands.\n");
    return usageError;
  }
  const command = await load(name);
  const parsed = parse(command, rest);
  if (parsed === "help") {
    terminal.out(command.help);
    return 0;
  }
  if (typeof parsed === "string") {
    terminal.err(`sluice ${name}: ${parsed}\n`);
    terminal.err(`Run \`sluice ${name} --help\` for its flags.\n`);
    return usageError;
  }
  try {
    return await command.run(parsed, terminal);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    terminal.err(`sluice ${name}: this is a bug in sluice, please report it:\n${text}\n`);
    return 70;
  }
}

/** The parsed command line, "help", or why it cannot be understood. */
function parse(command: Command, argv: readonly string[]): CommandArguments | "help" | string {
  const options = { ...command.options, help: { type: "boolean", short: "h" } } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      allowNegative: false,
    });
    if (values.help === true) return "help";
    if (command.positionals === "none" && positionals[0] !== undefined) {
      return `takes no arguments, but was given "${positionals[0]}"`;
    }
    return { flags: { ...values }, positionals };
  } catch (error) {
    if (!(error instanceof TypeError) || !("code" in error)) throw error;
    if (error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
      const flag = /'(-[^']*)'/.exec(error.message)?.[1] ?? "";
      return `unknown flag "${flag}"${suggestion(flag, flagNames(options))}`;
    }
    return firstSentence(error.message);
  }
}

/** Every spelling of a command's flags: `--name`, and `-n` where there is a short one. */
export function flagNames(options: Command["options"]): readonly string[] {
  return Object.entries(options)
    .flatMap(([name, { short }]) =>
      short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`],
    )
    .sort();
}

async function overview(names: readonly string[], load: CommandLoader): Promise<string> {
  const commands = await Promise.all(names.map(load));
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return `sluice serves model fleets on Kubernetes; this command line needs no cluster.

Usage: sluice COMMAND [FLAGS] [ARGUMENTS]

Commands:
${list.join("\n")}

Flags:
  -h, --help      Show this text; \`sluice COMMAND --help\` explains one command.
  -V, --version   Print the version.

Exit codes: 0 success; 1 what was asked about is not in order; 2 the command line or an
input file cannot be understood; 70 a bug in sluice; 74 the output cannot be written. Each
command's help says more.

Start here: sluice preview examples/quickstart
`;
}

function firstSentence(message: string): string {
  const [sentence = message] = message.split(". ");
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

/** `, did you mean "X"?` when a known name is close enough to a mistyped one, else nothing. */
function suggestion(given: string, known: readonly string[]): string {
  const ranked = known
    .map((name) => ({ name, distance: editDistance(given, name) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best === undefined || best.distance > Math.max(1, given.length / 3)) return "";
  return `, did you mean "${best.name}"?`;
}

/** The least number of inserted, deleted and replaced characters between two short words. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
