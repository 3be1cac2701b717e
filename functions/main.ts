// The entrypoint of the function's image: `sluice function` without the rest of the command line.
import { parseArgs } from "node:util";
import { createHandlers } from "./handlers.ts";
import { optionFlags, optionsHelp, readOptions } from "./options.ts";
import { serve } from "./serve.ts";
import { shippedDefinitions } from "./shipped.ts";

const USAGE_ERROR = 2;

/** Runs the function and resolves to the process's exit code. */
async function main(): Promise<number> {
  let flags: ReturnType<typeof parseFlags>;
  try {
    flags = parseFlags();
  } catch (error) {
    return refuse((error as Error).message);
  }
  if (flags.help === true) {
    process.stdout.write(`Usage: function-sluice [FLAGS]\n\n${optionsHelp}`);
    return 0;
  }
  const options = readOptions(flags, process.env);
  if (typeof options === "string") return refuse(options);
  return serve(options, createHandlers(shippedDefinitions()));
}

function parseFlags() {
  return parseArgs({ options: { ...optionFlags, help: { type: "boolean", short: "h" } } }).values;
}

function refuse(problem: string): number {
  process.stderr.write(`function-sluice: ${problem}\nRun it with --help for its flags.\n`);
  return USAGE_ERROR;
}

process.exitCode = await main();
