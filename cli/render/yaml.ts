import { stringify } from "yaml";
import type { FunctionResult } from "../../functions/composition/composition.ts";
import { isRecord, type KubeObject } from "../../kube/object.ts";
import type { SimulatedComposite, Simulation } from "../simulation/simulate.ts";
import { canonicalOrder } from "./order.ts";

/**
 * Prints a simulation as `crossplane composition render -x -r` prints a reconcile: for each
 * composite resource itself, its composed resources by resource key, and its results.
 */
export function renderYaml(simulation: Simulation): string {
  return simulation.composites.flatMap(documents).map(renderDocument).join("");
}

/** Prints one object as a YAML document with its `---` line, keys in canonical order. */
export function renderDocument(object: KubeObject): string {
  const text = stringify(canonicalOrder(object), {
    lineWidth: 0,
    indentSeq: false,
    aliasDuplicateObjects: false,
    // Go's parsers still read `on` as a boolean and a bare date as a time, so such strings are quoted.
    version: "1.1",
  });
  return `---\n${text}`;
}

/** The documents of one composite, in the order in which they are printed. */
function documents({ composite, applied, results }: SimulatedComposite): readonly KubeObject[] {
  return [
    bareComposite(composite),
    ...applied.map(({ object }) => bareComposed(object)),
    ...results.map(resultDocument),
  ];
}

/** A composite without what only the simulated API server gave it. */
function bareComposite(composite: KubeObject): KubeObject {
  const { metadata = {}, ...rest } = composite;
  const { uid, generation, ownerReferences, ...kept } = metadata;
  return { ...rest, metadata: kept, apiVersion: composite.apiVersion, kind: composite.kind };
}

/** A composed resource as it is applied: a nested composite's status is its own document's matter. */
function bareComposed(object: KubeObject): KubeObject {
  const { status, ...applied } = object;
  return applied as KubeObject;
}

function resultDocument({ severity, reason, message }: FunctionResult): KubeObject {
  return {
    apiVersion: "render.crossplane.io/v1beta1",
    kind: "Result",
    message,
    reason: reason ?? "ComposeResources",
    severity,
  };
}

/** Prints a simulation as one JSON object. */
export function renderJson(simulation: Simulation): string {
  const composites = simulation.composites.map((one) => ({
    composite: canonicalOrder(bareComposite(one.composite)),
    composed: one.applied.map(({ key, object, ready, findings }) => ({
      key,
      ready,
      object: canonicalOrder(bareComposed(object)),
      ...(findings.length === 0 ? {} : { findings }),
    })),
    deleted: one.deleted.map(({ key, object }) => ({
      key,
      apiVersion: object.apiVersion,
      kind: object.kind,
      namespace: object.metadata?.namespace,
      name: object.metadata?.name,
    })),
    results: one.results,
    ...(isRecord(one.error) || one.error === undefined ? {} : { error: one.error }),
  }));
  const { settled } = simulation;
  return `${JSON.stringify({ composites, settled }, null, 2)}\n`;
}
