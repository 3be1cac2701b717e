import { commands } from "./dev-commands.ts";

const [name = "--help", ...rest] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;

if (command !== undefined && (rest.includes("--help") || rest.includes("-h"))) {
  process.stdout.write(`./sluice-dev ${name}: ${command.summary}\n`);
} else if (command !== undefined) {
  process.exitCode = await command.run(rest);
} else {
  const width = Math.max(...Object.keys(commands).map((known) => known.length)) + 2;
  const list = Object.entries(commands).map(
    ([known, { summary }]) => `  ${known.padEnd(width)}${summary}`,
  );
  const text = `Usage: ./sluice-dev COMMAND [ARGUMENTS]\n\nCommands:\n${list.join("\n")}\n`;
  if (name === "--help" || name === "-h") process.stdout.write(text);
  else process.stderr.write(`sluice-dev: unknown command "${name}"\n\n${text}`);
  process.exitCode = name === "--help" || name === "-h" ? 0 : 2;
}
