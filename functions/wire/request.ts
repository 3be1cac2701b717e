import type { CompositionRequest } from "../composition/composition.ts";
import { MalformedMessage } from "./malformed.ts";
import { WireReader } from "./reader.ts";
import { observedResources, readObject, readResource, requiredResources } from "./resources.ts";

/** A `State` of earlier steps: encoded `Resource` messages, never looked into unless we add to one. */
export interface EncodedState {
  readonly composite: Buffer | undefined;
  readonly resources: ReadonlyMap<string, Buffer>;
}

/** What the response repeats from the request. */
export interface Envelope {
  readonly tag: string;
  /** What the caller says it supports, by number; empty before Crossplane 2.2. */
  readonly capabilities: readonly number[];
  readonly desired: EncodedState;
  /** The encoded `Struct` of the pipeline's context. */
  readonly context: Buffer | undefined;
}

/** A `RunFunctionRequest` whose resources are decoded on first use. */
export interface DecodedRequest {
  readonly envelope: Envelope;
  readonly request: CompositionRequest;
}

/** Why bytes are no `RunFunctionRequest`: which part, what is wrong, and at which byte. */
export interface RequestError {
  readonly problem: string;
}

/**
 * Decodes an `apiextensions.fn.proto.v1` RunFunctionRequest, by the field numbers of Crossplane's
 * `run_function.proto`. Credentials, connection details and schemas are skipped, never decoded.
 *
 * Each resource is decoded when a handler first asks for it, which throws MalformedMessage if that
 * resource is malformed.
 */
export function decodeRequest(bytes: Buffer): DecodedRequest | RequestError {
  try {
    return readRequest(new WireReader(bytes));
  } catch (error) {
    if (error instanceof MalformedMessage) return { problem: error.message };
    throw error;
  }
}

interface Found {
  tag: string;
  capabilities: number[];
  observed: EncodedState;
  desired: EncodedState;
  input: Buffer | undefined;
  context: Buffer | undefined;
  readonly required: Map<string, readonly Buffer[]>;
  readonly extra: Map<string, readonly Buffer[]>;
}

function readRequest(reader: WireReader): DecodedRequest {
  const found = readFields(reader);
  const { composite } = found.observed;
  if (composite === undefined) {
    throw new MalformedMessage(
      "observed.composite is missing; sluice composes composite resources",
    );
  }
  return {
    envelope: {
      tag: found.tag,
      capabilities: found.capabilities,
      desired: found.desired,
      context: found.context,
    },
    request: {
      composite: readResource(reader, composite, "observed.composite"),
      observed: observedResources(reader, found.observed.resources),
      // `extra_resources` is what Crossplane called them before; it still fills in both.
      required: requiredResources(reader, new Map([...found.extra, ...found.required])),
      input: found.input === undefined ? undefined : readObject(reader, found.input, "input"),
    },
  };
}

function readFields(reader: WireReader): Found {
  const nothing: EncodedState = { composite: undefined, resources: new Map() };
  const found: Found = {
    tag: "",
    capabilities: [],
    observed: nothing,
    desired: nothing,
    input: undefined,
    context: undefined,
    required: new Map(),
    extra: new Map(),
  };
  const end = reader.bytes.length;
  while (reader.at < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 0x0a:
        readMeta(reader, reader.fieldEnd(end), found);
        break;
      case 0x12:
        found.observed = readState(reader, reader.fieldEnd(end));
        break;
      case 0x1a:
        found.desired = readState(reader, reader.fieldEnd(end));
        break;
      case 0x22:
        found.input = reader.raw(end);
        break;
      case 0x2a:
        found.context = reader.raw(end);
        break;
      case 0x32:
        readRequirement(reader, reader.fieldEnd(end), found.extra);
        break;
      case 0x3a: // credentials
      case 0x4a: // required_schemas
        reader.raw(end);
        break;
      case 0x42:
        readRequirement(reader, reader.fieldEnd(end), found.required);
        break;
      default:
        reader.skip(tag, end, 9);
    }
  }
  return found;
}

function readMeta(reader: WireReader, end: number, found: Found): void {
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) {
      found.tag = reader.string(end);
    } else if (tag === 0x12) {
      // Repeated enums come packed; a parser must take them one by one too.
      const packedEnd = reader.fieldEnd(end);
      while (reader.at < packedEnd) found.capabilities.push(reader.varint(packedEnd));
    } else if (tag === 0x10) {
      found.capabilities.push(reader.varint(end));
    } else {
      reader.skip(tag, end, 2);
    }
  }
}

function readState(reader: WireReader, end: number): EncodedState {
  let composite: Buffer | undefined;
  const resources = new Map<string, Buffer>();
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) composite = reader.raw(end);
    else if (tag === 0x12) readMapEntry(reader, reader.fieldEnd(end), resources);
    else reader.skip(tag, end, 2);
  }
  return { composite, resources };
}

function readMapEntry(reader: WireReader, end: number, entries: Map<string, Buffer>): void {
  let key = "";
  let value = reader.bytes.subarray(end, end);
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) key = reader.string(end);
    else if (tag === 0x12) value = reader.raw(end);
    else reader.skip(tag, end, 2);
  }
  entries.set(key, value);
}

function readRequirement(
  reader: WireReader,
  end: number,
  requirements: Map<string, readonly Buffer[]>,
): void {
  let key = "";
  let items: Buffer[] = [];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) key = reader.string(end);
    else if (tag === 0x12) items = readItems(reader, reader.fieldEnd(end));
    else reader.skip(tag, end, 2);
  }
  requirements.set(key, items);
}

function readItems(reader: WireReader, end: number): Buffer[] {
  const items: Buffer[] = [];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) items.push(reader.raw(end));
    else reader.skip(tag, end, 1);
  }
  return items;
}
