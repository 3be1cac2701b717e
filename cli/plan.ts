import type { DecisionModel } from "../api/gen/decisionmodels.ts";
import { KINDS } from "../evaluator/controller/kinds.ts";
import { systemClock } from "../evaluator/engine/clock.ts";
import { ApiClient } from "../evaluator/kubernetes/api-client.ts";
import { openConnection } from "../evaluator/kubernetes/connection.ts";
import { optionFlags, readOptions } from "../evaluator/options.ts";
import { type Plan, planRollout, type RolloutPlan } from "../evaluator/rollout/plan.ts";
import { allDefinitions } from "../functions/shipped.ts";
import type { KubeObject } from "../kube/object.ts";
import type { Command, CommandArguments, Terminal } from "./command.ts";
import { visible } from "./render/text.ts";
import { readValueFile } from "./value-file.ts";

const REFUSED = 1;
const USAGE_ERROR = 2;
const DECISION_MODEL = "decisionmodel.io/v1alpha1/DecisionModel";

/** The evaluator's flags that decide what a spec means. */
const { "ollaya-registry": registry, "allowed-registries": allowed, ...rest } = optionFlags;
const {
  "allow-insecure-registries": insecure,
  "allow-image-override": override,
  "allow-unpinned-runtime-images": unpinned,
  "runtime-images": images,
} = rest;

const help = `Usage: sluice plan FILE [--against FILE | --kubeconfig FILE] [FLAGS]

Says what an edited DecisionModel would lead to before it is applied: whether a roll-out begins and
which field did it, what is downloaded, what it costs in volumes and pods, whether it is evaluated,
and whether a person must approve it. FILE is the edited DecisionModel; what is there now, with its
status, comes from another file (kubectl get -o yaml) or from the cluster. Without either it is
taken for a new one. No registry is asked.

Flags:
      --against FILE       The DecisionModel as it is now, with its status.
      --kubeconfig FILE    Read it from this cluster instead.
      --ollaya-registry, --allowed-registries, --allow-insecure-registries, --allow-image-override,
      --allow-unpinned-runtime-images, --runtime-images
                           What the evaluator there is started with (see sluice evaluator --help).
  -h, --help               Show this text.

Examples:
  sluice plan triage.yaml --against <(kubectl get decisionmodel triage -o yaml)
  sluice plan triage.yaml --kubeconfig ~/.kube/config

Exit codes: 0 planned, 1 the API server or the evaluator would refuse it, 2 wrong flags or files.
`;

/** `sluice plan`: what an edit of a DecisionModel would lead to. */
export const plan: Command = {
  name: "plan",
  summary: "Say what an edited DecisionModel would lead to",
  help,
  options: {
    against: { type: "string" },
    kubeconfig: { type: "string" },
    "ollaya-registry": registry,
    "allowed-registries": allowed,
    "allow-insecure-registries": insecure,
    "allow-image-override": override,
    "allow-unpinned-runtime-images": unpinned,
    "runtime-images": images,
  },
  positionals: "files",
  async run(arguments_, terminal) {
    const planned = await planOf(arguments_, terminal);
    if (typeof planned === "string") {
      terminal.err(`sluice plan: ${planned}\n`);
      return USAGE_ERROR;
    }
    const { name, result } = planned;
    terminal.out(describe(name, result));
    return "refused" in result || result.state === "refused" ? REFUSED : 0;
  },
};

interface Refused {
  readonly refused: readonly string[];
}

async function planOf(
  { flags, positionals }: CommandArguments,
  terminal: Terminal,
): Promise<{ readonly name: string; readonly result: Plan | Refused } | string> {
  const [file, another] = positionals;
  if (file === undefined) return "name the file of a DecisionModel";
  if (another !== undefined) return `unexpected argument "${another}": give one file`;
  const { against, kubeconfig, "runtime-images": imageFile } = flags;
  if (against !== undefined && kubeconfig !== undefined) {
    return "--against and --kubeconfig both say what is there now: give one";
  }
  const imageList =
    typeof imageFile === "string" ? readValueFile(imageFile, terminal.cwd) : undefined;
  if (imageList?.ok === false) return `--runtime-images ${imageFile} ${imageList.error}`;
  const options = readOptions(flags, terminal.env, imageList?.value);
  if (typeof options === "string") return options;
  const edited = readModel(file, terminal.cwd);
  if (typeof edited === "string") return edited;
  const there = await readThere(flags, edited, terminal);
  if (typeof there === "string") return there;
  const definition = allDefinitions().get(DECISION_MODEL);
  if (definition === undefined) throw new Error("DecisionModels are shipped");
  const { status: _, ...spec } = edited;
  const checked = definition.check(spec as KubeObject, "object", there);
  const name = edited.metadata?.name ?? "";
  if (checked.findings.length > 0) {
    return {
      name,
      result: { refused: checked.findings.map(({ field, message }) => `${field}: ${message}`) },
    };
  }
  const model = {
    ...checked.object,
    ...(there?.status === undefined ? {} : { status: there.status }),
  } as unknown as DecisionModel;
  return { name, result: planRollout(model, options.settings) };
}

function readModel(file: string, cwd: string): KubeObject | string {
  const read = readValueFile(file, cwd);
  if (!read.ok) return `${file} ${read.error}`;
  const object = read.value as KubeObject | null;
  if (`${object?.apiVersion}/${object?.kind}` === DECISION_MODEL) return object as KubeObject;
  return `${file} holds no DecisionModel of decisionmodel.io/v1alpha1`;
}

/** The DecisionModel as it is now; nothing where there is none. */
async function readThere(
  { against, kubeconfig }: CommandArguments["flags"],
  { metadata }: KubeObject,
  terminal: Terminal,
): Promise<KubeObject | undefined | string> {
  if (typeof against === "string") return readModel(against, terminal.cwd);
  if (typeof kubeconfig !== "string") return undefined;
  const connection = await openConnection({ kubeconfig, clock: systemClock });
  if (typeof connection === "string") return connection;
  const end = new AbortController();
  const { signal } = end;
  const client = new ApiClient({ connection, clock: systemClock, random: Math.random, signal });
  const namespace = metadata?.namespace ?? connection.namespace ?? "default";
  const found = await client.get(KINDS.DecisionModel, namespace, metadata?.name ?? "");
  end.abort();
  if (found.ok) return found.value;
  return found.problem.reason === "NotFound" ? undefined : found.problem.message;
}

function describe(name: string, result: Plan | Refused): string {
  if ("refused" in result) {
    return `DecisionModel ${name} would be refused:\n${lines(result.refused)}`;
  }
  switch (result.state) {
    case "refused":
      return `DecisionModel ${name} would mean no revision; what serves goes on serving.\n${lines([`${result.reason}: ${result.message}`])}`;
    case "unchanged":
      return `DecisionModel ${name}: no roll-out, the spec means what serves.\n${lines(abandoned(result.abandons))}`;
    case "failed-before":
      return `DecisionModel ${name}: nothing happens, since this revision failed before.\n${lines([
        `${result.failed.model} ${result.failed.hash}: set the annotation decisionmodel.io/retry to a new value to try it again`,
      ])}`;
    case "rolls-out":
      return describeRollout(name, result);
  }
}

function describeRollout(name: string, planned: RolloutPlan): string {
  const { changes, stable, claim, pods, digest, model, evaluates, approval, stops } = planned;
  const because =
    stable === undefined
      ? ["it is the first revision"]
      : changes.map(({ field, from, to }) => `${field}: ${from} -> ${to}`);
  const gpus = pods.device === "cuda" ? `, ${pods.atOnce} GPUs` : "";
  const next = stable === undefined ? "then it serves" : "then it replaces what serves";
  return `DecisionModel ${name}: a roll-out begins.\n${lines([
    ...because,
    ...abandoned(planned.abandons),
    digest === undefined
      ? `downloads ${model}; the registry is asked what the tag means when it begins`
      : `downloads ${model} with the digest ${digest.slice(0, 12)}`,
    `makes a volume of ${claim.size} (${claim.modes}), ${claim.name}`,
    `runs ${pods.atOnce} ${pods.atOnce === 1 ? "pod" : "pods"} at most (${pods.replicas} of the new revision)${gpus}`,
    ...(stops
      ? ["stops what serves before the new revision starts: nothing serves meanwhile"]
      : []),
    evaluates ? "evaluates it on the dataset" : "evaluates nothing",
    approval ? `waits for a person's approval, ${next}` : next,
  ])}`;
}

function abandoned(candidate: { readonly model: string } | undefined): readonly string[] {
  return candidate === undefined ? [] : [`gives the candidate ${candidate.model} up`];
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${visible(text)}\n`).join("");
}
