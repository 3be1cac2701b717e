import { ServerInterceptingCall, type ServerInterceptor, status } from "@grpc/grpc-js";

/** A request that is larger than the server takes; its size is unknown where it came compressed. */
export interface Oversize {
  readonly requestBytes: number | undefined;
  /** What the caller is told, which Crossplane shows in the XR's events. */
  readonly details: string;
}

/**
 * Sees each request that exceeds `maxMessageBytes` and tells its caller which flag allows more.
 *
 * gRPC refuses such a request before any method hears of it and tells nobody here, but it sends its
 * status through the call that interceptors are given.
 */
export function watchOversize(
  maxMessageBytes: number,
  seen: (oversize: Oversize) => void,
): ServerInterceptor {
  return (_method, call) => {
    const send = call.sendStatus.bind(call);
    call.sendStatus = (outcome) => {
      if (outcome.code !== status.RESOURCE_EXHAUSTED) return send(outcome);
      const size = /\(([0-9]+) vs/.exec(outcome.details ?? "")?.[1];
      const amount = size ?? `more than ${maxMessageBytes}`;
      const details = `the request has ${amount} bytes and function-sluice takes at most ${maxMessageBytes}: raise --max-message-bytes`;
      seen({ requestBytes: size === undefined ? undefined : Number(size), details });
      send({ ...outcome, details });
    };
    return new ServerInterceptingCall(call);
  };
}
