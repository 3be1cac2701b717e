import type { CompositeCondition, FunctionResult } from "../functions/composition/composition.ts";
import type { ResourceSelector } from "../functions/composition/requirement.ts";
import { WireReader } from "../functions/wire/reader.ts";
import { readResource } from "../functions/wire/resources.ts";
import { readStruct } from "../functions/wire/struct-decoder.ts";
import { writeStruct } from "../functions/wire/struct-encoder.ts";
import { WireWriter } from "../functions/wire/writer.ts";
import { isRecord, type KubeObject } from "../kube/object.ts";
import type { Desired, DesiredResource, StepAnswer, StepRequest } from "./simulation/step.ts";

/** Capabilities, required resources, credentials, conditions, required schemas: as core sends them. */
const capabilities = Uint8Array.of(1, 2, 3, 4, 5);

const severities: Readonly<Record<number, FunctionResult["severity"]>> = {
  1: "Fatal",
  2: "Warning",
  3: "Normal",
};
const statuses: Readonly<Record<number, CompositeCondition["status"]>> = { 2: "True", 3: "False" };
const readyTrue = 1;
const readyFalse = 2;

/**
 * Encodes a call as Crossplane does: `apiextensions.fn.proto.v1` RunFunctionRequest, the other
 * direction of functions/wire. Throws UnencodableValue for what protobuf can't carry.
 */
export function encodeRequest(request: StepRequest): Buffer {
  // The writer goes from back to front, so the fields come in falling order.
  const writer = new WireWriter();
  writeMap(writer, 0x42, request.required, (objects) => {
    for (const object of [...objects].reverse()) {
      const item = writer.length;
      writeObject(writer, 0x0a, object);
      writer.close(0x0a, item);
    }
  });
  writeObject(writer, 0x2a, request.context);
  if (request.step.input !== undefined) writeObject(writer, 0x22, request.step.input);
  writeDesired(writer, request.desired, request.composite);
  const observed = writer.length;
  writeMap(writer, 0x12, request.observed, (object) => writeObject(writer, 0x0a, object));
  writeResource(writer, request.composite);
  writer.close(0x12, observed);
  const meta = writer.length;
  writer.raw(0x12, capabilities);
  writer.close(0x0a, meta);
  return writer.finish();
}

function writeMap<T>(
  writer: WireWriter,
  tag: number,
  map: ReadonlyMap<string, T>,
  writeValue: (value: T) => void,
): void {
  const entries = [...map].sort(([a], [b]) => (a < b ? 1 : -1));
  for (const [key, value] of entries) {
    const entry = writer.length;
    writeValue(value);
    writer.close(0x12, entry);
    writer.string(0x0a, key);
    writer.close(tag, entry);
  }
}

function writeObject(writer: WireWriter, tag: number, object: object): void {
  const mark = writer.length;
  writeStruct(writer, object);
  writer.close(tag, mark);
}

function writeResource(writer: WireWriter, object: object): void {
  const mark = writer.length;
  writeObject(writer, 0x0a, object);
  writer.close(0x0a, mark);
}

function writeDesired(writer: WireWriter, desired: Desired, composite: KubeObject): void {
  const mark = writer.length;
  writeMap(writer, 0x12, desired.resources, ({ object, ready }) => {
    if (ready) writer.integer(0x18, readyTrue);
    writeObject(writer, 0x0a, object);
  });
  if (Object.keys(desired.status).length > 0 || desired.ready !== undefined) {
    const own = writer.length;
    if (desired.ready !== undefined) writer.integer(0x18, desired.ready ? readyTrue : readyFalse);
    const { apiVersion, kind } = composite;
    writeObject(writer, 0x0a, { apiVersion, kind, status: desired.status });
    writer.close(0x0a, own);
  }
  writer.close(0x1a, mark);
}

/** Decodes a RunFunctionResponse; throws MalformedMessage on bytes that are none. */
export function decodeResponse(bytes: Buffer): StepAnswer {
  const reader = new WireReader(bytes);
  const requirements: [string, ResourceSelector][] = [];
  const conditions: CompositeCondition[] = [];
  const results: FunctionResult[] = [];
  let desired: Desired = { status: {}, ready: undefined, resources: new Map() };
  let context: StepAnswer["context"] = {};
  eachField(reader, bytes.length, (tag, end) => {
    if (tag === 0x12) desired = readDesired(reader, reader.fieldEnd(end));
    else if (tag === 0x1a) results.push(readResult(reader, reader.fieldEnd(end)));
    else if (tag === 0x22) context = readStruct(reader, reader.fieldEnd(end));
    else if (tag === 0x2a) requirements.push(...readRequirements(reader, reader.fieldEnd(end)));
    else if (tag === 0x32) conditions.push(readCondition(reader, reader.fieldEnd(end)));
    else if (tag === 0x0a || tag === 0x3a) reader.raw(end);
    else reader.skip(tag, end, 7);
  });
  return { desired, requirements: Object.fromEntries(requirements), conditions, results, context };
}

function eachField(
  reader: WireReader,
  end: number,
  read: (tag: number, end: number) => void,
): void {
  while (reader.at < end) read(reader.tag(end), end);
}

/** Reads one entry of a map from strings to messages. */
function readEntry(reader: WireReader, end: number): { key: string; value: Buffer } {
  let key = "";
  let value = reader.bytes.subarray(end, end);
  eachField(reader, end, (tag) => {
    if (tag === 0x0a) key = reader.string(end);
    else if (tag === 0x12) value = reader.raw(end);
    else reader.skip(tag, end, 2);
  });
  return { key, value };
}

function readDesired(reader: WireReader, end: number): Desired {
  const resources = new Map<string, DesiredResource>();
  let status: Desired["status"] = {};
  let ready: boolean | undefined;
  eachField(reader, end, (tag) => {
    if (tag === 0x0a) {
      const bytes = reader.raw(end);
      const after = reader.at;
      const flag = readReady(reader, bytes);
      ready = flag === readyTrue ? true : flag === readyFalse ? false : undefined;
      const found = readCompositeStatus(reader, bytes);
      if (found !== undefined) status = found;
      reader.at = after;
    } else if (tag === 0x12) {
      const { key, value } = readEntry(reader, reader.fieldEnd(end));
      const after = reader.at;
      const object = readResource(reader, value, "desired.resources", key);
      resources.set(key, { object, ready: readReady(reader, value) === readyTrue });
      reader.at = after;
    } else {
      reader.skip(tag, end, 2);
    }
  });
  return { status, ready, resources };
}

/** The status in an encoded composite, which may be no more than that. */
function readCompositeStatus(reader: WireReader, resource: Buffer): Desired["status"] | undefined {
  let status: Desired["status"] | undefined;
  eachField(reader, reader.enter(resource), (tag, end) => {
    if (tag === 0x0a) {
      const object = readStruct(reader, reader.fieldEnd(end));
      if (isRecord(object.status)) status = object.status;
    } else if (tag === 0x12) reader.raw(end);
    else if (tag === 0x18) reader.varint(end);
    else reader.skip(tag, end, 3);
  });
  return status;
}

function readReady(reader: WireReader, resource: Buffer): number {
  let ready = 0;
  eachField(reader, reader.enter(resource), (tag, end) => {
    if (tag === 0x18) ready = reader.varint(end);
    else if (tag === 0x0a || tag === 0x12) reader.raw(end);
    else reader.skip(tag, end, 3);
  });
  return ready;
}

function readRequirements(reader: WireReader, end: number): [string, ResourceSelector][] {
  const found: [string, ResourceSelector][] = [];
  eachField(reader, end, (tag) => {
    // Field 1 is what field 2 was called before; schemas (3) are not simulated.
    if (tag === 0x0a || tag === 0x12) {
      const { key, value } = readEntry(reader, reader.fieldEnd(end));
      const after = reader.at;
      found.push([key, readSelector(reader, reader.enter(value))]);
      reader.at = after;
    } else if (tag === 0x1a) reader.raw(end);
    else reader.skip(tag, end, 3);
  });
  return found;
}

function readSelector(reader: WireReader, end: number): ResourceSelector {
  let apiVersion = "";
  let kind = "";
  let name: string | undefined;
  let namespace: string | undefined;
  const labels: [string, string][] = [];
  eachField(reader, end, (tag) => {
    if (tag === 0x0a) apiVersion = reader.string(end);
    else if (tag === 0x12) kind = reader.string(end);
    else if (tag === 0x1a) name = reader.string(end);
    else if (tag === 0x22) labels.push(...readLabels(reader, reader.fieldEnd(end)));
    else if (tag === 0x2a) namespace = reader.string(end);
    else reader.skip(tag, end, 5);
  });
  return {
    apiVersion,
    kind,
    match: name === undefined ? { labels: Object.fromEntries(labels) } : { name },
    ...(namespace === undefined ? {} : { namespace }),
  };
}

function readLabels(reader: WireReader, end: number): [string, string][] {
  const labels: [string, string][] = [];
  eachField(reader, end, (tag) => {
    if (tag !== 0x0a) return reader.skip(tag, end, 1);
    const { key, value } = readEntry(reader, reader.fieldEnd(end));
    labels.push([key, value.toString("utf8")]);
  });
  return labels;
}

function readCondition(reader: WireReader, end: number): CompositeCondition {
  let type = "";
  let status: CompositeCondition["status"] = "Unknown";
  let reason = "";
  let message: string | undefined;
  eachField(reader, end, (tag) => {
    if (tag === 0x0a) type = reader.string(end);
    else if (tag === 0x10) status = statuses[reader.varint(end)] ?? "Unknown";
    else if (tag === 0x1a) reason = reader.string(end);
    else if (tag === 0x22) message = reader.string(end);
    else if (tag === 0x28) reader.varint(end);
    else reader.skip(tag, end, 5);
  });
  return { type, status, reason, ...(message === undefined ? {} : { message }) };
}

function readResult(reader: WireReader, end: number): FunctionResult {
  let severity: FunctionResult["severity"] = "Warning";
  let message = "";
  let reason: string | undefined;
  eachField(reader, end, (tag) => {
    if (tag === 0x08) severity = severities[reader.varint(end)] ?? "Warning";
    else if (tag === 0x12) message = reader.string(end);
    else if (tag === 0x1a) reason = reader.string(end);
    else if (tag === 0x20) reader.varint(end);
    else reader.skip(tag, end, 4);
  });
  return { severity, message, ...(reason === undefined ? {} : { reason }) };
}
