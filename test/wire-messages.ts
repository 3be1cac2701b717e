import {
  type Resource as ResourceMessage,
  RunFunctionRequest,
} from "@crossplane-org/function-sdk-typescript";

type Json = Record<string, unknown>;

/** A request in plain words; the SDK's own encoder makes the bytes, so that ours is not its own judge. */
export interface RequestParts {
  readonly tag?: string;
  readonly composite?: Json;
  readonly compositeConnection?: Record<string, Buffer>;
  readonly observed?: Readonly<Record<string, Json>>;
  readonly observedConnection?: Record<string, Buffer>;
  readonly desiredComposite?: ResourceMessage;
  readonly desired?: Record<string, ResourceMessage>;
  readonly input?: Json;
  readonly context?: Json;
  readonly required?: Readonly<Record<string, readonly Json[]>>;
  readonly extra?: Readonly<Record<string, readonly Json[]>>;
  readonly credentials?: Readonly<Record<string, Record<string, Buffer>>>;
}

/** Encodes a RunFunctionRequest with the SDK. */
export function encodeRequest(parts: RequestParts): Buffer {
  return Buffer.from(
    RunFunctionRequest.encode({
      meta: { tag: parts.tag ?? "", capabilities: [1, 2, 3, 4, 5] },
      observed: {
        composite:
          parts.composite === undefined
            ? undefined
            : resource(parts.composite, parts.compositeConnection),
        resources: mapValues(parts.observed ?? {}, (object) =>
          resource(object, parts.observedConnection),
        ),
      },
      desired: { composite: parts.desiredComposite, resources: parts.desired ?? {} },
      input: parts.input,
      context: parts.context,
      extraResources: mapValues(parts.extra ?? {}, items),
      requiredResources: mapValues(parts.required ?? {}, items),
      credentials: mapValues(parts.credentials ?? {}, (data) => ({ credentialData: { data } })),
      requiredSchemas: {},
    }).finish(),
  );
}

/** A `Resource` message as the SDK wants it. */
export function resource(object: Json, connectionDetails: Record<string, Buffer> = {}) {
  return { resource: object, connectionDetails, ready: 0 };
}

/** Wraps protobuf bytes as a length-delimited field, for messages that no encoder would write. */
export function frame(tag: number, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array)));
  const length: number[] = [];
  let rest = body.length;
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([tag, ...length, rest]), body]);
}

function items(objects: readonly Json[]) {
  return { items: objects.map((object) => resource(object)) };
}

function mapValues<A, B>(map: Readonly<Record<string, A>>, change: (value: A) => B) {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
