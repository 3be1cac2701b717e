import { isRecord } from "../../../kube/object.ts";
import {
  type Answer,
  empty,
  type Issue,
  invalid,
  json,
  modelNotFound,
  type Refusal,
} from "./answer.ts";
import { makeModel, type SimulatedModel } from "./catalog.ts";
import { readModel } from "./decide-request.ts";
import { showReference } from "./model-reference.ts";
import { readQuestions } from "./question.ts";
import type { Resident } from "./residency.ts";
import type { Call, ServerState, StoredModel } from "./state.ts";

type Outcome = Answer | Refusal;

/** `GET /api/tags`: what the store holds, newest first. */
export function tags({ store }: ServerState): Outcome {
  const models = [...store.entries()]
    .sort(([, a], [, b]) => b.modifiedAt - a.modifiedAt)
    .map(([name, { model, modifiedAt }]) => ({
      name,
      model: name,
      modified_at: new Date(modifiedAt).toISOString(),
      size: model.size,
      digest: model.digest,
      details: detailsOf(model, model.quantization),
    }));
  return json(200, { models });
}

/** `GET /v1/models`: the same by name, as TypeSafe has it. */
export function typeSafeModels({ store }: ServerState): Outcome {
  const models = [...store.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { model, modifiedAt }]) => ({
      name,
      description: `${model.family}, simulated`,
      release_date: new Date(modifiedAt).toISOString().slice(0, 10),
    }));
  return json(200, { models });
}

/** `POST /api/show`: a model in detail, its digest not among it. */
export function show({ store }: ServerState, call: Call): Outcome {
  const found = named(store, call);
  if ("refusal" in found) return found.refusal;
  const { model, modifiedAt } = found.stored;
  const { family, contextLength } = model;
  const isRouter = model.routes !== undefined;
  return json(200, {
    license: "",
    modelfile: `FROM ${found.name}\n`,
    parameters: "",
    questions: model.questions ?? null,
    router: isRouter
      ? { strategy: "language", default: model.routes?.english, routes: model.routes }
      : null,
    details: detailsOf(model, model.quantization),
    model_info: {
      "general.architecture": family,
      "general.engine": "simulator",
      [`${family}.context_length`]: contextLength,
    },
    capabilities: ["choice", "score", "noul"],
    modified_at: new Date(modifiedAt).toISOString(),
  });
}

/** `GET /api/ps`: what is loaded, by name. */
export function ps({ life, settings }: ServerState, call: Call): Outcome {
  const { device } = settings;
  const expiry = ({ busy, expiresAt }: Resident) => {
    if (busy > 0) return new Date(settings.clock.now()).toISOString();
    return Number.isFinite(expiresAt) ? new Date(expiresAt).toISOString() : null;
  };
  const models = life.loaded
    .list()
    .map((resident) => {
      const { model } = resident;
      const name = showReference(model.name);
      const wrong = call.faults["wrong-digest"] !== undefined;
      return {
        name,
        model: name,
        size: model.size,
        digest: wrong ? model.digest.split("").reverse().join("") : model.digest,
        details: detailsOf(model, loadedPrecision(model, device)),
        expires_at: expiry(resident),
        size_vram: device === "cpu" ? 0 : model.size,
        context_length: model.contextLength,
        device,
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return json(200, { models });
}

/** `POST /api/pull`: takes a model from the registry into the store, which costs no time here. */
export function pull({ store, settings }: ServerState, call: Call): Outcome {
  const issues: Issue[] = [];
  const name = readModel(call.body.model, ["body", "model"], issues);
  if (name === undefined) return invalid(issues);
  const shown = showReference(name);
  const model = settings.registry(name);
  if (model === undefined) {
    const error = `model "${shown}" not found in registry ${name.host}`;
    return { status: 404, code: "MODEL_NOT_FOUND", error };
  }
  store.set(shown, { model, modifiedAt: settings.clock.now() });
  if (call.body.stream === false) return json(200, { status: "success" });
  const { config, layers } = JSON.parse(model.manifest) as Manifest;
  const blobs = [config, ...layers].flatMap(({ digest, size }) => {
    const status = `pulling ${digest.slice(7, 19)}`;
    return [0, size].map((completed) => ({ status, digest, total: size, completed }));
  });
  return lines([
    { status: "pulling manifest" },
    ...blobs,
    { status: "verifying sha256 digest" },
    { status: "writing manifest" },
    { status: "success" },
  ]);
}

/** `POST /api/copy`: gives a model one more name. */
export function copy({ store, settings }: ServerState, call: Call): Outcome {
  const issues: Issue[] = [];
  const source = readModel(call.body.source, ["body", "source"], issues);
  const destination = readModel(call.body.destination, ["body", "destination"], issues);
  if (source === undefined || destination === undefined) return invalid(issues);
  const stored = store.get(showReference(source));
  if (stored === undefined) return modelNotFound(showReference(source));
  const model = { ...stored.model, name: destination };
  store.set(showReference(destination), { model, modifiedAt: settings.clock.now() });
  return empty(200);
}

/** `DELETE /api/delete`: takes a model from the store, and unloads it. */
export function remove({ store, life }: ServerState, call: Call): Outcome {
  const found = named(store, call);
  if ("refusal" in found) return found.refusal;
  store.delete(found.name);
  life.loaded.unload(found.stored.model.digest);
  return empty(200);
}

/** `POST /api/create`: makes a model of another one in the store, with questions of its own. */
export function create({ store, settings }: ServerState, call: Call): Outcome {
  const { body } = call;
  const issues: Issue[] = [];
  const name = readModel(body.model, ["body", "model"], issues);
  const from = readModel(body.from, ["body", "from"], issues);
  const questions = body.questions ?? undefined;
  if (questions !== undefined) readQuestions(questions, issues);
  if (name === undefined || from === undefined || issues.length > 0) return invalid(issues);
  const base = store.get(showReference(from))?.model;
  if (base === undefined) return modelNotFound(showReference(from));
  const shown = showReference(name);
  const model = makeModel({ ...base, ...(isRecord(questions) ? { questions } : {}), name: shown });
  store.set(shown, { model, modifiedAt: settings.clock.now() });
  if (body.stream === false) return json(200, { status: "success" });
  const { config, layers } = JSON.parse(model.manifest) as Manifest;
  return lines([
    ...layers.map(({ digest }) => ({ status: `using existing layer ${digest}` })),
    { status: `creating new layer ${config.digest}` },
    { status: "writing manifest" },
    { status: "success" },
  ]);
}

interface Manifest {
  readonly config: Blob;
  readonly layers: readonly Blob[];
}

interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** The model in the store that a body names, or why there is none. */
function named(
  store: ServerState["store"],
  { body }: Call,
): { readonly name: string; readonly stored: StoredModel } | { readonly refusal: Refusal } {
  const issues: Issue[] = [];
  const model = readModel(body.model, ["body", "model"], issues);
  if (model === undefined) return { refusal: invalid(issues) };
  const name = showReference(model);
  const stored = store.get(name);
  return stored === undefined ? { refusal: modelNotFound(name) } : { name, stored };
}

function detailsOf({ format, family }: SimulatedModel, quantization: string) {
  return {
    parent_model: "",
    format,
    family,
    families: [family],
    parameter_size: "",
    quantization_level: quantization,
  };
}

/** Of the precisions that a model carries CPUs load the last, other devices the first. */
function loadedPrecision({ quantization }: SimulatedModel, device: string): string {
  const carried = quantization.split("/");
  return carried.at(device === "cpu" ? -1 : 0) ?? quantization;
}

function lines(values: readonly unknown[]): Answer {
  const body = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  return { status: 200, headers: { "content-type": "application/x-ndjson" }, body };
}
