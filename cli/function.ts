import { createHandlers } from "../functions/handlers.ts";
import { optionFlags, optionsHelp, readOptions } from "../functions/options.ts";
import { serve } from "../functions/serve.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import type { Command } from "./command.ts";

const USAGE_ERROR = 2;

/** `sluice function`: runs the composition function that Crossplane calls, until it is stopped. */
export const functionCommand: Command = {
  name: "function",
  summary: "Run the composition function that Crossplane calls",
  help: `Usage: sluice function [FLAGS]

Runs the composition function that Crossplane calls over gRPC, until SIGTERM or SIGINT, which let
the calls under way finish. The function's image runs the same program. Logs are JSON lines on
stderr and never hold an object, a credential or a connection detail.

Flags:
${optionsHelp}
Examples:
  sluice function --insecure                      serve \`crossplane composition render\` and previews
  sluice function --tls-certs-dir /tls/server     serve a Crossplane core

Exit codes: 0 stopped, 1 can't start (no certificates, address in use), 2 wrong flags.
`,
  options: optionFlags,
  positionals: "none",
  async run({ flags, positionals }, terminal) {
    const problem = positionals.length > 0 ? `unexpected argument "${positionals[0]}"` : undefined;
    const options = problem ?? readOptions(flags, terminal.env);
    if (typeof options !== "string") return serve(options, createHandlers(shippedDefinitions()));
    terminal.err(`sluice function: ${options}\nRun \`sluice function --help\` for its flags.\n`);
    return USAGE_ERROR;
  },
};
