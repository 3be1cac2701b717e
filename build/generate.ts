// Writes api/gen/<plural>.ts, the TypeScript types of every kind under package/.
// `node build/generate.ts` writes the files; the tests call `generateTypes` and only compare.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";
import { parse } from "yaml";
import { compositeSchema, type RawSchema } from "../schema/crossplane.ts";

const ROOT = new URL("../", import.meta.url);
const APIS = "package/apis/";
const CRDS = ["package/evaluator/crd.yaml"];

/** One file to write: its path from the root of the repository, and its text. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

// An interface is named after its field (`engines` holds Engine). These are the fields whose own
// name says too little, or says the same as another.
const CROSSPLANE_NAMES = {
  "spec.crossplane": "CrossplaneSpec",
  "spec.crossplane.compositionSelector": "CompositionSelector",
  "spec.crossplane.compositionRevisionSelector": "CompositionRevisionSelector",
};

/** The names of the part that a replica has at the top of its spec, and a deployment under its template. */
function replicaNames(spec: string): Readonly<Record<string, string>> {
  const picker = `${spec}.serving.endpointPicker.template`;
  const template = `${spec}.engines[].members[].template`;
  const container = `${template}.spec.containers[]`;
  return {
    [picker]: "EndpointPickerTemplate",
    [`${picker}.spec`]: "EndpointPickerPodSpec",
    [`${picker}.spec.containers[]`]: "EndpointPickerContainer",
    [`${picker}.spec.containers[].env[]`]: "EnvVar",
    [template]: "MemberTemplate",
    [`${template}.metadata`]: "MemberMetadata",
    [`${template}.spec`]: "MemberPodSpec",
    [`${container}.env[]`]: "EnvVar",
    [`${container}.ports[]`]: "ContainerPort",
    [`${container}.readinessProbe.httpGet`]: "HttpGetProbe",
    [`${container}.readinessProbe.tcpSocket`]: "TcpSocketProbe",
    [`${container}.readinessProbe.grpc`]: "GrpcProbe",
  };
}

/** The names of Kubernetes' own part of a DecisionModel, as Kubernetes has them. */
function affinityNames(affinity: string): Readonly<Record<string, string>> {
  const [preferred, required] = ["preferred", "required"].map(
    (when) => `${when}DuringSchedulingIgnoredDuringExecution`,
  );
  const node = `${affinity}.nodeAffinity`;
  const nodeTerms = [
    `${node}.${preferred}[].preference`,
    `${node}.${required}.nodeSelectorTerms[]`,
  ];
  const podTerms = ["podAffinity", "podAntiAffinity"].flatMap((kind) => [
    `${affinity}.${kind}.${required}[]`,
    `${affinity}.${kind}.${preferred}[].podAffinityTerm`,
  ]);
  const selectors = podTerms.flatMap((term) => [
    `${term}.labelSelector`,
    `${term}.namespaceSelector`,
  ]);
  const named = (paths: readonly string[], name: string) => paths.map((path) => [path, name]);
  return Object.fromEntries([
    [`${node}.${preferred}[]`, "PreferredSchedulingTerm"],
    [`${node}.${required}`, "NodeSelector"],
    ...named(nodeTerms, "NodeSelectorTerm"),
    ...named(
      nodeTerms.flatMap((term) => [`${term}.matchExpressions[]`, `${term}.matchFields[]`]),
      "NodeSelectorRequirement",
    ),
    ...["podAffinity", "podAntiAffinity"].map((kind) => [
      `${affinity}.${kind}.${preferred}[]`,
      "WeightedPodAffinityTerm",
    ]),
    ...named(podTerms, "PodAffinityTerm"),
    ...named(selectors, "LabelSelector"),
    ...named(
      selectors.map((selector) => `${selector}.matchExpressions[]`),
      "LabelSelectorRequirement",
    ),
  ]);
}

const REVISIONS = [
  ...["stableRevision", "candidateRevision", "failedRevision", "previousRevision.revision"],
  ...["recreateRollback.failed", "recreateRollback.target"],
].map((path) => `status.${path}`);

const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  DecisionModel: {
    ...affinityNames("spec.scheduling.affinity"),
    ...Object.fromEntries(REVISIONS.map((path) => [path, "Revision"])),
    ...Object.fromEntries(
      ["spec", ...REVISIONS].flatMap((path) => [
        [`${path}.resources`, "ResourceRequirements"],
        [`${path}.resources.claims[]`, "ResourceClaim"],
      ]),
    ),
    "spec.auth.apiKeySecretRef": "SecretKeySelector",
    "spec.cache.downloadTokenSecretRef": "SecretKeySelector",
    "spec.rollout.evaluation": "EvaluationSpec",
    "spec.rollout.evaluation.datasetRef.configMapRef": "DatasetKeyRef",
    "spec.rollout.evaluation.datasetRef.secretRef": "DatasetKeyRef",
    "status.conditions[]": "StatusCondition",
    "status.evaluation": "EvaluationStatus",
    "status.evaluation.questions[]": "QuestionRow",
    "status.replicas": "ReplicaCounts",
  },
  InferenceClass: {
    ...CROSSPLANE_NAMES,
    "spec.devices[].attributes{}": "DeviceAttribute",
    "spec.devices[].capacity{}": "DeviceCapacity",
  },
  InferenceCluster: {
    ...CROSSPLANE_NAMES,
    "spec.placement.metadata": "PlacementMetadata",
    "spec.cluster.existing.cache": "ExistingCache",
    "status.cache": "CacheStatus",
    "status.gateway": "GatewayStatus",
    "status.gpuPools[].devices[].attributes{}": "DeviceAttribute",
    "status.gpuPools[].devices[].capacity{}": "DeviceCapacity",
  },
  ModelCache: {
    ...CROSSPLANE_NAMES,
    "status.clusters[]": "CachedCluster",
  },
  ModelDeployment: {
    ...CROSSPLANE_NAMES,
    ...replicaNames("spec.template.spec"),
    "spec.template": "ReplicaTemplate",
    "spec.template.metadata": "ReplicaMetadata",
    "spec.template.spec": "ReplicaTemplateSpec",
    "spec.template.spec.engines[].members[].nodeSelector.devices[]": "DeviceRequest",
    "status.replicas": "ReplicaCounts",
    "status.placements[].engines[]": "EnginePlacement",
  },
  ModelEndpoint: CROSSPLANE_NAMES,
  ModelReplica: {
    ...CROSSPLANE_NAMES,
    ...replicaNames("spec"),
    "status.engines[]": "EngineStatus",
  },
};

/** Generates the types of every XRD and CRD under package/; throws when two different shapes share a name. */
export async function generateTypes(): Promise<readonly GeneratedFile[]> {
  const xrds = readdirSync(new URL(APIS, ROOT)).map((plural) => `${APIS}${plural}/definition.yaml`);
  const files: GeneratedFile[] = [];
  for (const source of [...xrds, ...CRDS]) {
    const definition: Definition = parse(readFileSync(new URL(source, ROOT), "utf8"));
    const path = `api/gen/${definition.spec.names.plural}.ts`;
    files.push({ path, text: await generate(definition, source) });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** An XRD, whose version for composition is referenceable, or a CRD, whose version is stored. */
interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly referenceable?: boolean;
      readonly storage?: boolean;
      readonly schema: { readonly openAPIV3Schema: RawSchema };
    }[];
  };
}

async function generate({ spec }: Definition, source: string): Promise<string> {
  const kind = spec.names.kind;
  const version = spec.versions.find(({ referenceable, storage }) => referenceable ?? storage);
  if (version === undefined) throw new Error(`${kind}: no version is referenceable or stored`);
  const raw = version.schema.openAPIV3Schema;
  const schema = version.storage ? raw : compositeSchema(raw, spec as unknown as RawSchema);
  const shapes = new Shapes(kind);
  const properties = schema.properties as Record<string, RawSchema>;
  const root = {
    title: kind,
    type: "object",
    description: schema.description,
    additionalProperties: false,
    required: ["apiVersion", "kind", "metadata", "spec"],
    properties: {
      apiVersion: { const: `${spec.group}/${version.name}` },
      kind: { const: kind },
      metadata: { tsType: "ObjectMeta" },
      spec: shapes.convert(properties.spec ?? {}, "spec"),
      status: shapes.convert(properties.status ?? {}, "status"),
    },
    definitions: shapes.definitions,
  };
  const code = await compile(root as Parameters<typeof compile>[0], kind, {
    bannerComment: [
      `// Made by \`npm run generate\` from ${source}; do not edit.`,
      "// Every field that has a default is present, since these are the types of an object as the API",
      "// server stores it.",
      'import type { KubeObject, ObjectMeta } from "../../kube/object.ts";',
    ].join("\n"),
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    style: { printWidth: 100, bracketSpacing: true, trailingComma: "all" },
  });
  return readOnly(code).replace(
    `export interface ${kind} {`,
    `export interface ${kind} extends KubeObject {`,
  );
}

/** Gathers the named shapes of one kind while its schema is turned into a JSON schema. */
class Shapes {
  readonly definitions: Record<string, unknown> = {};
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  convert(node: RawSchema, path: string): unknown {
    const { description, items, additionalProperties } = node;
    const prose = description === undefined ? {} : { description };
    if (node["x-kubernetes-int-or-string"] === true) return { ...prose, tsType: "number | string" };
    if (node.type === "array") {
      return { ...prose, type: "array", items: this.convert(items as RawSchema, `${path}[]`) };
    }
    if (node.type !== "object") return { ...prose, ...scalar(node) };
    if (typeof additionalProperties === "object") {
      const values = this.convert(additionalProperties as RawSchema, `${path}{}`);
      return { ...prose, type: "object", additionalProperties: values };
    }
    if (node.properties === undefined) {
      return { ...prose, tsType: "{ readonly [field: string]: unknown }" };
    }
    return this.#name(node, path);
  }

  #name(node: RawSchema, path: string): unknown {
    const properties = node.properties as Record<string, RawSchema>;
    const required = new Set(node.required as string[] | undefined);
    for (const [name, child] of Object.entries(properties)) {
      if (child.default !== undefined) required.add(name);
    }
    const name = NAMES[this.#kind]?.[path] ?? defaultName(path, this.#kind);
    const shape = {
      type: "object",
      additionalProperties: false,
      description: node.description ?? `${path} of ${article(this.#kind)} ${this.#kind}.`,
      required: [...required].sort(),
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, child]) => [
          key,
          this.convert(child, `${path}.${key}`),
        ]),
      ),
    };
    const before = this.definitions[name];
    if (before !== undefined && withoutProse(before) !== withoutProse(shape)) {
      throw new Error(`${this.#kind}: ${path} needs a name of its own in NAMES, not ${name}`);
    }
    this.definitions[name] ??= shape;
    return { $ref: `#/definitions/${name}` };
  }
}

function scalar(node: RawSchema): RawSchema {
  return node.enum === undefined ? { type: node.type } : { type: node.type, enum: node.enum };
}

function defaultName(path: string, kind: string): string {
  if (path === "spec" || path === "status") return kind + (path === "spec" ? "Spec" : "Status");
  const last = path.split(".").at(-1) ?? path;
  const singular = last.endsWith("s[]") ? last.slice(0, -"s[]".length) : last.replace("[]", "");
  return singular.charAt(0).toUpperCase() + singular.slice(1);
}

function withoutProse(value: unknown): string {
  return JSON.stringify(value, (key, child) => (key === "description" ? undefined : child));
}

/** The generator has no option for read-only types or short comments; its output is regular enough. */
function readOnly(code: string): string {
  return code
    .replace(/^( +)((?:\w+|"[^"]+")\??: |\[k: string\]: )/gm, "$1readonly $2")
    .replace(/: (\w+)\[\];$/gm, ": readonly $1[];")
    .replace(/\/\*\*\n *\* (.+)\n *\*\/$/gm, "/** $1 */");
}

function article(noun: string): string {
  return /^[AEIOU]/.test(noun) ? "an" : "a";
}

if (import.meta.main) {
  mkdirSync(new URL("api/gen/", ROOT), { recursive: true });
  for (const file of await generateTypes()) writeFileSync(new URL(file.path, ROOT), file.text);
}
