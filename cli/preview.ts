import { createHandlers } from "../functions/handlers.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import { type KubeObject, listField, stringField } from "../kube/object.ts";
import { type Answerer, answerInProcess, drive, isOurFunction, passThrough } from "./answers.ts";
import type { Command, CommandArguments, Terminal } from "./command.ts";
import { EngineUnavailable, renderWithCore } from "./core/engine.ts";
import { problemLine } from "./documents.ts";
import { fleetWarnings } from "./fleet-check.ts";
import { bareClusterHint, missingHint } from "./preview-hints.ts";
import { loadPreview, type PreviewInput } from "./preview-input.ts";
import { complaints } from "./refusal.ts";
import { changes } from "./render/changes.ts";
import { renderChanges } from "./render/diff.ts";
import { visible } from "./render/text.ts";
import { renderTree } from "./render/tree.ts";
import { renderJson, renderYaml } from "./render/yaml.ts";
import { Cluster, controllerUid, objectId } from "./simulation/cluster.ts";
import {
  type Rules,
  type SimulatedComposite,
  type Simulation,
  simulate,
  type World,
} from "./simulation/simulate.ts";
import { standingNotes } from "./standing-notes.ts";
import { readAll } from "./validate.ts";
import { answerVia, FunctionUnavailable, grpcTarget } from "./via.ts";

const outputs = ["tree", "yaml", "json"];
const plainWidth = 80;

/** `sluice preview`: shows what composite resources become, without a cluster. */
export const preview: Command = {
  name: "preview",
  summary: "Show what composite resources become, without a cluster",
  help: `Show what composite resources (XRs) become: every object that Crossplane would
compose, on which cluster, whether it is ready, and why not.

Usage: sluice preview [FLAGS] PATH...

Each PATH is a YAML or JSON file, a directory of them, or - for standard input. XRs are told by
their kind; beside them may lie
  composition.yaml   the Composition; without one the XR's kind decides
  required.yaml      objects that are read, such as the InferenceCluster
  observed.yaml      composed objects that exist already, with their status
functions.yaml and expected* are left alone.

Flags:
      --cluster-state PATH  Further required and observed objects, such as what
                            \`kubectl get -o yaml\` prints. May be repeated.
      --assume ready        Treat objects on remote clusters as applied and healthy, so
                            that the stages that wait for them show.
      --diff OLD            Compare with OLD (a file or directory like PATH): what the
                            edit creates, changes, rolls (pods are replaced) or deletes.
      --engine core         Render each XR once with the reconciler of a real Crossplane, which
                            calls sluice over the loopback; what it composes is not
                            reconciled in turn.
      --crossplane PATH     Crossplane's core binary for that (default: CROSSPLANE_BINARY).
      --via grpc://HOST:PORT
                            Call a function server there (started with --insecure)
                            instead of composing in this process.
  -o, --output FORMAT       tree (default), yaml (as \`crossplane composition render -x -r\`
                            prints it) or json.
  -h, --help                Show this text.

Examples:
  sluice preview examples/quickstart
  sluice preview --assume ready examples/quickstart
  kubectl get inferenceclusters -o yaml | sluice preview xr.yaml --cluster-state -
  sluice preview new/ --diff old/

Exit codes: 0 shown (with --diff: nothing changes); 1 the API server or sluice refuses an XR, its
pipeline fails, or with --diff one is held or lacks something it needs; 2 the command line or an
input file cannot be understood; 3 with --diff: something changes.
`,
  options: {
    "cluster-state": { type: "string", multiple: true },
    assume: { type: "string" },
    diff: { type: "string" },
    engine: { type: "string" },
    crossplane: { type: "string" },
    via: { type: "string" },
    output: { type: "string", short: "o" },
  },
  choices: { assume: ["ready"], engine: ["core"], output: outputs },
  positionals: "directories",
  run: runPreview,
};

interface Wanted {
  readonly paths: readonly string[];
  readonly clusterState: readonly string[];
  readonly assumeReady: boolean;
  readonly diff: string | undefined;
  /** Crossplane's core binary, to render with instead of the simulation. */
  readonly core: string | undefined;
  /** `HOST:PORT` of a function server. */
  readonly via: string | undefined;
  readonly output: string;
}

async function runPreview(arguments_: CommandArguments, terminal: Terminal): Promise<number> {
  const wanted = readArguments(arguments_, terminal.env);
  if (typeof wanted === "string") {
    terminal.err(`sluice preview: ${wanted}\nRun \`sluice preview --help\` for its flags.\n`);
    return 2;
  }
  const definitions = shippedDefinitions();
  const handlers = createHandlers(definitions);
  const reads = [...wanted.paths, ...wanted.clusterState, wanted.diff].includes("-");
  const stdin = reads ? await readAll(terminal.stdin) : new Uint8Array();
  const load = (paths: readonly string[]) =>
    loadPreview(paths, wanted.clusterState, terminal.cwd, stdin, handlers, definitions);
  const input = load(wanted.paths);
  const old = wanted.diff === undefined ? undefined : load([wanted.diff]);
  const problems = [...input.problems, ...(old?.problems ?? [])];
  for (const problem of problems) terminal.err(`${problemLine(problem)}\n`);
  if (problems.length > 0) return 2;
  for (const line of fleetWarnings(input.documents, definitions)) terminal.err(`${line}\n`);
  for (const warning of input.warnings) terminal.err(`warning: ${visible(warning)}\n`);

  const refused = new Set<string>();
  for (const document of [...input.composites, ...(old?.composites ?? [])]) {
    const { invalid, warnings } = complaints(document, definitions);
    for (const line of [...invalid, ...warnings]) terminal.err(`${line}\n`);
    if (invalid.length > 0) refused.add(objectId(document.object));
  }
  const admitted = (world: World): World => ({
    ...world,
    composites: world.composites.filter((object) => !refused.has(objectId(object))),
  });

  const notes = new Set<string>();
  const server = wanted.via === undefined ? undefined : answerVia(wanted.via);
  const bare = bareClusterHint(input.world);
  if (bare !== undefined) notes.add(bare);
  const { composites, others } = input.world;
  const answer = onlyOurs(
    server?.answer ?? answerInProcess(handlers),
    [...composites, ...others],
    notes,
  );
  const run = (world: World, { steps }: PreviewInput) => {
    if (wanted.core !== undefined) {
      return renderWithCore(world, { binary: wanted.core, handlers, definitions, steps });
    }
    const rules: Rules = { steps, definitions, assumeReady: wanted.assumeReady };
    return drive(simulate(world, rules), answer);
  };
  let before: Simulation | undefined;
  let simulation: Simulation;
  try {
    before = old === undefined ? undefined : await run(admitted(old.world), old);
    const world = admitted(input.world);
    const kept = new Set(input.world.composites.map(objectId));
    simulation = await run(before === undefined ? world : continued(world, before, kept), input);
  } catch (error) {
    const told = error instanceof FunctionUnavailable || error instanceof EngineUnavailable;
    if (!told) throw error;
    terminal.err(`sluice preview: ${error.message}\n`);
    return 2;
  } finally {
    server?.close();
  }
  for (const note of notes) terminal.err(`${visible(note)}\n`);
  return show(simulation, before, refused, wanted, terminal);
}

function show(
  simulation: Simulation,
  before: Simulation | undefined,
  refused: ReadonlySet<string>,
  { output }: Wanted,
  terminal: Terminal,
): number {
  const { colour, width } = terminal;
  const options = { colour, width: width ?? plainWidth, shortens: width !== undefined };
  const wrong =
    refused.size > 0 ||
    simulation.refused.length > 0 ||
    simulation.composites.some(specRefused) ||
    !simulation.settled ||
    simulation.composites.some(({ error }) => error !== undefined);
  if (before !== undefined) {
    const list = changes(before, simulation, refused);
    const earlier = new Map(before.composites.map((one) => [objectId(one.composite), one.results]));
    const notes = simulation.composites.flatMap((one) => {
      return standingNotes(one, earlier.get(objectId(one.composite)));
    });
    for (const { text, blocks } of notes) {
      terminal.err(`${blocks ? "" : "note: "}${visible(text)}\n`);
    }
    const json = () => `${JSON.stringify({ changes: list }, null, 2)}\n`;
    terminal.out(output === "json" ? json() : renderChanges(list, [before, simulation], options));
    return wrong || notes.some(({ blocks }) => blocks) ? 1 : list.length === 0 ? 0 : 3;
  }
  if (simulation.composites.length > 0 || output === "json") {
    const print = { yaml: renderYaml, json: renderJson }[output];
    terminal.out(print === undefined ? renderTree(simulation, options) : print(simulation));
  }
  return wrong ? 1 : 0;
}

/** Whether our function refuses the spec of a composite that the API server takes. */
function specRefused({ composite }: SimulatedComposite): boolean {
  return listField(composite, "status", "conditions").some(
    (condition) =>
      stringField(condition, "status") === "False" &&
      /^Invalid/.test(stringField(condition, "reason") ?? ""),
  );
}

/** The flags and arguments, or what is wrong with them. */
function readArguments(
  { flags, positionals }: CommandArguments,
  env: Terminal["env"],
): Wanted | string {
  const text = (name: string) => (typeof flags[name] === "string" ? flags[name] : undefined);
  const { "cluster-state": state = [] } = flags;
  const output = text("output") ?? "tree";
  if (positionals.length === 0) return "needs a file or a directory to preview";
  if (!outputs.includes(output)) return `--output is one of ${outputs.join(", ")}, not "${output}"`;
  const assume = text("assume");
  if (assume !== undefined && assume !== "ready") {
    return `--assume knows only "ready", not "${assume}"`;
  }
  const engine = text("engine");
  if (engine !== undefined && engine !== "core") {
    return `--engine knows only "core", not "${engine}"`;
  }
  const crossplane = text("crossplane") ?? env.CROSSPLANE_BINARY;
  if (engine === "core" && (crossplane === undefined || crossplane === "")) {
    return "--engine core needs Crossplane's core binary: give --crossplane PATH, or set CROSSPLANE_BINARY";
  }
  if (engine === undefined && text("crossplane") !== undefined) {
    return "--crossplane is for --engine core";
  }
  const alone = ["assume", "diff", "via"].find((flag) => flags[flag] !== undefined);
  if (engine === "core" && alone !== undefined) return `--engine core goes without --${alone}`;
  const via = text("via");
  const target = via === undefined ? undefined : grpcTarget(via);
  if (via !== undefined && target === undefined) {
    return `--via is an address like grpc://localhost:9443, not "${via}"`;
  }
  const diff = text("diff");
  if (diff !== undefined && output === "yaml") return "--diff prints a tree or JSON, not YAML";
  return {
    paths: positionals,
    clusterState: Array.isArray(state) ? state.map(String) : [],
    assumeReady: assume === "ready",
    diff,
    core: engine === "core" ? crossplane : undefined,
    via: target,
    output,
  };
}

/** Leaves out the steps of functions that are not ours; notes which, and what was asked for in vain. */
function onlyOurs(answer: Answerer, objects: readonly KubeObject[], notes: Set<string>): Answerer {
  return async (request) => {
    const { step, functionName } = request.step;
    if (!isOurFunction(functionName)) {
      const why = `it runs ${functionName}, which a preview does not have`;
      notes.add(`warning: step "${step}" is left out: ${why}`);
      return passThrough(request);
    }
    const answered = await answer(request);
    for (const [requirement, selector] of Object.entries(answered.requirements)) {
      if (request.required.get(requirement)?.length !== 0) continue;
      const hint = missingHint(selector, objects);
      if (hint !== undefined) notes.add(hint);
    }
    return answered;
  };
}

/**
 * A world after an edit: the composites go on from the state in which the world before it ended. What
 * nobody composed and is not among those that are kept is deleted, with all that it composed.
 */
function continued(world: World, before: Simulation, kept: ReadonlySet<string>): World {
  const cluster = new Cluster(before.objects);
  for (const { composite, composedAs } of before.composites) {
    if (composedAs === undefined && !kept.has(objectId(composite))) cluster.remove(composite);
  }
  const stored = new Map(cluster.objects().map((object) => [objectId(object), object]));
  const composites = world.composites.map((object) => {
    const old = stored.get(objectId(object));
    const uid = old?.metadata?.uid;
    if (old === undefined || uid === undefined) return object;
    return {
      ...object,
      metadata: { ...object.metadata, uid },
      status: old.status ?? object.status,
    };
  });
  const observed = cluster.objects().filter((object) => controllerUid(object) !== undefined);
  return { ...world, composites, observed };
}
