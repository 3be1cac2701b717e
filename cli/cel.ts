import { type CelType, DYN, formatType } from "../cel/checking/type.ts";
import { estimateCost } from "../cel/cost/estimate.ts";
import { DEVICE_SIZES, DeviceSelectors, evaluateDevice } from "../cel/device.ts";
import { CelEnvironment, type Compiled, type CompileFailure } from "../cel/environment.ts";
import type { Evaluation, Program } from "../cel/program.ts";
import { formatIssues, placeOf } from "../cel/syntax/place.ts";
import { allDefinitions } from "../functions/shipped.ts";
import { guessKind, readSubject, type Subject, type SubjectKind } from "./cel-subject.ts";
import { celJson } from "./cel-value.ts";
import type { Command, CommandArguments, Terminal } from "./command.ts";
import { readInput, readStream } from "./inputs.ts";
import { visible } from "./render/text.ts";
import { withSchemas } from "./schemas.ts";
import { readSource } from "./source.ts";

const help = `Evaluates a CEL expression as the API server does, without a cluster.

Usage: sluice cel [FLAGS] EXPRESSION

Shows the type of the expression, its value, and what it costs in the API server's units. What does
not compile is shown with its place, as the API server refuses it.

Flags:
      --with FILE          What the expression is about (- is standard input), one document.
                           An object is the variable self, typed by its schema where its kind is
                           known, after unknown fields are dropped and defaults filled in. Of a
                           ResourceSlice, an InferenceClass or a single device each device is the
                           variable device, and the cost is estimated as for a selector. Of a
                           CRD or an XRD self has the type of the schema: the expression is
                           checked as a rule, and its cost estimated.
                           Without a file the expression has no variables.
      --old FILE           The object as it is stored: the variable oldSelf.
      --as object|device|schema
                           What FILE is taken for, where it is not what it looks like.
      --path PATH          The part that is self: spec.engines[0] of an object, spec.engines[] of a
                           schema.
      --schemas PATH       CRDs and XRDs of further kinds; may be given several times.
  -o, --output text|json   How to print (default text). json prints one object: expression, type,
                           results (each with value or error, and cost), estimate, or issues (each
                           with line, column and message).
  -h, --help               Show this text.

Examples:
  sluice cel "quantity('1.5Gi').isGreaterThan(quantity('1G'))"
  sluice cel 'self.spec.engines.all(e, size(e.members) > 0)' --with examples/replica/xr.yaml
  sluice cel 'self.size() <= 8' --with crd.yaml --path 'spec.engines'
  sluice cel "device.attributes['gpu.nvidia.com'].index == 0" --with slice.yaml

Exit codes:
  0  it compiles and gives a value that is not false; of several devices, one at least
  1  it does not compile, or fails, or gives false
  2  the command line, or a file, can't be understood
`;

// As for rules of CRDs (k8s.io/apiserver PerCallLimit; the longest text that its parser takes).
const COST_LIMIT = 1_000_000;
const MAX_LENGTH = 400_000;

/** `sluice cel`: results go to `out`; what can't be read, and what does not compile, goes to `err`. */
export const cel: Command = {
  name: "cel",
  summary: "Evaluate a CEL expression against an object, a device or a schema",
  help,
  options: {
    with: { type: "string" },
    old: { type: "string" },
    as: { type: "string" },
    path: { type: "string", default: "" },
    schemas: { type: "string", multiple: true },
    output: { type: "string", short: "o", default: "text" },
  },
  choices: { as: ["object", "device", "schema"], output: ["text", "json"] },
  positionals: "files",
  async run(arguments_, terminal) {
    const { flags, positionals } = arguments_;
    const refuse = (message: string) => {
      terminal.err(`sluice cel: ${message}\n`);
      return 2;
    };
    const [expression, ...more] = positionals;
    if (expression === undefined) return refuse("name an expression, in quotes");
    if (more.length > 0) return refuse(`takes one expression, in quotes; "${more[0]}" is another`);
    const { as, output } = flags;
    if (output !== "text" && output !== "json") {
      return refuse(`--output must be text or json, not "${String(output)}"`);
    }
    if (as !== undefined && as !== "object" && as !== "device" && as !== "schema") {
      return refuse(`--as must be object, device or schema, not "${String(as)}"`);
    }
    const subject = await subjectOf(arguments_, as, terminal);
    if (typeof subject === "string") return refuse(subject);
    const answer = judge(expression, subject);
    print(expression, answer, output, terminal);
    return "failure" in answer ? 1 : exitCode(answer.results);
  },
};

/** One evaluation, and of what. */
interface Result {
  readonly of: string | undefined;
  readonly evaluation: Evaluation;
}

/** What an expression comes to, or why it does not compile. */
type Answer =
  | { readonly failure: CompileFailure }
  | {
      readonly type: CelType;
      readonly estimate: bigint | undefined;
      readonly results: readonly Result[];
    };

async function subjectOf(
  { flags }: CommandArguments,
  as: SubjectKind | undefined,
  terminal: Terminal,
): Promise<Subject | string | undefined> {
  if (typeof flags.with !== "string") {
    const lone = ["old", "as", "schemas"].find((name) => flags[name] !== undefined);
    return lone === undefined ? undefined : `--${lone} needs --with FILE`;
  }
  const document = await readDocument(flags.with, terminal);
  if (!document.ok) return document.message;
  const old = typeof flags.old === "string" ? await readDocument(flags.old, terminal) : undefined;
  if (old?.ok === false) return old.message;
  const schemas = Array.isArray(flags.schemas) ? flags.schemas.map(String) : [];
  const definitions = withSchemas(allDefinitions(), schemas, terminal.cwd);
  if (!definitions.ok) return definitions.problems.join("\n");
  const kind = as ?? guessKind(document.value);
  const path = String(flags.path ?? "");
  const read = readSubject(document.value, old?.value, kind, path, definitions.value);
  return read.ok ? read.subject : `${flags.with}: ${read.message}`;
}

type ReadDocument =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

async function readDocument(path: string, terminal: Terminal): Promise<ReadDocument> {
  const fail = (message: string): ReadDocument => ({ ok: false, message: `${path}: ${message}` });
  const read =
    path === "-"
      ? { ok: true as const, bytes: await readStream(terminal.stdin) }
      : readInput(path, terminal.cwd);
  if (!read.ok) return fail(read.message);
  const source = readSource(read.bytes);
  if (!source.ok) return fail(source.message);
  const [document, ...more] = source.documents;
  if (document === undefined) return fail("holds no document");
  if (more.length > 0) return fail(`holds ${more.length + 1} documents; name a file with one`);
  return { ok: true, value: document.value };
}

function judge(expression: string, subject: Subject | undefined): Answer {
  if (subject?.kind === "device") {
    const compiled = new DeviceSelectors().compileAny(expression);
    if (!compiled.ok) return { failure: compiled };
    const { program } = compiled;
    const results = subject.devices.map(({ name, device }) => ({
      of: name,
      evaluation: evaluateDevice(program, device),
    }));
    const estimate = estimateCost(program.checked, DEVICE_SIZES).max;
    return { type: program.type, estimate, results };
  }
  const compiled = compileOver(expression, subject);
  if (!compiled.ok) return { failure: compiled };
  const { program } = compiled;
  const sized = subject?.sized;
  const estimate = sized && estimateCost(program.checked, sized).max;
  const isSchema = subject?.kind === "schema";
  const results = isSchema ? [] : [{ of: undefined, evaluation: evaluate(program, subject) }];
  return { type: program.type, estimate, results };
}

function compileOver(expression: string, subject: Subject | undefined): Compiled {
  const variables = new Map<string, CelType>();
  if (subject !== undefined && subject.kind !== "device") {
    variables.set("self", subject.type);
    if (subject.kind === "schema" || subject.oldSelf !== undefined) {
      variables.set("oldSelf", subject.type);
    }
  }
  const environment = new CelEnvironment({
    maxLength: MAX_LENGTH,
    bind: false,
    includes: false,
    costLimit: COST_LIMIT,
  });
  return environment.compile(expression, { variables, result: DYN });
}

function evaluate(program: Program, subject: Subject | undefined): Evaluation {
  const variables = new Map<string, unknown>();
  if (subject?.kind === "object") {
    variables.set("self", subject.self);
    if (subject.oldSelf !== undefined) variables.set("oldSelf", subject.oldSelf);
  }
  return program.evaluate(variables);
}

function exitCode(results: readonly Result[]): number {
  const holds = ({ evaluation }: Result) => evaluation.ok && evaluation.value !== false;
  return results.length === 0 || results.some(holds) ? 0 : 1;
}

function print(expression: string, answer: Answer, output: string, terminal: Terminal): void {
  if (output === "json") terminal.out(`${jsonOf(expression, answer)}\n`);
  else if ("failure" in answer) terminal.err(`${refusalText(expression, answer.failure)}\n`);
  else terminal.out(textOf(answer));
}

function refusalText(expression: string, failure: CompileFailure): string {
  const { issues, message, unjudged, stage } = failure;
  if (issues.length === 0) return message;
  const why = stage === "prepare" ? "fails when it is made ready to run:\n" : "";
  const may = unjudged ? "\nThe API server may accept it all the same." : "";
  const details = issues.flatMap(({ detail }) => (detail === undefined ? [] : [`\n${detail}`]));
  return why + formatIssues(expression, issues) + details.join("") + may;
}

function textOf(answer: Exclude<Answer, { failure: CompileFailure }>): string {
  const lines = [`type      ${formatType(answer.type)}`];
  for (const { of, evaluation } of answer.results) {
    if (of !== undefined) lines.push("", visible(of));
    if (evaluation.ok) lines.push(`value     ${celJson(evaluation.value)}`);
    else lines.push(`error     ${visible(evaluation.message)}`);
    lines.push(`cost      ${evaluation.cost}`);
  }
  if (answer.results.some(({ of }) => of !== undefined)) lines.push("");
  if (answer.estimate !== undefined) lines.push(`estimate  at most ${answer.estimate}`);
  return `${lines.join("\n")}\n`;
}

function jsonOf(expression: string, answer: Answer): string {
  const text = JSON.stringify(expression);
  if ("failure" in answer) {
    const { issues, message } = answer.failure;
    const placed = issues.map((issue) => ({
      ...placeOf(expression, issue.position),
      message: issue.message,
    }));
    const shown = issues.length === 0 ? [{ message }] : placed;
    return `{"expression":${text},"issues":${JSON.stringify(shown)}}`;
  }
  const results = answer.results.map(({ of, evaluation }) => {
    const name = of === undefined ? "" : `"of":${JSON.stringify(of)},`;
    const outcome = evaluation.ok
      ? `"value":${celJson(evaluation.value)}`
      : `"error":${JSON.stringify(evaluation.message)}`;
    return `{${name}${outcome},"cost":${evaluation.cost}}`;
  });
  const estimate = answer.estimate === undefined ? "" : `,"estimate":${answer.estimate}`;
  const type = JSON.stringify(formatType(answer.type));
  return `{"expression":${text},"type":${type},"results":[${results.join(",")}]${estimate}}`;
}
