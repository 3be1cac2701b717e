// The entrypoint of the evaluator's image: `sluice evaluator` without the rest of the command line.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { optionFlags, optionsHelp, readOptions } from "./options.ts";
import { serve } from "./serve.ts";

const USAGE_ERROR = 2;

/** Runs the operator and resolves to the process's exit code. */
async function main(): Promise<number> {
  let flags: ReturnType<typeof parseFlags>;
  let images: unknown;
  try {
    flags = parseFlags();
    const file = flags["runtime-images"];
    if (file !== undefined) images = parse(readFileSync(file, "utf8"));
  } catch (error) {
    return refuse((error as Error).message);
  }
  if (flags.help === true) {
    process.stdout.write(`Usage: sluice-evaluator [FLAGS]\n\n${optionsHelp}`);
    return 0;
  }
  const options = readOptions(flags, process.env, images);
  return typeof options === "string" ? refuse(options) : serve(options);
}

function parseFlags() {
  return parseArgs({ options: { ...optionFlags, help: { type: "boolean", short: "h" } } }).values;
}

function refuse(problem: string): number {
  process.stderr.write(`sluice-evaluator: ${problem}\nRun it with --help for its flags.\n`);
  return USAGE_ERROR;
}

process.exitCode = await main();
