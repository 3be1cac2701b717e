import { isRecord, type KubeObject } from "../../kube/object.ts";
import type {
  ComposedResource,
  CompositeCondition,
  Composition,
  FunctionResult,
} from "../composition/composition.ts";
import type { ResourceSelector } from "../composition/requirement.ts";
import { MalformedMessage } from "./malformed.ts";
import { WireReader } from "./reader.ts";
import type { Envelope } from "./request.ts";
import { mergeOver } from "./status.ts";
import { readStruct } from "./struct-decoder.ts";
import { UnencodableValue, writeStruct } from "./struct-encoder.ts";
import { WireWriter } from "./writer.ts";

/** Crossplane asks again after this many seconds at the latest; see `crossplane` polling and TTL. */
const TTL_SECONDS = 60;

const FATAL_SIZE = 1_024;
const LONGEST_FATAL = 8_192;
const READY_TRUE = 1;
const READY_FALSE = 2;
const TARGET_COMPOSITE = 1;
const CONDITION_STATUS = { Unknown: 1, True: 2, False: 3 } as const;
const SEVERITY = { Fatal: 1, Warning: 2, Normal: 3 } as const;

/**
 * Encodes a whole RunFunctionResponse: the composition laid over what earlier steps desired, every
 * map in key order, so that equal values give equal bytes.
 *
 * Throws UnencodableValue, naming the resource and the path, for what protobuf can't carry.
 */
export function encodeResponse(
  envelope: Envelope,
  composite: KubeObject,
  composition: Composition,
): Buffer {
  const writer = new WireWriter();
  writeRepeated(writer, 0x32, composition.conditions, writeCondition);
  writeRequirements(writer, composition.requirements);
  if (envelope.context !== undefined) writer.raw(0x22, envelope.context);
  writeRepeated(writer, 0x1a, composition.results, writeResult);
  const desired = writer.length;
  writeResources(writer, envelope, composition.resources);
  writeComposite(writer, envelope, composite, composition);
  writer.close(0x12, desired);
  writeMeta(writer, envelope);
  return writer.finish();
}

/**
 * Encodes a response with one Fatal result, which stops the pipeline before anything is applied;
 * what earlier steps said passes through untouched, unless that alone exceeds `limit` bytes, where
 * the message matters more. The message is cut to 8,192 characters, as it may quote the request.
 */
export function encodeFatal(envelope: Envelope, message: string, limit: number): Buffer {
  const result: FunctionResult = { severity: "Fatal", message: message.slice(0, LONGEST_FATAL) };
  const response = writeFatal(envelope, result);
  if (response.length <= limit) return response;
  const nothing = { composite: undefined, resources: new Map() };
  return writeFatal({ tag: "", capabilities: [], desired: nothing, context: undefined }, result);
}

function writeFatal(envelope: Envelope, result: FunctionResult): Buffer {
  const writer = new WireWriter(FATAL_SIZE);
  if (envelope.context !== undefined) writer.raw(0x22, envelope.context);
  writeRepeated(writer, 0x1a, [result], writeResult);
  const desired = writer.length;
  writeResources(writer, envelope, []);
  if (envelope.desired.composite !== undefined) writer.raw(0x0a, envelope.desired.composite);
  writer.close(0x12, desired);
  writeMeta(writer, envelope);
  return writer.finish();
}

function writeMeta(writer: WireWriter, envelope: Envelope): void {
  const meta = writer.length;
  const ttl = writer.length;
  writer.integer(0x08, TTL_SECONDS);
  writer.close(0x12, ttl);
  writeText(writer, 0x0a, envelope.tag);
  writer.close(0x0a, meta);
}

function writeRepeated<T>(
  writer: WireWriter,
  tag: number,
  items: readonly T[],
  write: (writer: WireWriter, item: T) => void,
): void {
  for (let i = items.length - 1; i >= 0; i--) {
    const mark = writer.length;
    write(writer, items[i] as T);
    writer.close(tag, mark);
  }
}

function writeResources(
  writer: WireWriter,
  envelope: Envelope,
  resources: readonly ComposedResource[],
): void {
  const all = new Map<string, ComposedResource | Buffer>(envelope.desired.resources);
  const composed = new Set<string>();
  for (const resource of resources) {
    if (composed.has(resource.key)) {
      throw new UnencodableValue(`two resources are composed under the key ${resource.key}`);
    }
    composed.add(resource.key);
    all.set(resource.key, resource);
  }
  const keys = [...all.keys()].sort();
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] as string;
    const resource = all.get(key) as ComposedResource | Buffer;
    const entry = writer.length;
    if (Buffer.isBuffer(resource)) writer.raw(0x12, resource);
    else writeResource(writer, resource);
    writeText(writer, 0x0a, key);
    writer.close(0x12, entry);
  }
}

function writeResource(writer: WireWriter, resource: ComposedResource): void {
  const mark = writer.length;
  // Not ready is left unspecified, as Crossplane treats both alike.
  if (resource.ready) writer.integer(0x18, READY_TRUE);
  writeObject(writer, resource.object, `composed resource ${resource.key}`);
  writer.close(0x12, mark);
}

function writeObject(writer: WireWriter, object: object, label: string): void {
  const mark = writer.length;
  try {
    writeStruct(writer, object);
  } catch (error) {
    if (error instanceof UnencodableValue) {
      throw new UnencodableValue(`${label}: ${error.message}`);
    }
    throw error;
  }
  writer.close(0x0a, mark);
}

/** Adds our status and readiness to the composite that earlier steps desired; all else of it stays. */
function writeComposite(
  writer: WireWriter,
  envelope: Envelope,
  composite: KubeObject,
  composition: Composition,
): void {
  const encoded = envelope.desired.composite;
  const hasStatus = Object.keys(composition.status).length > 0;
  if (!hasStatus && composition.ready === undefined) {
    if (encoded !== undefined) writer.raw(0x0a, encoded);
    return;
  }
  const earlier = readEarlier(encoded ?? Buffer.alloc(0));
  const ready = composition.ready === false ? READY_FALSE : earlier.ready;
  const mark = writer.length;
  if (ready !== 0) writer.integer(0x18, ready);
  for (const details of earlier.connectionDetails.reverse()) writer.raw(0x12, details);
  if (hasStatus) {
    const status = isRecord(earlier.object.status) ? earlier.object.status : {};
    const object = {
      ...earlier.object,
      apiVersion: composite.apiVersion,
      kind: composite.kind,
      status: mergeOver(status, composition.status),
    };
    writeObject(writer, object, "composite resource");
  } else if (earlier.struct !== undefined) {
    writer.raw(0x0a, earlier.struct);
  }
  writer.close(0x0a, mark);
}

interface EarlierComposite {
  readonly struct: Buffer | undefined;
  readonly object: Readonly<Record<string, unknown>>;
  readonly connectionDetails: Buffer[];
  readonly ready: number;
}

function readEarlier(encoded: Buffer): EarlierComposite {
  try {
    return readComposite(new WireReader(encoded));
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    throw new MalformedMessage(`desired.composite: ${error.message}`);
  }
}

function readComposite(reader: WireReader): EarlierComposite {
  let struct: Buffer | undefined;
  const connectionDetails: Buffer[] = [];
  let ready = 0;
  const end = reader.bytes.length;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) struct = reader.raw(end);
    else if (tag === 0x12) connectionDetails.push(reader.raw(end));
    else if (tag === 0x18) ready = reader.varint(end);
    else reader.skip(tag, end, 3);
  }
  const object = struct === undefined ? {} : readStruct(reader, reader.enter(struct));
  return { struct, object, connectionDetails, ready };
}

/** Left out when there are none: an empty message costs a second call on Crossplane up to 2.3. */
function writeRequirements(
  writer: WireWriter,
  requirements: Readonly<Record<string, ResourceSelector>>,
): void {
  const names = Object.keys(requirements).sort();
  if (names.length === 0) return;
  const mark = writer.length;
  for (const name of names.reverse()) {
    const entry = writer.length;
    const selector = writer.length;
    writeSelector(writer, requirements[name] as ResourceSelector);
    writer.close(0x12, selector);
    writeText(writer, 0x0a, name);
    writer.close(0x12, entry);
  }
  writer.close(0x2a, mark);
}

function writeSelector(writer: WireWriter, selector: ResourceSelector): void {
  if (selector.namespace !== undefined) writer.string(0x2a, selector.namespace);
  if ("name" in selector.match) writer.string(0x1a, selector.match.name);
  else writeLabels(writer, selector.match.labels);
  writeText(writer, 0x12, selector.kind);
  writeText(writer, 0x0a, selector.apiVersion);
}

function writeLabels(writer: WireWriter, labels: Readonly<Record<string, string>>): void {
  const mark = writer.length;
  for (const key of Object.keys(labels).sort().reverse()) {
    const entry = writer.length;
    writeText(writer, 0x12, labels[key] as string);
    writeText(writer, 0x0a, key);
    writer.close(0x0a, entry);
  }
  writer.close(0x22, mark);
}

function writeCondition(writer: WireWriter, condition: CompositeCondition): void {
  writer.integer(0x28, TARGET_COMPOSITE);
  if (condition.message !== undefined) writer.string(0x22, condition.message);
  writeText(writer, 0x1a, condition.reason);
  writer.integer(0x10, CONDITION_STATUS[condition.status]);
  writeText(writer, 0x0a, condition.type);
}

function writeResult(writer: WireWriter, result: FunctionResult): void {
  if (result.reason !== undefined) writer.string(0x1a, result.reason);
  writeText(writer, 0x12, result.message);
  writer.integer(0x08, SEVERITY[result.severity]);
}

/** Writes a string field without presence: proto3 leaves out the empty one. */
function writeText(writer: WireWriter, tag: number, text: string): void {
  if (text !== "") writer.string(tag, text);
}
