import { createRefusalsByKind } from "../functions/refusals.ts";
import { allDefinitions } from "../functions/shipped.ts";
import type { Command, CommandArguments, Terminal } from "./command.ts";
import { readStream } from "./inputs.ts";
import { githubOutput } from "./output/github.ts";
import { jsonOutput } from "./output/json.ts";
import type { Output, OutputOptions } from "./output/output.ts";
import { sarifOutput } from "./output/sarif.ts";
import { textOutput } from "./output/text.ts";
import { visible } from "./render/text.ts";
import { readOldObjects, withSchemas } from "./schemas.ts";
import { type ValidationOptions, validateInputs } from "./validation.ts";
import { watchPaths } from "./watch.ts";

const help = `Tells what the API server would say about manifests, without a cluster.

Usage: sluice validate [FLAGS] FILE|DIR|PATTERN|- ...

Reads every document of YAML and JSON files, of all files in a directory and the directories below
it, of those that a quoted pattern matches, or of standard input (-), and judges each as an object
that is created: unknown fields are dropped, defaults filled in, then the schema and its CEL rules
are checked. It knows the kinds that sluice serves and those that --schemas adds; CRDs and XRDs are
judged as such.

Flags:
      --schemas PATH       CRDs and XRDs of further kinds: a file, a directory or a pattern; may be
                           given several times.
      --old PATH           Objects as they are stored: what has the apiVersion, kind, namespace and
                           name of one is judged as its update. May be given several times.
      --strict             Unknown fields make an object invalid, as with kubectl by default.
      --ignore-unknown     Pass over kinds without a schema. Otherwise they are an error, but for
                           those of other groups in a directory where something else was judged.
      --watch              Judge again whenever an input changes, until Ctrl-C.
  -o, --output text|json|sarif|github
                           How to print verdicts (default text). json prints one object a line for
                           each document: file, line, apiVersion, kind, namespace, name, valid and
                           findings; a finding's type, field and message are those of the API
                           server's causes. sarif prints one SARIF 2.1.0 log, github commands that
                           annotate a pull request.
      --stored             Add the object as the API server would store it (with -o json), or print
                           it as YAML below its verdict. Values of environment variables are not
                           masked.
  -h, --help               Show this text.

Examples:
  sluice validate examples/quickstart/xr.yaml
  sluice validate --schemas crds/ --strict manifests/
  sluice validate --old stored.yaml changed.yaml
  kubectl get modelreplica chat -o yaml | sluice validate -
  sluice validate -o json manifests | jq 'select(.valid | not)'

Exit codes:
  0  every object is valid; unknown fields are warnings
  1  an object is invalid
  2  the command line, or a file, can't be understood: no such file, no YAML, no document, no UTF-8,
     a key that stands twice, a kind that has no schema
`;

const OUTPUTS: Readonly<Record<string, (terminal: Terminal, options: OutputOptions) => Output>> = {
  text: textOutput,
  json: jsonOutput,
  sarif: sarifOutput,
  github: githubOutput,
};

/** `sluice validate`: findings go to `out`; what can't be read goes to `err`. */
export const validate: Command = {
  name: "validate",
  summary: "Tell what the API server would say about manifests, with file and line",
  help,
  options: {
    schemas: { type: "string", multiple: true },
    old: { type: "string", multiple: true },
    strict: { type: "boolean", default: false },
    "ignore-unknown": { type: "boolean", default: false },
    watch: { type: "boolean", default: false },
    output: { type: "string", short: "o", default: "text" },
    stored: { type: "boolean", default: false },
  },
  choices: { output: Object.keys(OUTPUTS) },
  positionals: "files",
  async run(arguments_, terminal) {
    const { flags, positionals } = arguments_;
    const refuse = (message: string) => {
      terminal.err(`sluice validate: ${message}\n`);
      return 2;
    };
    const name = String(flags.output ?? "text");
    const makeOutput = Object.hasOwn(OUTPUTS, name) ? OUTPUTS[name] : undefined;
    if (makeOutput === undefined) {
      return refuse(`--output must be text, json, sarif or github, not "${name}"`);
    }
    if (positionals.length === 0)
      return refuse("name a file or a directory, or - for standard input");
    const stdin = positionals.includes("-") ? await readStream(terminal.stdin) : new Uint8Array();
    const runOnce = (): number => {
      const options = readOptions(arguments_, terminal, stdin);
      if (!options.ok) {
        for (const problem of options.problems) terminal.err(`${visible(problem)}\n`);
        return 2;
      }
      return validateInputs(positionals, makeOutput(terminal, options.value), options.value);
    };
    if (flags.watch !== true) return runOnce();
    const watched = [...positionals, ...strings(flags.schemas), ...strings(flags.old)];
    if (watched.includes("-")) return refuse("standard input can't be watched; name files");
    return watchUntilInterrupted(watched, terminal, runOnce);
  },
};

async function watchUntilInterrupted(
  paths: readonly string[],
  terminal: Terminal,
  runOnce: () => number,
): Promise<number> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  let exitCode = 0;
  const again = () => {
    exitCode = runOnce();
    terminal.err("watching for changes; Ctrl-C ends\n");
  };
  const watching = watchPaths(paths, terminal.cwd, again, stop.signal);
  again();
  await watching;
  process.removeListener("SIGINT", interrupt).removeListener("SIGTERM", interrupt);
  return exitCode;
}

function readOptions({ flags }: CommandArguments, terminal: Terminal, stdin: Uint8Array) {
  const { cwd } = terminal;
  const schemas = withSchemas(allDefinitions(), strings(flags.schemas), cwd);
  if (!schemas.ok) return schemas;
  const old = readOldObjects(strings(flags.old), cwd);
  if (!old.ok) return old;
  const value: ValidationOptions = {
    cwd,
    stdin,
    definitions: schemas.value,
    surroundings: {
      old: old.value,
      refusals: createRefusalsByKind(),
    },
    strict: flags.strict === true,
    stored: flags.stored === true,
    ignoreUnknown: flags["ignore-unknown"] === true,
    note: (line) => terminal.err(`${line}\n`),
  };
  return { ok: true as const, value };
}

function strings(flag: CommandArguments["flags"][string]): readonly string[] {
  const all = Array.isArray(flag) ? flag : flag === undefined ? [] : [flag];
  return all.map(String);
}

/** Reads a stream to its end. */
export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
