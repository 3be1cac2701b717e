import { PHASES, parseDuration } from "../../api/decision-model.ts";
import { parseModelName } from "../../api/model-name.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";
import { quote } from "../../kube/quote.ts";
import { DEFAULT_HOST } from "../engine/simulator/catalog.ts";
import { type Fault, readFault } from "../engine/simulator/faults.ts";
import { DEFAULT_SETTINGS } from "../rollout/settings.ts";
import { BUILT_IN, DECISION_MODEL, kindOf } from "./kinds.ts";
import type {
  Expected,
  NodeChange,
  ObjectReference,
  Role,
  Step,
  Timeline,
  TimelineModel,
} from "./timeline.ts";

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
    settings: settingsOf(record(fields.settings ?? {}, "settings")),
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

/** Settings that operators have, each of the type that it has there. */
function settingsOf(fields: Fields): Fields {
  known(fields, Object.keys(DEFAULT_SETTINGS), "settings");
  for (const [name, value] of Object.entries(fields)) {
    const usual = DEFAULT_SETTINGS[name as keyof typeof DEFAULT_SETTINGS] ?? "";
    if (typeof value === typeof usual && Array.isArray(value) === Array.isArray(usual)) continue;
    const type = Array.isArray(usual) ? "list" : typeof usual;
    throw new Wrong(`settings.${name} is ${shown(value)}: give a ${type}`);
  }
  return fields;
}

function modelOf(value: unknown, at: string): TimelineModel {
  const fields = record(value, at);
  known(fields, ["name", "wrong", "unanswered", "confidence"], at);
  const lines = (of: unknown, where: string) =>
    list(of ?? [], where).map((line, index) => number(line, `${where}[${index}]`));
  const name = text(fields.name, `${at}.name`);
  const parsed = parseModelName(name, DEFAULT_HOST);
  if (!parsed.ok) throw new Wrong(`${at}.name: ${parsed.error}`);
  return {
    name,
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
    const fields = record(value, at);
    known(fields, ["of", "forever"], at);
    const { of, forever = false } = fields;
    return { do: "crash", role: role(of, `${at}.of`), forever: forever === true };
  },
  registry(value, at) {
    const fields = record(value, at);
    known(fields, fields.fault === undefined ? ["model", "tag"] : ["fault"], at);
    if (fields.fault !== undefined) {
      return { do: "registry-fault", fault: faultOf(fields.fault, `${at}.fault`) };
    }
    const tag = oneOf(["gone", "back", "moved"] as const, fields.tag, `${at}.tag`);
    return { do: "registry", model: text(fields.model, `${at}.model`), tag };
  },
  engine(value, at) {
    const fields = record(value, at);
    known(fields, ["of", "fault"], at);
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
  const { model, ...rest } = record(value, at);
  const [[name, what] = ["", undefined], ...more] = Object.entries(rest);
  const read = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
  if (read === undefined || more.length > 0) {
    const seen = quote(Object.keys(rest).join(", "));
    throw new Wrong(`${at}: ${seen} is no step: give one of ${Object.keys(STEPS).join(", ")}`);
  }
  const step = read(what, `${at}.${name}`);
  return model === undefined ? step : { ...step, on: text(model, `${at}.model`) };
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
    kind: servedKind(text(fields.kind, `${at}.kind`), `${at}.kind`),
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
  for (const [name, seen] of Object.entries(fields)) {
    if (name === "ready") number(seen, `${at}.ready`);
    else if (name === "phase") oneOf(PHASES, seen, `${at}.phase`);
    else if (name !== "conditions") text(seen, `${at}.${name}`);
  }
  for (const [type, seen] of Object.entries(record(fields.conditions ?? {}, `${at}.conditions`))) {
    if (seen === "absent" || /^(True|False)\/\w+$/.test(String(seen))) continue;
    throw new Wrong(
      `${at}.conditions.${type} is ${shown(seen)}: write status/reason, such as True/Ready, or absent`,
    );
  }
  return fields as Expected;
}

function objectsOf(value: unknown, at: string): readonly KubeObject[] {
  const objects = Array.isArray(value) ? value : [value];
  return objects.map((object, index) => {
    const fields = record(object, `${at}[${index}]`);
    text(fields.apiVersion, `${at}[${index}].apiVersion`);
    servedKind(text(fields.kind, `${at}[${index}].kind`), `${at}[${index}].kind`);
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

/** A kind that a simulated API server serves. */
function servedKind(name: string, at: string): string {
  if (name === DECISION_MODEL.kind || kindOf(name) !== undefined) return name;
  const all = [DECISION_MODEL, ...BUILT_IN].map(({ kind }) => kind).join(", ");
  throw new Wrong(`${at} is ${quote(name)}, which is not simulated: there are ${all}`);
}

function text(value: unknown, at: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new Wrong(`${at} is ${shown(value)}, which is no text: write it in quotes`);
}

function number(value: unknown, at: string): number {
  if (typeof value === "number") return value;
  throw new Wrong(`${at} is ${shown(value)}, which is no number: give one without quotes`);
}

const shown = (value: unknown) => JSON.stringify(value) ?? "missing";

function duration(value: unknown, at: string): number {
  const milliseconds = parseDuration(typeof value === "string" ? value : undefined);
  if (milliseconds === undefined) throw new Wrong(`${at} is no duration: write one such as 90s`);
  return milliseconds;
}

function oneOf<Name extends string>(names: readonly Name[], value: unknown, at: string): Name {
  const found = names.find((name) => name === value);
  if (found === undefined) {
    throw new Wrong(`${at} is ${shown(value)}: give one of ${names.join(", ")}`);
  }
  return found;
}

function known(fields: Fields, names: readonly string[], at: string): void {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new Wrong(`${at} has ${quote(unknown)}: it may have ${names.join(", ")}`);
}
