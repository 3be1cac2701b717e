import { parseDuration } from "../../api/decision-model.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";
import { quote } from "../../kube/quote.ts";
import { type Fault, readFault } from "../engine/simulator/faults.ts";

/** A model as the simulated registry has it. */
export interface TimelineModel {
  readonly name: string;
  /** Lines of the dataset that it answers wrongly. */
  readonly wrong: readonly number[];
  readonly unanswered: readonly number[];
  /** The probability that it gives what it answers; 0.9 where it is not said. */
  readonly confidence: number;
}

/** Which of a DecisionModel's revisions something is about. */
export type Role = "stable" | "candidate" | "previous";

/** What happens next. `on` names the DecisionModel where there are several. */
export type Step = { readonly on?: string } & (
  | { readonly do: "apply"; readonly objects: readonly KubeObject[] }
  /** A merge patch of the DecisionModel, or of another object. */
  | { readonly do: "patch"; readonly patch: object; readonly of?: ObjectReference }
  | { readonly do: "approve"; readonly with: "approval" | "hash" | { readonly value: string } }
  | { readonly do: "wait"; readonly milliseconds: number }
  | { readonly do: "until"; readonly state: Expected; readonly milliseconds: number }
  | { readonly do: "delete"; readonly of: ObjectReference }
  | { readonly do: "crash"; readonly role: Role; readonly forever: boolean }
  | { readonly do: "registry"; readonly model: string; readonly tag: "gone" | "back" | "moved" }
  | { readonly do: "registry-fault"; readonly fault: Fault | "none" }
  | { readonly do: "engine-fault"; readonly role: Role; readonly fault: Fault | "none" }
  | { readonly do: "node"; readonly node: NodeChange }
  | { readonly do: "operator"; readonly change: "restart" | "stop" | "start" }
);

/** An object by its kind and its name, or the revision that it belongs to. */
export interface ObjectReference {
  readonly kind: string;
  readonly name?: string;
  readonly role?: Role;
}

/** How the node behaves from now on. */
export interface NodeChange {
  /** How downloads end; `hang` for never. */
  readonly downloads?: "succeed" | "hang" | { readonly exit: number; readonly message: string };
  /** How long downloads take. */
  readonly downloadMilliseconds?: number;
  /** How long servers take to come up; `never` if they don't. */
  readonly startMilliseconds?: number | "never";
  /** Whether volumes may grow. */
  readonly growth?: "allowed" | "refused";
}

/** What a DecisionModel must look like; what is left out may be anything. */
export interface Expected {
  readonly phase?: string;
  /** The models of its revisions, `none` for no revision. */
  readonly stable?: string;
  readonly candidate?: string;
  readonly failed?: string;
  readonly previous?: string;
  /** How many pods of the stable revision have the model ready. */
  readonly ready?: number;
  /** Conditions as `status/reason`, `absent` for none. */
  readonly conditions?: Readonly<Record<string, string>>;
  /** The model that the Service's requests reach, `none` for no Service. */
  readonly traffic?: string;
}

/** A story of DecisionModels and of what befalls them. */
export interface Timeline {
  readonly about: string;
  /** The operator's settings that are not the default. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly models: readonly TimelineModel[];
  /** Objects that are there from the start, those of datasets among them. */
  readonly objects: readonly KubeObject[];
  readonly steps: readonly Step[];
  /** What must hold at the end, whatever interruption there was, by `namespace/name` or for the only one. */
  readonly expect: Expected;
}

/** Reads a timeline from YAML's values, or says where it is wrong. */
export function readTimeline(
  value: unknown,
):
  | { readonly ok: true; readonly timeline: Timeline }
  | { readonly ok: false; readonly error: string } {
  try {
    return { ok: true, timeline: timelineOf(value) };
  } catch (error) {
    if (error instanceof Wrong) return { ok: false, error: error.message };
    throw error;
  }
}

/** What is wrong with a timeline; thrown and caught in this file alone. */
class Wrong extends Error {}

type Fields = Readonly<Record<string, unknown>>;

function timelineOf(value: unknown): Timeline {
  const fields = record(value, "the timeline");
  known(
    fields,
    ["about", "settings", "models", "datasets", "objects", "steps", "expect"],
    "the timeline",
  );
  return {
    about: text(fields.about, "about"),
    settings: fields.settings === undefined ? {} : record(fields.settings, "settings"),
    models: list(fields.models, "models").map((model, index) => modelOf(model, `models[${index}]`)),
    objects: [
      ...list(fields.datasets ?? [], "datasets").map((one, index) =>
        datasetOf(one, `datasets[${index}]`),
      ),
      ...objectsOf(fields.objects ?? [], "objects"),
    ],
    steps: list(fields.steps, "steps").map((step, index) => stepOf(step, `steps[${index}]`)),
    expect: expectedOf(fields.expect ?? {}, "expect"),
  };
}

function modelOf(value: unknown, at: string): TimelineModel {
  const fields = record(value, at);
  known(fields, ["name", "wrong", "unanswered", "confidence"], at);
  const lines = (of: unknown, where: string) =>
    list(of ?? [], where).map((line, index) => number(line, `${where}[${index}]`));
  return {
    name: text(fields.name, `${at}.name`),
    wrong: lines(fields.wrong, `${at}.wrong`),
    unanswered: lines(fields.unanswered, `${at}.unanswered`),
    confidence:
      fields.confidence === undefined ? 0.9 : number(fields.confidence, `${at}.confidence`),
  };
}

/** A dataset of one question, its cases as `state: label`, as a ConfigMap or a Secret would hold it. */
function datasetOf(value: unknown, at: string): KubeObject {
  const fields = record(value, at);
  known(fields, ["kind", "name", "question", "labels", "cases"], at);
  const { kind = "ConfigMap" } = fields;
  const question = text(fields.question, `${at}.question`);
  const cases = Object.entries(record(fields.cases, `${at}.cases`));
  const criteria = [...new Set(cases.map(([, label]) => label))].sort();
  const lines = cases.map(([state, label]) =>
    JSON.stringify({
      state,
      questions: { [question]: { type: "choice", criteria } },
      expected: { [question]: label },
    }),
  );
  const content = `${lines.join("\n")}\n`;
  const isSecret = oneOf(["ConfigMap", "Secret"] as const, kind, `${at}.kind`) === "Secret";
  return {
    apiVersion: "v1",
    kind: isSecret ? "Secret" : "ConfigMap",
    metadata: {
      name: text(fields.name, `${at}.name`),
      ...(fields.labels === undefined
        ? {}
        : { labels: record(fields.labels, `${at}.labels`) as Record<string, string> }),
    },
    data: { "cases.jsonl": isSecret ? Buffer.from(content).toString("base64") : content },
  };
}

const STEPS: Readonly<Record<string, (value: unknown, at: string) => Step>> = {
  apply: (value, at) => ({ do: "apply", objects: objectsOf(value, at) }),
  patch: (value, at) => ({ do: "patch", patch: record(value, at) }),
  edit(value, at) {
    const { patch, ...of } = record(value, at);
    return { do: "patch", patch: record(patch, `${at}.patch`), of: referenceOf(of, at) };
  },
  approve(value) {
    if (value === "approval" || value === "hash") return { do: "approve", with: value };
    return { do: "approve", with: { value: String(value) } };
  },
  retry: (value) => ({
    do: "patch",
    patch: { metadata: { annotations: { "decisionmodel.io/retry": String(value) } } },
  }),
  wait: (value, at) => ({ do: "wait", milliseconds: duration(value, at) }),
  until(value, at) {
    const named = typeof value === "string" ? { phase: value } : value;
    const { within = "6h", ...state } = record(named, at);
    const milliseconds = duration(within, `${at}.within`);
    return { do: "until", state: expectedOf(state, at), milliseconds };
  },
  delete: (value, at) => ({ do: "delete", of: referenceOf(record(value, at), at) }),
  crash(value, at) {
    const { of, forever = false } = record(value, at);
    return { do: "crash", role: role(of, `${at}.of`), forever: forever === true };
  },
  registry(value, at) {
    const fields = record(value, at);
    if (fields.fault !== undefined) {
      return { do: "registry-fault", fault: faultOf(fields.fault, `${at}.fault`) };
    }
    const tag = oneOf(["gone", "back", "moved"] as const, fields.tag, `${at}.tag`);
    return { do: "registry", model: text(fields.model, `${at}.model`), tag };
  },
  engine(value, at) {
    const fields = record(value, at);
    const fault = faultOf(fields.fault, `${at}.fault`);
    return { do: "engine-fault", role: role(fields.of, `${at}.of`), fault };
  },
  node: (value, at) => ({ do: "node", node: nodeOf(record(value, at), at) }),
  operator: (value, at) => ({
    do: "operator",
    change: oneOf(["restart", "stop", "start"] as const, value, at),
  }),
};

function stepOf(value: unknown, at: string): Step {
  const { on, ...rest } = record(value, at);
  const [[name, what] = ["", undefined], ...more] = Object.entries(rest);
  const read = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
  if (read === undefined || more.length > 0) {
    const seen = quote(Object.keys(rest).join(", "));
    throw new Wrong(`${at}: ${seen} is no step: give one of ${Object.keys(STEPS).join(", ")}`);
  }
  const step = read(what, `${at}.${name}`);
  return on === undefined ? step : { ...step, on: text(on, `${at}.on`) };
}

function nodeOf(fields: Fields, at: string): NodeChange {
  known(fields, ["downloads", "downloading", "starting", "growth"], at);
  const { downloads, downloading, starting, growth } = fields;
  return {
    ...(downloads === undefined ? {} : { downloads: downloadsOf(downloads, `${at}.downloads`) }),
    ...(downloading === undefined
      ? {}
      : { downloadMilliseconds: duration(downloading, `${at}.downloading`) }),
    ...(starting === undefined
      ? {}
      : {
          startMilliseconds:
            starting === "never" ? ("never" as const) : duration(starting, `${at}.starting`),
        }),
    ...(growth === undefined
      ? {}
      : { growth: oneOf(["allowed", "refused"] as const, growth, `${at}.growth`) }),
  };
}

function downloadsOf(value: unknown, at: string): NonNullable<NodeChange["downloads"]> {
  if (!isRecord(value)) return oneOf(["succeed", "hang"] as const, value, at);
  return { exit: number(value.exit, `${at}.exit`), message: text(value.message, `${at}.message`) };
}

function referenceOf(fields: Fields, at: string): ObjectReference {
  known(fields, ["kind", "name", "of"], at);
  return {
    kind: text(fields.kind, `${at}.kind`),
    ...(fields.name === undefined ? {} : { name: text(fields.name, `${at}.name`) }),
    ...(fields.of === undefined ? {} : { role: role(fields.of, `${at}.of`) }),
  };
}

function expectedOf(value: unknown, at: string): Expected {
  const fields = record(value, at);
  known(
    fields,
    ["phase", "stable", "candidate", "failed", "previous", "ready", "conditions", "traffic"],
    at,
  );
  return fields as Expected;
}

function objectsOf(value: unknown, at: string): readonly KubeObject[] {
  const objects = Array.isArray(value) ? value : [value];
  return objects.map((object, index) => {
    const fields = record(object, `${at}[${index}]`);
    text(fields.apiVersion, `${at}[${index}].apiVersion`);
    text(fields.kind, `${at}[${index}].kind`);
    return fields as unknown as KubeObject;
  });
}

function faultOf(value: unknown, at: string): Fault | "none" {
  if (value === "none") return "none";
  const fault = readFault(value);
  if (typeof fault === "string") throw new Wrong(`${at}: ${fault}`);
  return fault;
}

const role = (value: unknown, at: string): Role =>
  oneOf(["stable", "candidate", "previous"] as const, value, at);

function record(value: unknown, at: string): Fields {
  if (!isRecord(value)) throw new Wrong(`${at} is no map: write it as one`);
  return value;
}

function list(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Wrong(`${at} is no list: write it as one`);
  return value;
}

function text(value: unknown, at: string): string {
  if (typeof value !== "string" || value === "") throw new Wrong(`${at} is no text: give one`);
  return value;
}

function number(value: unknown, at: string): number {
  if (typeof value !== "number") throw new Wrong(`${at} is no number: give one`);
  return value;
}

function duration(value: unknown, at: string): number {
  const milliseconds = parseDuration(typeof value === "string" ? value : undefined);
  if (milliseconds === undefined) throw new Wrong(`${at} is no duration: write one such as 90s`);
  return milliseconds;
}

function oneOf<Name extends string>(names: readonly Name[], value: unknown, at: string): Name {
  const found = names.find((name) => name === value);
  if (found === undefined) throw new Wrong(`${at} is none of ${names.join(", ")}`);
  return found;
}

function known(fields: Fields, names: readonly string[], at: string): void {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new Wrong(`${at} has ${quote(unknown)}: it may have ${names.join(", ")}`);
}
