import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { play } from "../evaluator/simulation/play.ts";
import { readTimeline } from "../evaluator/simulation/read-timeline.ts";
import type { Timeline } from "../evaluator/simulation/timeline.ts";
import { formatPassed, type TraceEntry } from "../evaluator/simulation/trace.ts";
import { allDefinitions } from "../functions/shipped.ts";
import type { Command, Terminal } from "./command.ts";
import { styles, visible } from "./render/text.ts";
import { readValueFile } from "./value-file.ts";

const NOT_AS_EXPECTED = 1;
const USAGE_ERROR = 2;
const FILE = "timeline.yaml";

/** What is shown without `--all`: what people do and are told, and where requests go. */
const TOLD = new Set(["you", "phase", "event", "warning", "traffic", "fault", "operator"]);

const help = `Usage: sluice rollout TIMELINE [FLAGS]

Plays a roll-out of DecisionModels, fast-forwarded: the real operator against a cluster, a registry
and engines that are simulated in this process. TIMELINE is a YAML file, or a directory with a
timeline.yaml in it: models, datasets, what people do and what goes wrong, and what must come of it.
No cluster, no network and no model is used; docs/rollout.md says how to write one.

Flags:
      --all     Also show conditions, readiness gates, and every object made and deleted.
  -h, --help    Show this text.

Examples:
  sluice rollout examples/rollouts/quickstart
  sluice rollout examples/rollouts/crash-after-promotion --all

Exit codes: 0 it ended as the timeline says, 1 it did not, 2 the timeline can't be read.
`;

/** `sluice rollout`: plays a timeline with the real operator in a simulated cluster. */
export const rollout: Command = {
  name: "rollout",
  summary: "Play a roll-out of DecisionModels, fast-forwarded, without a cluster",
  help,
  options: { all: { type: "boolean" } },
  positionals: "directories",
  async run({ flags, positionals }, terminal) {
    const timeline = readFile(positionals, terminal);
    if (typeof timeline === "string") {
      terminal.err(`sluice rollout: ${timeline}\n`);
      return USAGE_ERROR;
    }
    return playTo(terminal, timeline, flags.all === true);
  },
};

async function playTo(terminal: Terminal, timeline: Timeline, all: boolean): Promise<number> {
  const style = styles(terminal.colour);
  const show = line(style);
  terminal.out(`\n${timeline.about.trim()}\n\n`);
  let start: number | undefined;
  const { problems, world } = await play(timeline, {
    definitions: allDefinitions(),
    told: (entry) => {
      start ??= entry.at;
      if (all || TOLD.has(entry.subject)) terminal.out(show(entry, start));
    },
  });
  const passed = formatPassed(world.clock.now() - (start ?? world.clock.now()));
  if (problems.length === 0) {
    terminal.out(`\nAs the timeline says, after ${passed} of simulated time.\n`);
    return 0;
  }
  terminal.err(`\nNot as the timeline says:\n${problems.map((one) => `  ${one}\n`).join("")}`);
  return NOT_AS_EXPECTED;
}

function line({ strong, pending, dim }: ReturnType<typeof styles>) {
  const colours: Readonly<Record<string, (text: string) => string>> = {
    you: strong,
    operator: strong,
    fault: pending,
    warning: pending,
  };
  return ({ at, subject, text }: TraceEntry, start: number) => {
    const colour = colours[subject] ?? ((plain: string) => plain);
    return `${dim(formatPassed(at - start))}  ${colour(`${subject.padEnd(9)}  ${visible(text)}`)}\n`;
  };
}

/** The timeline of the one argument, or what is wrong. */
function readFile(arguments_: readonly string[], terminal: Terminal): Timeline | string {
  const [path, another] = arguments_;
  if (path === undefined) return "name a timeline, such as examples/rollouts/quickstart";
  if (another !== undefined) return `unexpected argument "${another}": give one timeline`;
  const full = resolve(terminal.cwd, path);
  const isDirectory = existsSync(full) && statSync(full).isDirectory();
  const file = isDirectory ? join(path, FILE) : path;
  const read = readValueFile(file, terminal.cwd);
  if (!read.ok) return `${file} ${read.error}`;
  const timeline = readTimeline(read.value);
  return timeline.ok ? timeline.timeline : `${file}: ${timeline.error}`;
}
