import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { CompositionRequest, Handler } from "../functions/composition/composition.ts";
import { runFunction } from "../functions/run.ts";
import { decodeRequest } from "../functions/wire/request.ts";
import { encodeRequest, type RequestParts } from "./wire-messages.ts";

type Fields = Record<string, unknown>;

const when = "2026-11-02T09:30:00Z";
/** A replica of examples/ that Crossplane asks about, its cluster, and what already runs for it. */
export interface Scene {
  /** The example's directory. */
  readonly name: string;
  /** The whole request of a steady state: cluster found, every composed resource observed. */
  readonly parts: RequestParts & {
    readonly composite: Fields;
    readonly required: Readonly<Record<string, readonly Fields[]>>;
    readonly observed: Readonly<Record<string, Fields>>;
  };
}

/** Builds scenes of examples; what is observed is what the handlers compose, as a provider stores it. */
export function replicaScenes(handlers: readonly Handler[], names: readonly string[]) {
  return names.map((name): Scene => {
    const read = (file: string) =>
      parse(
        readFileSync(new URL(`../examples/${name}/${file}`, import.meta.url), "utf8"),
      ) as Fields;
    const composite = read("xr.yaml");
    const parts = {
      tag: "0".repeat(64),
      composite: {
        ...composite,
        metadata: { ...stored("", { generation: 7 }), ...(composite.metadata as Fields) },
      },
      required: { cluster: [read("required.yaml")] },
    };
    return { name, parts: { ...parts, observed: observe(handlers, encodeRequest(parts)) } };
  });
}

function observe(handlers: readonly Handler[], bytes: Buffer): Record<string, Fields> {
  const outcome = runFunction(handlers, bytes, "scene");
  if ("invalid" in outcome) throw new Error(outcome.invalid);
  if (outcome.facts.bug !== undefined) throw outcome.facts.bug;
  const decoded = decodeRequest(bytes);
  if ("problem" in decoded) throw new Error(decoded.problem);
  const { request } = decoded;
  const handler = handlers.find(({ kind }) => kind === request.composite.kind);
  const composition = handler?.compose(request) ?? { resources: [] as const };
  if (composition.resources.length === 0) {
    throw new Error(`the scene composes nothing: ${JSON.stringify(composition)}`);
  }
  return Object.fromEntries(
    composition.resources.map(({ key, object }) => [key, asStored(request, key, object)]),
  );
}

/** A composed object after Crossplane applied it and the provider observed its remote manifest. */
function asStored(request: CompositionRequest, key: string, object: Fields): Fields {
  const { composite } = request;
  const spec = object.spec as { forProvider?: { manifest?: Fields } } | undefined;
  const manifest = spec?.forProvider?.manifest ?? {};
  const metadata = (manifest.metadata ?? {}) as Fields;
  const remote = {
    ...manifest,
    metadata: { ...metadata, ...stored(String(metadata.name), { generation: 1 }) },
    status: {
      observedGeneration: 1,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      conditions: [
        {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "",
          lastTransitionTime: when,
          lastUpdateTime: when,
        },
      ],
    },
  };
  const name = `${composite.metadata?.name}-${key}`;
  return {
    ...object,
    metadata: {
      ...stored(name, { generation: 2 }),
      ...((object.metadata ?? {}) as Fields),
      name,
      namespace: composite.metadata?.namespace,
      annotations: {
        "crossplane.io/composition-resource-name": key,
        "crossplane.io/external-create-pending": when,
        "crossplane.io/external-name": name,
      },
      labels: { "crossplane.io/composite": composite.metadata?.name },
      finalizers: ["finalizer.managedresource.crossplane.io"],
      ownerReferences: [
        {
          apiVersion: composite.apiVersion,
          kind: composite.kind,
          name: composite.metadata?.name,
          uid: composite.metadata?.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: managedFields(object),
    },
    status: {
      atProvider: {
        manifest: {
          ...remote,
          metadata: { ...remote.metadata, managedFields: managedFields(remote) },
        },
      },
      conditions: ["Ready", "Synced"].map((type) => ({
        type,
        status: "True",
        reason: type === "Ready" ? "Available" : "ReconcileSuccess",
        lastTransitionTime: when,
      })),
    },
  };
}

function stored(name: string, more: Fields): Fields {
  return {
    name,
    uid: "6f1c2a94-58c0-4f0e-9d5c-0f6f3d1b7a20",
    resourceVersion: "4815162342",
    creationTimestamp: when,
    ...more,
  };
}

/** What server-side apply records about an object's fields: about as many keys as the object has. */
function managedFields(object: Fields): readonly Fields[] {
  return ["crossplane", "provider-kubernetes"].map((manager) => ({
    manager,
    operation: "Apply",
    apiVersion: object.apiVersion,
    time: when,
    fieldsType: "FieldsV1",
    fieldsV1: ownedFields(object),
  }));
}

function ownedFields(value: unknown): Fields {
  if (typeof value !== "object" || value === null) return {};
  const entries = Array.isArray(value)
    ? value.map((item, index) => [`k:{"name":"${index}"}`, ownedFields(item)] as const)
    : Object.entries(value).map(([key, item]) => [`f:${key}`, ownedFields(item)] as const);
  return Object.fromEntries(entries);
}
