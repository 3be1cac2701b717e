import type { Command } from "./command.ts";
import { commandNames, flagNames, loadCommand } from "./dispatch.ts";

const writers: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `sluice completion`: prints the completion script of a shell, generated from the table of commands. */
export const completion: Command = {
  name: "completion",
  summary: "Print a completion script for bash, zsh or fish",
  help: `Print a script that completes sluice's commands, flags and their values.

Usage: sluice completion bash|zsh|fish

Load it now:
  bash:  source <(sluice completion bash)
  zsh:   source <(sluice completion zsh)
  fish:  sluice completion fish | source
or put that line into the shell's start-up file.

Exit codes: 0 printed; 2 not one of the three shells.
`,
  options: {},
  choices: { "": Object.keys(writers) },
  positionals: "files",
  async run({ positionals }, terminal) {
    const [shell = "", ...more] = positionals;
    const write = Object.hasOwn(writers, shell) ? writers[shell] : undefined;
    if (write === undefined || more.length > 0) {
      const given = positionals.length === 0 ? "no shell" : `"${positionals.join(" ")}"`;
      terminal.err(`sluice completion: wants bash, zsh or fish, was given ${given}\n`);
      return 2;
    }
    terminal.out(write(await Promise.all(commandNames.map(loadCommand))));
    return 0;
  },
};

/** The values a flag of a command takes, by each of its spellings; "" stands for the arguments. */
function choicesBySpelling(command: Command): readonly (readonly [string, readonly string[]])[] {
  return Object.entries(command.choices ?? {}).flatMap(([name, values]) => {
    if (name === "") return [];
    const short = command.options[name]?.short;
    return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])].map(
      (spelling) => [spelling, values] as const,
    );
  });
}

function bashScript(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const values = choicesBySpelling(command).map(
      ([flag, list]) =>
        `        ${flag}) COMPREPLY=($(compgen -W '${list.join(" ")}' -- "$word")); return ;;`,
    );
    const words = command.choices?.[""]?.join(" ");
    const rest =
      words === undefined ? "" : `COMPREPLY=($(compgen -W '${words}' -- "$word")); return`;
    return `    ${command.name})
      case $previous in
${values.length === 0 ? "        *) ;;" : values.join("\n")}
      esac
      if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W '${[...flagNames(command.options), "--help"].join(" ")}' -- "$word"))
        return
      fi
      ${rest === "" ? ":" : rest} ;;`;
  });
  return `# bash completion for sluice; load it with: source <(sluice completion bash)
_sluice() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(" ")} --help --version' -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join("\n")}
  esac
}
complete -o default -F _sluice sluice
`;
}

function zshScript(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const values = new Map(choicesBySpelling(command));
    const specs = Object.entries(command.options).flatMap(([name, { type, short }]) => {
      const spellings = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
      return spellings.map((flag) => {
        if (type === "boolean") return `'*${flag}'`;
        const list = values.get(flag);
        return `'*${flag}:value:${list === undefined ? "_files" : `(${list.join(" ")})`}'`;
      });
    });
    const words = command.choices?.[""];
    const argument = words === undefined ? "_files" : `(${words.join(" ")})`;
    return `    ${command.name}) _arguments ${[...specs, "'--help'", `'*:argument:${argument}'`].join(" ")} ;;`;
  });
  const list = commands.map(({ name, summary }) => `'${name}:${summary.replaceAll("'", "’")}'`);
  return `#compdef sluice
# zsh completion for sluice; load it with: source <(sluice completion zsh)
_sluice() {
  local -a commands=(${list.join(" ")})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join("\n")}
  esac
}
compdef _sluice sluice
`;
}

function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const seen = `-n '__fish_seen_subcommand_from ${command.name}'`;
    const flags = Object.entries(command.options).map(([name, { type, short }]) => {
      const list = command.choices?.[name];
      const value = list === undefined ? " -r" : ` -x -a '${list.join(" ")}'`;
      const shorter = short === undefined ? "" : ` -s ${short}`;
      return `complete -c sluice ${seen} -l ${name}${shorter}${type === "boolean" ? "" : value}`;
    });
    const words = command.choices?.[""];
    return [
      `complete -c sluice -n __fish_use_subcommand -f -a ${command.name} -d '${command.summary.replaceAll("'", "’")}'`,
      ...flags,
      ...(words === undefined ? [] : [`complete -c sluice ${seen} -f -a '${words.join(" ")}'`]),
    ];
  });
  return `# fish completion for sluice; load it with: sluice completion fish | source
${lines.join("\n")}
`;
}
