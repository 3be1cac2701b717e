import type { Clock } from "../clock.ts";
import { type HttpOutcome, type HttpRequest, type HttpSender, MOST_BODY_BYTES } from "../http.ts";
import type { Answer } from "./answer.ts";
import type { SimulatedServer } from "./server.ts";

/**
 * Sends requests to servers of this process, with the bounds of real ones: time by the clock, bytes
 * of the answer, the signal. Where `serverAt` has no server for a URL the connection is refused.
 */
export function inProcess(
  clock: Clock,
  serverAt: (url: URL) => SimulatedServer | undefined,
): HttpSender {
  return {
    async send(request) {
      if (request.signal.aborted) return failed("cancelled");
      const server = serverAt(request.url);
      if (server === undefined) return failed("ECONNREFUSED");
      const over = new AbortController();
      const left = AbortSignal.any([request.signal, over.signal]);
      const answered = ask(server, request, left);
      const expired = clock
        .after(request.milliseconds, left)
        .then(() => failed(request.signal.aborted ? "cancelled" : "no complete answer in time"));
      const outcome = await Promise.race([answered, expired]);
      over.abort();
      return outcome;
    },
  };
}

async function ask(
  server: SimulatedServer,
  { method, url, headers = {}, body = "" }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpOutcome> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const answer = await server.handle({
    method,
    target: `${url.pathname}${url.search}`,
    headers: { host: url.host, ...Object.fromEntries(named) },
    body: new TextEncoder().encode(body),
    signal,
  });
  return answer === undefined ? failed("ECONNRESET") : read(answer);
}

function read({ status, headers, body, cut }: Answer): HttpOutcome {
  if (cut) return failed("the answer was cut off");
  const bytes = Buffer.from(body);
  if (bytes.length > MOST_BODY_BYTES) return { state: "too large" };
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { state: "response", status, headers: Object.fromEntries(named), body: bytes };
}

const failed = (problem: string): HttpOutcome => ({ state: "failed", problem });
