// Writes api/gen/<plural>.ts, the TypeScript types of every kind under package/apis.
// `node build/generate.ts` writes the files; the tests call `generateTypes` and only compare.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";
import { parse } from "yaml";
import { compositeSchema, type RawSchema } from "../schema/crossplane.ts";

const ROOT = new URL("../", import.meta.url);
const APIS = "package/apis/";

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

const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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

/** Generates the types of every XRD under package/apis; throws when two different shapes share a name. */
export async function generateTypes(): Promise<readonly GeneratedFile[]> {
  const files: GeneratedFile[] = [];
  for (const plural of readdirSync(new URL(APIS, ROOT)).sort()) {
    const text = readFileSync(new URL(`${APIS}${plural}/definition.yaml`, ROOT), "utf8");
    files.push({ path: `api/gen/${plural}.ts`, text: await generate(parse(text), plural) });
  }
  return files;
}

interface Xrd {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly referenceable: boolean;
      readonly schema: { readonly openAPIV3Schema: RawSchema };
    }[];
  };
}

async function generate(xrd: Xrd, plural: string): Promise<string> {
  const kind = xrd.spec.names.kind;
  const version = xrd.spec.versions.find((candidate) => candidate.referenceable);
  if (version === undefined) throw new Error(`${kind}: no version is referenceable`);
  const schema = compositeSchema(version.schema.openAPIV3Schema, xrd.spec as unknown as RawSchema);
  const shapes = new Shapes(kind);
  const properties = schema.properties as Record<string, RawSchema>;
  const root = {
    title: kind,
    type: "object",
    description: schema.description,
    additionalProperties: false,
    required: ["apiVersion", "kind", "metadata", "spec"],
    properties: {
      apiVersion: { const: `${xrd.spec.group}/${version.name}` },
      kind: { const: kind },
      metadata: { tsType: "ObjectMeta" },
      spec: shapes.convert(properties.spec ?? {}, "spec"),
      status: shapes.convert(properties.status ?? {}, "status"),
    },
    definitions: shapes.definitions,
  };
  const code = await compile(root as Parameters<typeof compile>[0], kind, {
    bannerComment: [
      `// Made by \`npm run generate\` from ${APIS}${plural}/definition.yaml; do not edit.`,
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
