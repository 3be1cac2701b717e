import { optionFlags, optionsHelp, readOptions } from "../evaluator/options.ts";
import { serve } from "../evaluator/serve.ts";
import type { Command } from "./command.ts";
import { readValueFile } from "./value-file.ts";

const USAGE_ERROR = 2;

/** `sluice evaluator`: runs the operator of DecisionModels until it is stopped. */
export const evaluator: Command = {
  name: "evaluator",
  summary: "Run the operator that rolls DecisionModels out",
  help: `Usage: sluice evaluator [FLAGS]

Runs the operator of DecisionModels against a cluster, until SIGTERM or SIGINT: it pulls, starts,
evaluates and promotes models, and keeps the old one where the new one does not pass. It may be
killed at any moment; another one goes on from what the cluster says. The cluster needs the
CustomResourceDefinition package/evaluator/crd.yaml. Logs are JSON lines on stderr and never hold a
credential.

Flags:
${optionsHelp}
Examples:
  sluice evaluator --kubeconfig ~/.kube/config --watch-namespaces ml-team
  sluice evaluator --leader-elect --max-concurrent-rollouts 2

Exit codes: 0 stopped, 1 can't start or no longer the leader, 2 wrong flags or files.
`,
  options: optionFlags,
  choices: {
    "runtime-version-policy": ["Pinned", "FollowOperator"],
    "metrics-secure": ["true", "false"],
  },
  positionals: "none",
  async run({ flags }, terminal) {
    const refuse = (problem: string) => {
      terminal.err(
        `sluice evaluator: ${problem}\nRun \`sluice evaluator --help\` for its flags.\n`,
      );
      return USAGE_ERROR;
    };
    const file = flags["runtime-images"];
    const images =
      typeof file === "string"
        ? readValueFile(file, terminal.cwd)
        : { ok: true as const, value: undefined };
    if (!images.ok) return refuse(`--runtime-images ${file} ${images.error}`);
    const options = readOptions(flags, terminal.env, images.value);
    return typeof options === "string" ? refuse(options) : serve(options);
  },
};
