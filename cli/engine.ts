import { once } from "node:events";
import { systemClock } from "../evaluator/engine/clock.ts";
import {
  type AnswerRules,
  readAnswerRules,
  ruledBy,
} from "../evaluator/engine/simulator/answer-rules.ts";
import {
  catalog,
  DEFAULT_HOST,
  type SimulatedModel,
} from "../evaluator/engine/simulator/catalog.ts";
import { type ListenAddress, listen } from "../evaluator/engine/simulator/http-server.ts";
import { parseKeepAlive } from "../evaluator/engine/simulator/keep-alive.ts";
import { showReference } from "../evaluator/engine/simulator/model-reference.ts";
import { readModels } from "../evaluator/engine/simulator/models-file.ts";
import { SIMULATED_VERSION, SimulatedServer } from "../evaluator/engine/simulator/server.ts";
import { DEFAULT_SETTINGS, type ServerSettings } from "../evaluator/engine/simulator/state.ts";
import type { Command, CommandArguments, Terminal } from "./command.ts";
import { readInput, systemMessage } from "./inputs.ts";
import { readValueFile, type ValueFile } from "./value-file.ts";

const USAGE_ERROR = 2;
const CAN_NOT_START = 1;

const help = `Simulates the engine that serves decision models, for tests and demonstrations.

Usage: sluice engine --simulate [FLAGS]

Answers as an Ollaya ${SIMULATED_VERSION} server does, but runs no model: what it answers is made up, by --answers
or as the first option of each question. Its store holds all models that it knows; its registry is
under /v2/. POST /simulator/faults makes something go wrong (docs/engine.md lists what). It runs
until SIGTERM or SIGINT.

Flags:
      --simulate           Required: sluice has no engine of its own. Real ones run in pods.
      --listen HOST:PORT   Where to listen (default 127.0.0.1:11435; port 0 takes any free one).
      --answers FILE       What models answer, in YAML or JSON.
      --models FILE        Further models, or other figures for known ones, in YAML or JSON.
      --seed N             Another seed confuses other answers (default 1).
      --latency DURATION   How long each decision takes, such as 20ms (default: the model's own).
      --load-time DURATION How long each model takes to load (default: the model's own).
      --keep-alive DURATION
                           How long a model stays loaded that nobody asks (default 5m);
                           --keep-alive=-1 keeps all for ever.
      --device NAME        What models run on: cpu, metal, cuda:0 (default cpu).
      --max-queue N        Decisions under way and waiting before the queue is full (default 512).
      --api-key-file FILE  Requests must carry the key in this file.
  -h, --help               Show this text.

Examples:
  sluice engine --simulate
  sluice engine --simulate --answers answers.yaml --latency 20ms
  curl -d '{"fault":"slow","milliseconds":500}' 127.0.0.1:11435/simulator/faults

Exit codes: 0 stopped, 1 can't listen there, 2 wrong flags or files.
`;

/** `sluice engine`: simulates Ollaya until it is stopped; says on stderr that it is a simulator. */
export const engine: Command = {
  name: "engine",
  summary: "Simulate the engine that serves decision models",
  help,
  options: {
    simulate: { type: "boolean" },
    listen: { type: "string", default: "127.0.0.1:11435" },
    answers: { type: "string" },
    models: { type: "string" },
    seed: { type: "string", default: "1" },
    latency: { type: "string" },
    "load-time": { type: "string" },
    "keep-alive": { type: "string", default: "5m" },
    device: { type: "string", default: "cpu" },
    "max-queue": { type: "string", default: "512" },
    "api-key-file": { type: "string" },
  },
  positionals: "none",
  async run({ flags }, terminal) {
    const options = readOptions(flags, terminal);
    if (typeof options === "string") {
      terminal.err(`sluice engine: ${options}\nRun \`sluice engine --help\` for its flags.\n`);
      return USAGE_ERROR;
    }
    return simulate(options, terminal);
  },
};

interface Options {
  readonly address: ListenAddress;
  readonly settings: ServerSettings;
}

async function simulate({ address, settings }: Options, terminal: Terminal): Promise<number> {
  // Listens before it starts, so that an early signal is not lost.
  const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  const server = new SimulatedServer(settings);
  try {
    const listening = await listen(server, address, settings.mostBodyBytes);
    terminal.err(banner(listening.origin, settings));
    await stopped;
    await listening.close();
    return 0;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = code === "EADDRINUSE" ? "the address is in use" : systemMessage(error);
    terminal.err(
      `sluice engine: can't listen on port ${address.port} of ${address.host}: ${why}; give another --listen\n`,
    );
    return CAN_NOT_START;
  }
}

function banner(origin: string, { stored, apiKey, loopback }: ServerSettings): string {
  const names = stored.map(({ name }) => showReference(name)).join(", ");
  const open =
    apiKey === undefined && !loopback
      ? "  Anybody who reaches this address may ask it: --api-key-file would change that.\n"
      : "";
  return `SIMULATOR of Ollaya ${SIMULATED_VERSION}: no model runs here, and every answer is made up.
  Listens on ${origin}
  Models: ${names}
  Faults: POST ${origin}/simulator/faults
${open}  Ctrl-C ends it.
`;
}

type Flags = CommandArguments["flags"];

/** The options, or what is wrong with the first flag or file that can't be used. */
function readOptions(flags: Flags, terminal: Terminal): Options | string {
  if (flags.simulate !== true) {
    return "sluice has no engine of its own: real ones run in pods, from their own images. Give --simulate for a server that answers like Ollaya and runs no model";
  }
  const address = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):([0-9]{1,5})$/.exec(text(flags, "listen"));
  if (address === null || Number(address[2]) > 65_535) {
    return `--listen is "${text(flags, "listen")}"; give HOST:PORT, such as 127.0.0.1:11435`;
  }
  const host = (address[1] ?? "").replace(/^\[|\]$/g, "");
  const device = text(flags, "device");
  if (!/^(cpu|metal|(cuda|vulkan):[0-9]{1,2})$/.test(device)) {
    return `--device is "${device}"; give cpu, metal or cuda:0`;
  }
  const seed = wholeNumber(flags, "seed", 0);
  const mostQueued = wholeNumber(flags, "max-queue", 1);
  const keepAlive = duration(flags, "keep-alive", Number.POSITIVE_INFINITY);
  for (const value of [seed, mostQueued, keepAlive]) if (typeof value === "string") return value;
  const models = readModelFlags(flags, terminal);
  if (typeof models === "string") return models;
  const rules = readRules(flags, models, terminal);
  if (typeof rules === "string") return rules;
  const key = readKey(flags, terminal);
  if (typeof key === "object") return key.problem;
  return {
    address: { host, port: Number(address[2]) },
    settings: {
      ...DEFAULT_SETTINGS,
      clock: systemClock,
      random: Math.random,
      judge: ruledBy(rules, Number(seed)),
      registry: (asked) => models.find(({ name }) => showReference(name) === showReference(asked)),
      registryHost: DEFAULT_HOST,
      stored: models,
      device,
      apiKey: key,
      loopback: /^(localhost|127\.[0-9.]+|::1)$/.test(host),
      keepAlive: Number(keepAlive),
      mostQueued: Number(mostQueued),
      controllable: true,
    },
  };
}

function readModelFlags(flags: Flags, terminal: Terminal): readonly SimulatedModel[] | string {
  const decide = duration(flags, "latency", 86_400_000);
  const load = duration(flags, "load-time", 86_400_000);
  if (typeof decide === "string") return decide;
  if (typeof load === "string") return load;
  let models = catalog;
  if (flags.models !== undefined) {
    const file = readFile(flags, "models", terminal);
    if (!file.ok) return file.error;
    const read = readModels(file.value);
    if (!read.ok) return `--models ${text(flags, "models")}: ${read.error}`;
    models = read.models;
  }
  return models.map((model) => ({
    ...model,
    decideMilliseconds: decide ?? model.decideMilliseconds,
    loadMilliseconds: load ?? model.loadMilliseconds,
  }));
}

function readRules(
  flags: Flags,
  models: readonly SimulatedModel[],
  terminal: Terminal,
): AnswerRules | string {
  if (flags.answers === undefined) return new Map();
  const file = readFile(flags, "answers", terminal);
  if (!file.ok) return file.error;
  const at = `--answers ${text(flags, "answers")}`;
  const read = readAnswerRules(file.value);
  if (!read.ok) return `${at}: ${read.error}`;
  const known = models.map(({ name }) => showReference(name));
  const unknown = [...read.rules.keys()].find((name) => name !== "*" && !known.includes(name));
  if (unknown === undefined) return read.rules;
  return `${at}: there is no model "${unknown}"; there are ${known.join(", ")}, and --models adds others`;
}

/** A key, `undefined` where none is wanted; no message shows what the file holds. */
function readKey(
  flags: Flags,
  terminal: Terminal,
): string | undefined | { readonly problem: string } {
  if (flags["api-key-file"] === undefined) return undefined;
  const path = text(flags, "api-key-file");
  const read = readInput(path, terminal.cwd);
  if (!read.ok) return { problem: `--api-key-file ${path} ${read.message}` };
  const key = Buffer.from(read.bytes).toString("utf8").trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  return { problem: `--api-key-file ${path} must hold one word of printable ASCII characters` };
}

function readFile(flags: Flags, flag: string, terminal: Terminal): ValueFile {
  const path = text(flags, flag);
  const read = readValueFile(path, terminal.cwd);
  return read.ok ? read : { ok: false, error: `--${flag} ${path} ${read.error}` };
}

/** Milliseconds, `undefined` where the flag is not given, or what is wrong with it. */
function duration(flags: Flags, flag: string, most: number): number | undefined | string {
  if (flags[flag] === undefined) return undefined;
  // Engines take a bare number for seconds of keeping; of a latency nobody would expect that.
  const isBare = /^[0-9.]*[1-9][0-9.]*$/.test(text(flags, flag)) && Number.isFinite(most);
  const milliseconds = isBare ? undefined : parseKeepAlive(text(flags, flag));
  if (milliseconds !== undefined && milliseconds <= most) return milliseconds;
  return `--${flag} is "${text(flags, flag)}"; give a duration such as 20ms, 1.5s or 5m`;
}

function wholeNumber(flags: Flags, flag: string, least: number): number | string {
  const given = text(flags, flag);
  if (/^[0-9]{1,9}$/.test(given) && Number(given) >= least) return Number(given);
  return `--${flag} is "${given}"; give a whole number from ${least}`;
}

function text(flags: Flags, flag: string): string {
  return String(flags[flag] ?? "");
}
