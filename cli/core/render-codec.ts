import { WireReader } from "../../functions/wire/reader.ts";
import { readStruct } from "../../functions/wire/struct-decoder.ts";
import { writeStruct } from "../../functions/wire/struct-encoder.ts";
import { WireWriter } from "../../functions/wire/writer.ts";
import type { KubeObject } from "../../kube/object.ts";

/** What Crossplane's engine renders one reconcile from. */
export interface RenderRequest {
  readonly composite: KubeObject;
  readonly composition: KubeObject;
  /** Where each function of the pipeline listens, in plaintext, as `HOST:PORT`. */
  readonly functions: Readonly<Record<string, string>>;
  readonly observed: readonly KubeObject[];
  readonly required: readonly KubeObject[];
}

/** What that reconcile came to. */
export interface RenderResponse {
  readonly composite: KubeObject;
  readonly composed: readonly KubeObject[];
  readonly deleted: readonly KubeObject[];
  readonly events: readonly RenderEvent[];
}

/** An event that Crossplane's reconciler records. */
export interface RenderEvent {
  /** `Normal` or `Warning`. */
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** Encodes a `crossplane.render.v1alpha1` RenderRequest for a composite resource, by its field numbers. */
export function encodeRenderRequest(request: RenderRequest): Buffer {
  // The writer goes from back to front, so the fields come in falling order.
  const writer = new WireWriter();
  const input = writer.length;
  for (const object of [...request.required].reverse()) writeObject(writer, 0x2a, object);
  for (const object of [...request.observed].reverse()) writeObject(writer, 0x22, object);
  for (const [name, address] of Object.entries(request.functions)) {
    const entry = writer.length;
    writer.string(0x12, address);
    writer.string(0x0a, name);
    writer.close(0x1a, entry);
  }
  writeObject(writer, 0x12, request.composition);
  writeObject(writer, 0x0a, request.composite);
  writer.close(0x12, input);
  return writer.finish();
}

/** Decodes a RenderResponse; throws MalformedMessage on bytes that are none. */
export function decodeRenderResponse(bytes: Buffer): RenderResponse {
  const reader = new WireReader(bytes);
  let composite: KubeObject | undefined;
  const composed: KubeObject[] = [];
  const deleted: KubeObject[] = [];
  const events: RenderEvent[] = [];
  for (let end = bytes.length; reader.at < end; ) {
    const tag = reader.tag(end);
    // Field 1 is the response's metadata, 3 to 5 are the answers to other questions.
    if (tag === 0x0a || tag === 0x1a || tag === 0x22 || tag === 0x2a) reader.raw(end);
    else if (tag !== 0x12) reader.skip(tag, end, 5);
    if (tag !== 0x12) continue;
    const outputEnd = reader.fieldEnd(end);
    while (reader.at < outputEnd) {
      const field = reader.tag(outputEnd);
      if (field === 0x0a) composite = readObject(reader, outputEnd);
      else if (field === 0x12) composed.push(readObject(reader, outputEnd));
      else if (field === 0x1a) deleted.push(readObject(reader, outputEnd));
      else if (field === 0x22) events.push(readEvent(reader, reader.fieldEnd(outputEnd)));
      // Field 5 holds what else functions asked for, 6 schemas.
      else if (field === 0x2a || field === 0x32) reader.raw(outputEnd);
      else reader.skip(field, outputEnd, 6);
    }
  }
  if (composite === undefined) throw reader.malformed("the response has no composite resource");
  return { composite, composed, deleted, events };
}

function writeObject(writer: WireWriter, tag: number, object: KubeObject): void {
  const mark = writer.length;
  writeStruct(writer, object);
  writer.close(tag, mark);
}

function readObject(reader: WireReader, end: number): KubeObject {
  return readStruct(reader, reader.fieldEnd(end)) as unknown as KubeObject;
}

function readEvent(reader: WireReader, end: number): RenderEvent {
  const event = { type: "", reason: "", message: "" };
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) event.type = reader.string(end);
    else if (tag === 0x12) event.reason = reader.string(end);
    else if (tag === 0x1a) event.message = reader.string(end);
    else reader.skip(tag, end, 3);
  }
  return event;
}
