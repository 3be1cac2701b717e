import { createHash } from "node:crypto";
import type { ModelName } from "../../../api/model-name.ts";
import { parseModelName } from "../../../api/model-name.ts";

/** A model as the simulated registry has it, and how it behaves once it is loaded. */
export interface SimulatedModel {
  readonly name: ModelName;
  /** The manifest's bytes: made up here, so that digests are not those of the real models. */
  readonly manifest: string;
  /** SHA-256 of the manifest, 64 hexadecimal digits. */
  readonly digest: string;
  /** Bytes of all its blobs. */
  readonly size: number;
  readonly format: "onnx" | "gguf" | "router";
  readonly family: string;
  /** The precision that is carried; loaded it is the first of several. */
  readonly quantization: string;
  /** Tokens, here words, of a state that it reads. */
  readonly contextLength: number;
  readonly mostOptions: number;
  readonly loadMilliseconds: number;
  readonly decideMilliseconds: number;
  /** Of a router: the models it sends states to, by route. */
  readonly routes?: Readonly<Record<"english" | "multilingual", string>>;
  /** Questions that it asks where a request has none. */
  readonly questions?: Readonly<Record<string, unknown>>;
}

/** What varies between the models of a catalog. */
export type ModelDescription = Omit<SimulatedModel, "name" | "manifest" | "digest"> & {
  readonly name: string;
  /** Another revision has another manifest, as a tag that was moved has. */
  readonly revision?: number;
};

/** The registry that names without a host mean. */
export const DEFAULT_HOST = "ollaya.dev";

const TYPE = "application/vnd.ollaya.";
const MEDIA_TYPE = "application/vnd.docker.distribution.manifest.v2+json";

/** Makes a model with a manifest of its own; throws for a name that is none, which is a bug of the caller. */
export function makeModel({ name, revision = 1, ...rest }: ModelDescription): SimulatedModel {
  const parsed = parseModelName(name, DEFAULT_HOST);
  if (!parsed.ok) throw new Error(parsed.error);
  const blob = (type: string, size: number) => {
    const digest = `sha256:${sha256(`${name} ${revision} ${type}`)}`;
    return { mediaType: `${TYPE}${type}`, digest, size };
  };
  const layers =
    rest.format === "router"
      ? [blob("router", 200)]
      : [
          blob(rest.format === "gguf" ? "weights.gguf" : "graph.onnx", rest.size - 2000),
          blob("tokenizer", 1000),
          blob("decision", 500),
        ];
  if (rest.questions !== undefined) {
    layers.push(blob(`questions`, JSON.stringify(rest.questions).length));
  }
  const config = blob("config.v1+json", 500);
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType: MEDIA_TYPE, config, layers });
  return { ...rest, name: parsed.name, manifest, digest: sha256(manifest) };
}

/** SHA-256 of a text in 64 hexadecimal digits. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const MB = 1_000_000;

/** What is taken of a model that nobody has described. */
export const NONDESCRIPT: Omit<ModelDescription, "name"> = {
  format: "onnx",
  family: "simulated",
  quantization: "F32",
  size: 500 * MB,
  contextLength: 512,
  mostOptions: 255,
  loadMilliseconds: 1000,
  decideMilliseconds: 50,
};

const laya = { format: "onnx", family: "laya", quantization: "F16/F32" } as const;

/** Models named and sized like those that Ollaya publishes, with its measured times on CPUs. */
export const catalog: readonly SimulatedModel[] = (
  [
    {
      ...laya,
      name: "laya:en",
      size: 853 * MB,
      contextLength: 512,
      mostOptions: 125,
      loadMilliseconds: 4200,
      decideMilliseconds: 160,
    },
    {
      ...laya,
      name: "laya:multilingual",
      size: 683 * MB,
      contextLength: 1024,
      mostOptions: 250,
      loadMilliseconds: 2800,
      decideMilliseconds: 72,
    },
    {
      ...laya,
      name: "laya:latest",
      format: "router",
      quantization: "",
      size: 700,
      contextLength: 1024,
      mostOptions: 125,
      loadMilliseconds: 0,
      decideMilliseconds: 0,
      routes: { english: "laya:en", multilingual: "laya:multilingual" },
    },
    {
      name: "gliclass:latest",
      format: "onnx",
      family: "gliclass",
      quantization: "F32",
      size: 1770 * MB,
      contextLength: 512,
      mostOptions: 125,
      loadMilliseconds: 4900,
      decideMilliseconds: 131,
    },
    {
      name: "nli:latest",
      format: "onnx",
      family: "nli",
      quantization: "F32",
      size: 884 * MB,
      contextLength: 512,
      mostOptions: 125,
      loadMilliseconds: 5800,
      decideMilliseconds: 242,
    },
    {
      name: "decima:small",
      format: "onnx",
      family: "decima",
      quantization: "F32",
      size: 510 * MB,
      contextLength: 512,
      mostOptions: 64,
      loadMilliseconds: 700,
      decideMilliseconds: 58,
    },
    {
      name: "jevk5:latest",
      format: "gguf",
      family: "jevk5",
      quantization: "Q8_0",
      size: 4480 * MB,
      contextLength: 4096,
      mostOptions: 16,
      loadMilliseconds: 18_000,
      decideMilliseconds: 900,
    },
  ] as const
).map(makeModel);
