import type { Composition, FunctionResult, Handler } from "./composition/composition.ts";
import { MalformedMessage } from "./wire/malformed.ts";
import { type DecodedRequest, decodeRequest } from "./wire/request.ts";
import { encodeFatal, encodeResponse } from "./wire/response.ts";

/** Crossplane's gRPC client takes no larger message, whatever the function allows. */
export const LARGEST_RESPONSE = 4 * 1024 * 1024;

/** What a log line or a metric may say about one call: no object, no secret. */
export interface CallFacts {
  /** `apiVersion/kind` of the XR when it is one we compose, else `other`: a bounded label. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly severities: Readonly<Record<FunctionResult["severity"], number>>;
  /** The reason of a hold, from the composition. */
  readonly holding: string | undefined;
  /** A bug in a handler: the exception, for the log alone. */
  readonly bug: unknown;
}

/** The answer to one call: encoded response bytes, or why the request can't be decoded. */
export type Outcome =
  | { readonly response: Buffer; readonly facts: CallFacts }
  | { readonly invalid: string };

/**
 * Answers one encoded RunFunctionRequest with the handler of its XR's kind: decode, dispatch,
 * encode. Never throws. A bug in a handler becomes one Fatal result that carries `correlationId`,
 * under which the caller logs `facts.bug`.
 */
export function runFunction(
  handlers: readonly Handler[],
  bytes: Buffer,
  correlationId: string,
): Outcome {
  const decoded = decodeRequest(bytes);
  if ("problem" in decoded) return { invalid: invalid(decoded.problem) };
  const { composite } = decoded.request;
  const handler = handlers.find(
    ({ apiVersion, kind }) => apiVersion === composite.apiVersion && kind === composite.kind,
  );
  if (handler === undefined) return fatal(decoded, bytes, undefined, unserved(decoded, handlers));
  try {
    return composed(decoded, bytes, handler.compose(decoded.request));
  } catch (error) {
    // A resource that a handler looked at is malformed; the others were never decoded.
    if (error instanceof MalformedMessage) return { invalid: invalid(error.message) };
    const message = `sluice has a bug: composing this ${composite.kind} failed, nothing was changed. Look for correlationId ${correlationId} in the log of function-sluice and report it with the stack found there.`;
    return fatal(decoded, bytes, handler, message, error);
  }
}

function composed(decoded: DecodedRequest, bytes: Buffer, composition: Composition): Outcome {
  const { composite } = decoded.request;
  const response = encodeResponse(decoded.envelope, composite, composition);
  if (response.length > LARGEST_RESPONSE) {
    const message = `The response for ${composite.kind} ${composite.metadata?.name} has ${response.length} bytes, and Crossplane takes at most ${LARGEST_RESPONSE}. Nothing was changed. Make its spec smaller, or let earlier pipeline steps compose less.`;
    return fatal(decoded, bytes, composite, message);
  }
  const severities = { Normal: 0, Warning: 0, Fatal: 0 };
  for (const { severity } of composition.results) severities[severity]++;
  return {
    response,
    facts: {
      ...identify(decoded, composite),
      requestBytes: bytes.length,
      responseBytes: response.length,
      severities,
      holding: composition.holding,
      bug: undefined,
    },
  };
}

interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

function fatal(
  decoded: DecodedRequest,
  bytes: Buffer,
  served: ServedKind | undefined,
  message: string,
  bug?: unknown,
): Outcome {
  const response = encodeFatal(decoded.envelope, message, LARGEST_RESPONSE);
  return {
    response,
    facts: {
      ...identify(decoded, served),
      requestBytes: bytes.length,
      responseBytes: response.length,
      severities: { Normal: 0, Warning: 0, Fatal: 1 },
      holding: undefined,
      bug,
    },
  };
}

function identify({ request }: DecodedRequest, served: ServedKind | undefined) {
  return {
    kind: served === undefined ? "other" : `${served.apiVersion}/${served.kind}`,
    namespace: request.composite.metadata?.namespace ?? "",
    name: request.composite.metadata?.name ?? "",
  };
}

function unserved({ request }: DecodedRequest, handlers: readonly Handler[]): string {
  const { apiVersion, kind, metadata } = request.composite;
  const kinds = handlers.map((handler) => `${handler.apiVersion} ${handler.kind}`).sort();
  return `function-sluice does not compose ${apiVersion} ${kind} (${metadata?.name}); it composes ${kinds.join(", ")}. Correct compositeTypeRef or functionRef of the Composition.`;
}

function invalid(problem: string): string {
  return `the request is no valid RunFunctionRequest: ${problem}`;
}
