import type { Handler } from "../functions/composition/composition.ts";
import { field, isRecord, type KubeObject, listField, stringField } from "../kube/object.ts";
import type { Definitions } from "../schema/definitions.ts";
import { nearestName } from "../schema/nearest-name.ts";
import { isOurFunction } from "./answers.ts";
import {
  fileName,
  type InputProblem,
  joined,
  loadDocuments,
  type ManifestDocument,
} from "./documents.ts";
import { objectId } from "./simulation/cluster.ts";
import { KEY_ANNOTATION } from "./simulation/composed.ts";
import type { World } from "./simulation/simulate.ts";
import type { Step } from "./simulation/step.ts";

/** Everything a preview reads, sorted by its role. */
export interface PreviewInput {
  readonly world: World;
  /** Where each composite stands, to point at its findings. */
  readonly composites: readonly ManifestDocument[];
  steps(apiVersion: string, kind: string): readonly Step[] | undefined;
  readonly problems: readonly InputProblem[];
  /** The objects that are only read, where they stand. */
  readonly documents: readonly ManifestDocument[];
  /** What was left out, and why; the preview goes on. */
  readonly warnings: readonly string[];
}

/** Files of an example that are not input. */
const outputFile = /^(expected|functions)\b/;

/**
 * Loads XRs, Compositions, required and observed objects. In a directory the names `required*` and
 * `observed*` tell an object's role, elsewhere its kind and its annotations do.
 */
export function loadPreview(
  paths: readonly string[],
  clusterState: readonly string[],
  cwd: string,
  stdin: Uint8Array,
  handlers: readonly Handler[],
  definitions: Definitions,
): PreviewInput {
  const inNamespace = (object: KubeObject) => inDefaultNamespace(object, definitions);
  const wants = (name: string) => !outputFile.test(name);
  const given = joined([...new Set(paths)].map((path) => loadDocuments(path, cwd, stdin, wants)));
  const state = joined(clusterState.map((path) => loadDocuments(path, cwd, stdin)));
  const compositions = given.documents.filter(({ object }) => isComposition(object));
  const pipelines = compositions.map(readPipeline);
  const steps = stepsFor(pipelines, handlers);
  const composites: ManifestDocument[] = [];
  const observed: KubeObject[] = [];
  const others: KubeObject[] = [];
  const unknown: ManifestDocument[] = [];
  for (const document of given.documents) {
    const { object } = document;
    const name = fileName(document);
    if (isComposition(object) || isMachinery(object)) continue;
    if (name.startsWith("observed") || isComposed(object)) observed.push(object);
    else if (name.startsWith("required")) others.push(object);
    else if (steps(object.apiVersion, object.kind) !== undefined) composites.push(document);
    else if (name.startsWith("xr")) unknown.push(document);
    else others.push(object);
  }
  const live = state.documents.map(({ object }) => object);
  const current = new Map(live.map((object) => [objectId(object), object]));
  const applied = composites.map(({ object }) => withLiveState(inNamespace(object), current));
  const ids = new Set(applied.map(objectId));
  for (const object of live) {
    if (isComposed(object)) observed.push(object);
    else if (!ids.has(objectId(object))) others.push(object);
  }
  const unreadable = [...given.problems, ...state.problems];
  return {
    world: { composites: applied, observed, others },
    documents: [...given.documents.filter((one) => !composites.includes(one)), ...state.documents],
    composites: composites.map((document) => ({
      ...document,
      object: inNamespace(document.object),
    })),
    steps,
    problems: [
      ...unreadable,
      ...pipelines.flatMap(({ problems }) => problems),
      ...pipelines.flatMap((pipeline) => foreignProblem(pipeline, handlers)),
      ...composites.flatMap(nameProblem),
      ...observedProblems(given.documents),
      ...unknownProblems(unknown, handlers),
      ...(composites.length === 0 && unknown.length === 0 && unreadable.length === 0
        ? [
            {
              file: paths.join(", "),
              message: `has no composite resource (what lies in directories below is not read); sluice composes ${served(handlers)}${decisionModelHint(given.documents)}`,
            },
          ]
        : []),
    ],
    warnings: [...doubleCompositions(pipelines), ...unusedCompositions(pipelines, composites)],
  };
}

/** Where to go with a DecisionModel, which nothing is composed of. */
function decisionModelHint(documents: readonly ManifestDocument[]): string {
  return documents.some(({ object }) => object.kind === "DecisionModel")
    ? "; DecisionModels are rolled out by the evaluator: see sluice plan and sluice rollout"
    : "";
}

const isComposition = ({ apiVersion, kind }: KubeObject) =>
  apiVersion.startsWith("apiextensions.crossplane.io/") && kind === "Composition";

/** Crossplane's own objects that may lie beside an XR and need no preview. */
const isMachinery = ({ apiVersion, kind }: KubeObject) =>
  apiVersion.startsWith("pkg.crossplane.io/") ||
  (apiVersion.startsWith("apiextensions.crossplane.io/") && kind === "CompositeResourceDefinition");

const isComposed = ({ metadata }: KubeObject) =>
  metadata?.annotations?.[KEY_ANNOTATION] !== undefined;

interface Pipeline {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly steps: readonly Step[];
  readonly problems: readonly InputProblem[];
  readonly file: string;
  readonly line: number;
}

function readPipeline({ object, file, line }: ManifestDocument): Pipeline {
  const name = object.metadata?.name ?? "";
  const problems: InputProblem[] = [];
  const report = (message: string) =>
    problems.push({ file, line, message: `Composition ${name}: ${message}` });
  const type = (key: string) => stringField(object, "spec", "compositeTypeRef", key) ?? "";
  if (type("apiVersion") === "" || type("kind") === "") {
    report("spec.compositeTypeRef needs apiVersion and kind");
  }
  if (stringField(object, "spec", "mode") !== "Pipeline") report("spec.mode must be Pipeline");
  const steps = listField(object, "spec", "pipeline").flatMap((step, at) => {
    const functionName = stringField(step, "functionRef", "name");
    const input = field(step, "input");
    const stepName = stringField(step, "step");
    if (functionName === undefined || stepName === undefined) {
      report(`spec.pipeline[${at}] needs step and functionRef.name`);
      return [];
    }
    return [
      { step: stepName, functionName, input: isRecord(input) ? (input as KubeObject) : undefined },
    ];
  });
  if (steps.length === 0) report("spec.pipeline has no steps");
  return { name, apiVersion: type("apiVersion"), kind: type("kind"), steps, problems, file, line };
}

/** The pipeline of a kind: its Composition's where one was given, else the one step that we ship. */
function stepsFor(pipelines: readonly Pipeline[], handlers: readonly Handler[]) {
  return (apiVersion: string, kind: string): readonly Step[] | undefined => {
    const of = (one: { apiVersion: string; kind: string }) =>
      one.apiVersion === apiVersion && one.kind === kind;
    const given = pipelines.find(of);
    if (given !== undefined) return given.steps;
    if (!handlers.some(of)) return undefined;
    return [{ step: "compose", functionName: "function-sluice", input: undefined }];
  };
}

/** A Composition of a kind of ours that never calls us would compose nothing, and look ready. */
function foreignProblem(
  { name, apiVersion, kind, steps, file, line }: Pipeline,
  handlers: readonly Handler[],
): readonly InputProblem[] {
  const ours = handlers.some((one) => one.apiVersion === apiVersion && one.kind === kind);
  if (!ours || steps.some(({ functionName }) => isOurFunction(functionName))) return [];
  const found = steps.map(({ functionName }) => functionName).join(", ");
  if (found === "") return [];
  const message = `Composition ${name}: no step of its pipeline runs function-sluice; found ${found}`;
  return [{ file, line, message }];
}

function unusedCompositions(
  pipelines: readonly Pipeline[],
  composites: readonly ManifestDocument[],
): readonly string[] {
  const used = ({ apiVersion, kind }: Pipeline) =>
    composites.some(({ object }) => object.apiVersion === apiVersion && object.kind === kind);
  return pipelines
    .filter((pipeline) => pipeline.problems.length === 0 && !used(pipeline))
    .map(({ name, kind, apiVersion }) => {
      return `Composition ${name} is left out: no ${kind} (${apiVersion}) is in the input`;
    });
}

function doubleCompositions(pipelines: readonly Pipeline[]): readonly string[] {
  return pipelines.flatMap((one, at) => {
    const earlier = pipelines.slice(0, at).find((other) => other.kind === one.kind);
    if (earlier === undefined || earlier.apiVersion !== one.apiVersion) return [];
    return [`Composition ${one.name} is left out: ${earlier.name} composes ${one.kind} already`];
  });
}

/** An XR without a namespace lands in `default`, as with kubectl, if its kind has namespaces. */
function inDefaultNamespace(object: KubeObject, definitions: Definitions): KubeObject {
  const { apiVersion, kind } = object;
  if (definitions.get(`${apiVersion}/${kind}`)?.namespaced === false) return object;
  if ((object.metadata?.namespace ?? "") !== "") return object;
  return { ...object, metadata: { ...object.metadata, namespace: "default" } };
}

/** A manifest that the cluster knows already continues from its UID and its status there. */
function withLiveState(object: KubeObject, current: ReadonlyMap<string, KubeObject>): KubeObject {
  const live = current.get(objectId(object));
  if (live === undefined) return object;
  const { uid, generation, creationTimestamp } = live.metadata ?? {};
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ...(uid === undefined ? {} : { uid }),
      ...(generation === undefined ? {} : { generation }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    ...(live.status === undefined ? {} : { status: live.status }),
  };
}

function nameProblem({ object, file, line }: ManifestDocument): readonly InputProblem[] {
  if ((object.metadata?.name ?? "") !== "") return [];
  return [{ file, line, message: `this ${object.kind} needs metadata.name` }];
}

/** Crossplane gives up on a resource that it composed but can't tell the key of. */
function observedProblems(documents: readonly ManifestDocument[]): readonly InputProblem[] {
  return documents
    .filter((document) => fileName(document).startsWith("observed") && !isComposed(document.object))
    .map(({ object, file, line }) => ({
      file,
      line,
      message: `observed ${object.kind} ${object.metadata?.name ?? ""} needs the annotation ${KEY_ANNOTATION}; an object that nobody composes belongs into required.yaml`,
    }));
}

function unknownProblems(
  unknown: readonly ManifestDocument[],
  handlers: readonly Handler[],
): readonly InputProblem[] {
  const kinds = handlers.map(({ kind }) => kind);
  return unknown.map(({ object, file, line }) => {
    const { apiVersion, kind } = object;
    const close = kinds.includes(kind) ? kind : nearestName(kind, kinds);
    const meant = handlers.find((one) => one.kind === close);
    const next =
      meant === undefined
        ? `it composes ${served(handlers)}`
        : `did you mean ${meant.kind} (${meant.apiVersion})?`;
    const message = `${kind} (${apiVersion}) is no kind that sluice composes; ${next}`;
    return { file, line, message };
  });
}

function served(handlers: readonly Handler[]): string {
  return handlers.map(({ apiVersion, kind }) => `${kind} (${apiVersion})`).join(", ");
}
