import type { KubeObject } from "../../kube/object.ts";
import type { ObservedResources } from "../composition/composition.ts";
import type { FieldTree, RequiredResources, Resolution } from "../composition/requirement.ts";
import { MalformedMessage } from "./malformed.ts";
import { toKubeObject } from "./object.ts";
import type { WireReader } from "./reader.ts";
import { Deferred, type FieldReading, narrow, type Reading, readStruct } from "./struct-decoder.ts";

/**
 * Nothing we compose may depend on who last wrote which field of an object on this side, and
 * `managedFields` is about half of a stored object's bytes. What a provider copies of a remote
 * object is read of workloads and routes alone, and its `managedFields`, which tell how fresh a
 * status is, of fewer still, so both wait to be asked for.
 */
const WHOLE: Reading = reading({
  metadata: reading({ managedFields: "skip" }),
  status: reading({
    atProvider: reading({
      manifest: new Deferred(reading({ metadata: reading({ managedFields: new Deferred() }) })),
    }),
  }),
});

function reading(named: Readonly<Record<string, FieldReading>>): Reading {
  return { named: new Map(Object.entries(named)), others: "whole" };
}

/** Serves observed resources from encoded `Resource` messages; see `decodeRequest` for errors. */
export function observedResources(
  reader: WireReader,
  encoded: ReadonlyMap<string, Buffer>,
): ObservedResources {
  const decoded = new Map<string, KubeObject>();
  return {
    keys: [...encoded.keys()].sort(),
    get(key) {
      const known = decoded.get(key);
      if (known !== undefined) return known;
      const bytes = encoded.get(key);
      if (bytes === undefined) return undefined;
      const object = readResource(reader, bytes, "observed.resources", key);
      decoded.set(key, object);
      return object;
    },
  };
}

/** Serves required resources from encoded `Resource` messages by requirement name. */
export function requiredResources(
  reader: WireReader,
  encoded: ReadonlyMap<string, readonly Buffer[]>,
): RequiredResources {
  const decoded = new Map<string, Map<FieldTree | undefined, Resolution<readonly KubeObject[]>>>();
  return (requirement, fields) => {
    const known = decoded.get(requirement) ?? new Map();
    decoded.set(requirement, known);
    const resolution =
      known.get(fields) ?? resolve(reader, requirement, encoded.get(requirement), fields);
    known.set(fields, resolution);
    return resolution;
  };
}

/** A key that is missing was not asked for yet; a key without items was looked up and not found. */
function resolve(
  reader: WireReader,
  requirement: string,
  items: readonly Buffer[] | undefined,
  fields: FieldTree | undefined,
): Resolution<readonly KubeObject[]> {
  if (items === undefined) return { state: "unresolved" };
  if (items.length === 0) return { state: "absent" };
  const reading = fields === undefined ? WHOLE : narrow(withIdentity(fields), WHOLE);
  const objects = items.map((item) =>
    readResource(reader, item, "required_resources", requirement, reading),
  );
  return { state: "present", value: objects.sort(byNamespaceAndName) };
}

/** Adds what an object is checked and sorted by. */
function withIdentity(fields: FieldTree): FieldTree {
  const { metadata } = fields;
  return {
    ...fields,
    apiVersion: true,
    kind: true,
    metadata: metadata === true ? true : { ...metadata, name: true, namespace: true },
  };
}

function byNamespaceAndName(a: KubeObject, b: KubeObject): number {
  return (
    compare(a.metadata?.namespace ?? "", b.metadata?.namespace ?? "") ||
    compare(a.metadata?.name ?? "", b.metadata?.name ?? "")
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Decodes the object of an encoded `Resource`; `field` and `key` say which one in errors. */
export function readResource(
  reader: WireReader,
  resource: Buffer,
  field: string,
  key?: string,
  reading = WHOLE,
): KubeObject {
  const end = reader.enter(resource);
  let struct = resource.subarray(0, 0);
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) struct = reader.raw(end);
    // connection_details, which no handler sees
    else if (tag === 0x12) reader.raw(end);
    else if (tag === 0x18) reader.varint(end);
    else reader.skip(tag, end, 3);
  }
  return readObject(reader, struct, field, key, reading);
}

/** Decodes an encoded `Struct` that must hold a Kubernetes object. */
export function readObject(
  reader: WireReader,
  struct: Buffer,
  field: string,
  key?: string,
  reading = WHOLE,
): KubeObject {
  let problem: KubeObject | string;
  try {
    problem = toKubeObject(readStruct(reader, reader.enter(struct), reading));
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    problem = error.message;
  }
  if (typeof problem !== "string") return problem;
  const where = key === undefined ? field : `${field}[${JSON.stringify(key)}]`;
  throw new MalformedMessage(`${where}: ${problem}`);
}
