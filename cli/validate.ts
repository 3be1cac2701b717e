import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { shippedDefinitions } from "../functions/shipped.ts";
import type { Definitions } from "../schema/definitions.ts";
import { nearestName } from "../schema/nearest-name.ts";
import type { Command, Terminal } from "./command.ts";
import { jsonLine } from "./json-line.ts";
import { type Place, readSource } from "./source.ts";
import { judgeDocument, nextStep, type PlacedFinding, type Verdict } from "./verdict.ts";

const help = `Tells what the API server would say about manifests, without a cluster.

Usage: sluice validate [FLAGS] FILE|DIR|- ...

Reads every document of YAML and JSON files, of all files in a directory and the directories below
it, or of standard input (-), and judges each as an object that is created: unknown fields are
dropped, defaults filled in, then the schema and its CEL rules are checked. It knows the kinds that
sluice serves.

Flags:
  -o, --output text|json   How to print verdicts (default text). json prints one object a line for
                           each document: file, line, apiVersion, kind, namespace, name, valid and
                           findings; a finding's type, field and message are those of the API
                           server's causes.
      --stored             Add the object as the API server would store it (with -o json), or print
                           it below its verdict. Values of environment variables are not masked.
  -h, --help               Show this text.

Examples:
  sluice validate examples/quickstart/xr.yaml
  kubectl get modelreplica qwen -o yaml | sluice validate -
  sluice validate -o json manifests | jq 'select(.valid | not)'

Exit codes:
  0  every object is valid; unknown fields are warnings
  1  an object is invalid
  2  the command line, or a file, can't be understood: no such file, no YAML, no document, no UTF-8,
     a key that stands twice, a kind that has no schema
`;

/** `sluice validate`: findings go to `out`; what can't be read goes to `err`. */
export const validate: Command = {
  name: "validate",
  summary: "Tell what the API server would say about manifests, with file and line",
  help,
  options: {
    output: { type: "string", short: "o", default: "text" },
    stored: { type: "boolean", default: false },
  },
  choices: { output: ["text", "json"] },
  positionals: "files",
  async run({ flags, positionals }, terminal) {
    const output = flags.output ?? "text";
    if (output !== "text" && output !== "json") {
      terminal.err(`sluice validate: --output must be text or json, not "${output}"\n`);
      return 2;
    }
    if (positionals.length === 0) {
      terminal.err("sluice validate: name a file or a directory, or - for standard input\n");
      return 2;
    }
    const run = new Run(terminal, output, flags.stored === true, shippedDefinitions());
    for (const argument of positionals) {
      if (argument === "-") run.file("-", await readAll(terminal.stdin));
      else run.path(argument);
    }
    return run.finish();
  },
};

const FILE_NAME = /\.(ya?ml|json)$/;

/** One run of the command: it prints each verdict as soon as it has it, and counts. */
class Run {
  readonly #terminal: Terminal;
  readonly #output: "text" | "json";
  readonly #stored: boolean;
  readonly #definitions: Definitions;
  #documents = 0;
  #invalid = 0;
  #unreadable = 0;

  constructor(terminal: Terminal, output: "text" | "json", stored: boolean, known: Definitions) {
    this.#terminal = terminal;
    this.#output = output;
    this.#stored = stored;
    this.#definitions = known;
  }

  path(path: string): void {
    const absolute = resolve(this.#terminal.cwd, path);
    try {
      if (!statSync(absolute).isDirectory()) {
        this.file(path, readFileSync(absolute));
        return;
      }
      const entries = readdirSync(absolute, { withFileTypes: true });
      for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
        if (entry.name.startsWith(".")) continue;
        if (entry.isDirectory() || FILE_NAME.test(entry.name)) this.path(join(path, entry.name));
      }
    } catch (error) {
      this.#refuse(path, undefined, systemMessage(error));
    }
  }

  file(file: string, bytes: Uint8Array): void {
    const source = readSource(bytes);
    if (!source.ok) {
      this.#refuse(file, source.place, source.message);
      return;
    }
    for (const document of source.documents) {
      this.#documents += 1;
      const judged = judgeDocument(file, document, this.#definitions);
      if (judged.ok) this.#print(judged.verdict);
      else this.#refuse(file, judged.place, judged.message);
    }
  }

  finish(): number {
    if (this.#documents === 0 && this.#unreadable === 0) {
      this.#terminal.err("sluice validate: there is no document to validate\n");
      return 2;
    }
    if (this.#output === "text" && this.#documents > 0) {
      const objects = this.#documents === 1 ? "object" : "objects";
      const wrong = `${this.#invalid} invalid`;
      const unread = this.#unreadable > 0 ? `, ${this.#unreadable} not understood` : "";
      this.#terminal.out(`${this.#documents} ${objects}, ${wrong}${unread}\n`);
    }
    return this.#unreadable > 0 ? 2 : this.#invalid > 0 ? 1 : 0;
  }

  #print(verdict: Verdict): void {
    if (verdict.findings.length > 0) this.#invalid += 1;
    if (this.#output === "json") {
      for (const line of warnings(verdict)) this.#terminal.err(`${line}\n`);
      this.#terminal.out(`${jsonLine(jsonVerdict(verdict, this.#stored))}\n`);
      return;
    }
    for (const line of textVerdict(verdict)) this.#terminal.out(`${line}\n`);
    for (const line of warnings(verdict)) this.#terminal.out(`${line}\n`);
    if (this.#stored) this.#terminal.out(`${jsonLine(verdict.stored)}\n`);
  }

  #refuse(file: string, place: Place | undefined, message: string): void {
    this.#unreadable += 1;
    this.#terminal.err(`${at(file, place)}: ${message}\n`);
  }
}

/** The lines that tell a verdict to a person, each finding after its place. */
export function textVerdict(verdict: Verdict): readonly string[] {
  const { file, findings, start } = verdict;
  if (findings.length === 0) return [`${at(file, start)}: ${title(verdict)} is valid`];
  return findings.flatMap((finding) => {
    const line = `${at(file, finding.place)}: ${title(verdict)}: ${finding.field}: ${finding.message}`;
    const step = nextStep(finding, (known) => nearestName(String(finding.value), known));
    return step === undefined ? [line] : [line, `  next: ${step}`];
  });
}

/** The lines that warn of unknown fields, each after its place. */
export function warnings(verdict: Verdict): readonly string[] {
  return verdict.unknown.map(({ field, nearest, place }) => {
    const hint =
      nearest === undefined ? "it is dropped" : `did you mean ${JSON.stringify(nearest)}?`;
    return `${at(verdict.file, place)}: warning: ${title(verdict)}: unknown field "${field}"; ${hint}`;
  });
}

function jsonVerdict(verdict: Verdict, stored: boolean): unknown {
  const { file, start, object, findings } = verdict;
  return {
    file,
    line: start.line,
    apiVersion: object.apiVersion,
    kind: object.kind,
    namespace: object.metadata?.namespace,
    name: object.metadata?.name,
    valid: findings.length === 0,
    findings: findings.map(jsonFinding),
    stored: stored ? verdict.stored : undefined,
  };
}

function jsonFinding({ type, field, message, value, place }: PlacedFinding): unknown {
  return { type, field, message, value, line: place.line, column: place.column };
}

function title({ object: { kind, metadata } }: Verdict): string {
  const name = metadata?.name ?? metadata?.generateName ?? "without a name";
  return metadata?.namespace === undefined
    ? `${kind} ${name}`
    : `${kind} ${metadata.namespace}/${name}`;
}

function at(file: string, place: Place | undefined): string {
  const name = file === "-" ? "<stdin>" : file;
  return place === undefined ? name : `${name}:${place.line}:${place.column}`;
}

/** Reads a stream to its end. */
export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function systemMessage(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file or directory";
  if (code === "EACCES") return "may not be read; check its permissions";
  return message;
}
