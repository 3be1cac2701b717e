import { resolve } from "node:path";
import { MODEL_DEPLOYMENT } from "../api/model-deployment.ts";
import { createHandlers } from "../functions/handlers.ts";
import { createScheduler } from "../functions/model-deployment/scheduling/schedule.ts";
import { createRefusals } from "../functions/model-replica/refusals.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import type { KubeObject } from "../kube/object.ts";
import type { Command, CommandArguments, Terminal } from "./command.ts";
import {
  type InputProblem,
  joined,
  loadDocuments,
  type ManifestDocument,
  problemLine,
} from "./documents.ts";
import { explainDeployment } from "./explain/answer.ts";
import { ControlPlaneError, openControlPlane } from "./explain/control-plane.ts";
import { deriveStatuses, isBareCluster } from "./explain/derived-status.ts";
import {
  FLEET_KINDS,
  type FleetLoaded,
  isKind,
  loadFleet,
  readFleet,
} from "./explain/fleet-input.ts";
import { readQuestion } from "./explain/question.ts";
import { refusal, renderRefusal } from "./explain/refusal.ts";
import { renderExplanation } from "./explain/text.ts";
import { applyWhatIf, parseWhatIf, WHAT_IF_FORMS, type WhatIf } from "./explain/what-if.ts";
import { fleetWarnings } from "./fleet-check.ts";
import { complaints } from "./refusal.ts";
import { visible } from "./render/text.ts";
import { readAll } from "./validate.ts";

const outputs = ["text", "json"];
const plainWidth = 100;
const MODEL_DEPLOYMENT_ID = `${MODEL_DEPLOYMENT.apiVersion}/${MODEL_DEPLOYMENT.kind}`;

/** `sluice explain`: tells why a deployment's replicas are where they are, and what a change would move. */
export const explain: Command = {
  name: "explain",
  summary: "Tell why replicas are placed where they are, and what a change would move",
  help: `Tell why a ModelDeployment's replicas are where they are: for each cluster, node pool and
engine the first thing that keeps one more replica away, the device that comes nearest, the nodes
that are needed and free, and who holds them; then what moves by itself from there.

Usage: sluice explain DEPLOYMENT --fleet PATH|--kubeconfig FILE [FLAGS]

DEPLOYMENT is a YAML or JSON file, - for standard input or, with --kubeconfig, also NAMESPACE/NAME.

Flags:
      --fleet PATH       A file or directory with the InferenceClusters, and with the
                         InferenceClasses, ModelReplicas and ModelCaches beside them. A cluster
                         without a status is taken as if it were there and ready. May be repeated.
      --kubeconfig FILE  Read the fleet from the control plane of its current context, which needs
                         get and list on modelplane.ai and changes nothing.
      --what-if CHANGE   Try a change before explaining. May be repeated.
                           ${WHAT_IF_FORMS["add-cluster"].padEnd(28)}add the InferenceClusters of FILE
                           ${WHAT_IF_FORMS.drain.padEnd(28)}taint it NoExecute
                           ${WHAT_IF_FORMS.replicas.padEnd(28)}want N replicas
                           ${WHAT_IF_FORMS.copies.padEnd(28)}want N copies of an engine
                           ${WHAT_IF_FORMS.price.padEnd(28)}price a pool's node hour
  -o, --output FORMAT    text (default) or json.
  -h, --help             Show this text.

Examples:
  sluice explain deployment.yaml --fleet fleet/
  sluice explain ml-team/chat --kubeconfig ~/.kube/config
  sluice explain deployment.yaml --fleet fleet/ --what-if drain=paris --what-if replicas=5

Exit codes: 0 every replica has a place in the end; 1 one has none or can't stay where it is, or
the deployment is refused; 2 the command line or an input file cannot be understood, or the control
plane can't be read.
`,
  options: {
    fleet: { type: "string", multiple: true },
    kubeconfig: { type: "string" },
    "what-if": { type: "string", multiple: true },
    output: { type: "string", short: "o" },
  },
  choices: { output: outputs },
  positionals: "files",
  run: runExplain,
};

interface Wanted {
  readonly deployment: string;
  readonly fleet: readonly string[];
  readonly kubeconfig: string | undefined;
  readonly whatIf: readonly { readonly text: string; readonly change: WhatIf }[];
  readonly output: string;
}

async function runExplain(arguments_: CommandArguments, terminal: Terminal): Promise<number> {
  const wanted = readArguments(arguments_);
  if (typeof wanted === "string") {
    terminal.err(`sluice explain: ${wanted}\nRun \`sluice explain --help\` for its flags.\n`);
    return 2;
  }
  let loaded: FleetLoaded;
  try {
    loaded = await load(wanted, terminal);
  } catch (error) {
    if (!(error instanceof ControlPlaneError)) throw error;
    terminal.err(`sluice explain: ${visible(error.message)}\n`);
    return 2;
  }
  if ("problems" in loaded) return refuse(loaded.problems, terminal);
  for (const note of loaded.notes) terminal.err(`note: ${visible(note)}\n`);

  const definitions = shippedDefinitions();
  const { invalid, warnings } =
    loaded.document === undefined
      ? { invalid: [], warnings: [] }
      : complaints({ ...loaded.document, object: loaded.deployment }, definitions);
  for (const line of [...invalid, ...warnings]) terminal.err(`${line}\n`);
  if (invalid.length > 0) return 1;
  const added = addedClusters(wanted, loaded.objects, terminal.cwd);
  if ("problems" in added) return refuse(added.problems, terminal);
  const documents = [...loaded.documents, ...added.documents];
  const refusedClusters = documents
    .filter(({ object }) => isBareCluster(object))
    .flatMap((document) => {
      return complaints(document, definitions).invalid;
    });
  for (const line of [...fleetWarnings(documents, definitions), ...refusedClusters]) {
    terminal.err(`${line}\n`);
  }
  if (refusedClusters.length > 0) return 1;

  const handlers = createHandlers(definitions);
  const derived = await deriveStatuses(
    [...loaded.objects, ...added.objects],
    definitions,
    handlers,
  );
  for (const note of derived.notes) terminal.err(`note: ${visible(note)}\n`);
  for (const problem of derived.problems) terminal.err(`${visible(problem)}\n`);
  if (derived.problems.length > 0) return 1;
  const checked = definitions.get(MODEL_DEPLOYMENT_ID)?.check(loaded.deployment);
  if (checked === undefined) throw new Error(`${MODEL_DEPLOYMENT_ID} is not defined`);
  const deployment = checked.object;
  const question = readQuestion(checked, derived.objects, createRefusals());
  const { name = "", namespace = "" } = deployment.metadata ?? {};
  const { colour, width = plainWidth } = terminal;
  if (!question.ok) {
    const refused = refusal(deployment, question, derived.objects);
    const text = () => renderRefusal(refused, { colour, width });
    terminal.out(wanted.output === "json" ? json(refused) : text());
    return 1;
  }
  let { snapshot } = question;
  for (const { change } of wanted.whatIf) {
    const changed = applyWhatIf(snapshot, change);
    if (typeof changed === "string") {
      terminal.err(`sluice explain: ${visible(changed)}\n`);
      return 2;
    }
    snapshot = changed;
  }
  for (const object of added.objects) {
    const { metadata } = object;
    const selected = snapshot.clusters.some((cluster) => cluster.name === metadata?.name);
    if (selected || !isKind(object, FLEET_KINDS.cluster)) continue;
    terminal.err(
      `note: InferenceCluster ${visible(metadata?.name ?? "")} is added and not selected: its labels do not match the deployment's clusterSelector, or its ModelCache's\n`,
    );
  }
  const explained = explainDeployment(snapshot, createScheduler(), {
    deployment: { namespace, name },
    whatIf: wanted.whatIf.map(({ text }) => text),
    assumed: derived.assumed,
  });
  terminal.out(
    wanted.output === "json" ? json(explained) : renderExplanation(explained, { colour, width }),
  );
  const { missing, held, settled } = explained.end;
  return missing === 0 && held === 0 && settled ? 0 : 1;
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

function refuse(problems: readonly InputProblem[], terminal: Terminal): number {
  for (const problem of problems) terminal.err(`${problemLine(problem)}\n`);
  return 2;
}

async function load(wanted: Wanted, terminal: Terminal): Promise<FleetLoaded> {
  const { deployment, fleet, kubeconfig } = wanted;
  const reads = [deployment, ...fleet].includes("-");
  const stdin = reads ? await readAll(terminal.stdin) : new Uint8Array();
  if (kubeconfig === undefined) return loadFleet(deployment, fleet, terminal.cwd, stdin);
  return readFleet(
    deployment,
    await openControlPlane(resolve(terminal.cwd, kubeconfig)),
    terminal.cwd,
    stdin,
  );
}

/** The clusters that `add-cluster` adds, and the classes beside them. */
function addedClusters(
  { whatIf }: Wanted,
  objects: readonly KubeObject[],
  cwd: string,
):
  | { readonly objects: readonly KubeObject[]; readonly documents: readonly ManifestDocument[] }
  | { readonly problems: readonly InputProblem[] } {
  const files = whatIf.flatMap(({ change }) => (change.type === "add-cluster" ? change.file : []));
  const { documents, problems } = joined(
    files.map((file) => loadDocuments(file, cwd, new Uint8Array())),
  );
  const clusters = documents.filter(({ object }) => isKind(object, FLEET_KINDS.cluster));
  const known = new Set(
    objects.filter((one) => isKind(one, FLEET_KINDS.cluster)).map(({ metadata }) => metadata?.name),
  );
  const found: InputProblem[] = [...problems];
  for (const { object, file, line } of clusters) {
    const name = object.metadata?.name;
    if (known.has(name)) {
      const message = `the fleet has an InferenceCluster "${name}" already; give the new one another name`;
      found.push({ file, line, message });
    }
    known.add(name);
  }
  for (const file of files) {
    if (problems.length > 0 || clusters.some((one) => one.file.startsWith(file))) continue;
    found.push({ file, message: "has no InferenceCluster to add" });
  }
  if (found.length > 0) return { problems: found };
  const kinds = [FLEET_KINDS.cluster, FLEET_KINDS.class];
  const added = documents.filter(({ object }) => kinds.some((kind) => isKind(object, kind)));
  return { objects: added.map(({ object }) => object), documents: added };
}

/** The flags and arguments, or what is wrong with them. */
function readArguments({ flags, positionals }: CommandArguments): Wanted | string {
  const list = (name: string) => {
    const given = flags[name];
    return Array.isArray(given) ? given.map(String) : [];
  };
  const [deployment, ...more] = positionals;
  const fleet = list("fleet");
  const kubeconfig = typeof flags.kubeconfig === "string" ? flags.kubeconfig : undefined;
  const output = typeof flags.output === "string" ? flags.output : "text";
  if (deployment === undefined) return "needs the ModelDeployment to explain";
  if (more.length > 0) return `explains one ModelDeployment, but was given "${more[0]}" too`;
  if (fleet.length === 0 && kubeconfig === undefined) {
    return "needs the fleet: --fleet PATH or --kubeconfig FILE";
  }
  if (fleet.length > 0 && kubeconfig !== undefined) {
    return "takes the fleet from --fleet or from --kubeconfig, not from both";
  }
  if (!outputs.includes(output)) return `--output is one of ${outputs.join(", ")}, not "${output}"`;
  const whatIf: Wanted["whatIf"][number][] = [];
  for (const text of list("what-if")) {
    const change = parseWhatIf(text);
    if (typeof change === "string") return change;
    whatIf.push({ text, change });
  }
  return { deployment, fleet, kubeconfig, whatIf, output };
}
