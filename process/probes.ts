import http, { type RequestListener, type Server, type ServerResponse } from "node:http";
import https, { type ServerOptions } from "node:https";
import type { Registry } from "prom-client";

const MILLISECONDS = 10_000;
const MOST_CONNECTIONS = 64;

const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: MILLISECONDS,
  requestTimeout: MILLISECONDS,
  keepAliveTimeout: MILLISECONDS,
  connectionsCheckingInterval: MILLISECONDS,
} as const;

/** What a server of probes answers. */
export interface ProbesOptions {
  /** The metrics at `/metrics`; left out, there are none. */
  readonly registry?: Registry;
  /** Whether the process is ready, and the word for it where it is not. */
  readonly ready: () => true | string;
  /** TLS material; left out, it speaks plain HTTP. */
  readonly tls?: ServerOptions;
}

/**
 * Builds the server of `/metrics`, `/healthz` and `/readyz`. Everything about a request is bounded:
 * headers, time, connections; a body is never read.
 */
export function createProbes({ registry, ready, tls }: ProbesOptions): Server {
  const answer: RequestListener = (request, response) => {
    const path = (request.url ?? "").split("?", 1)[0];
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("Allow", "GET, HEAD");
      send(response, 405, "only GET and HEAD\n");
    } else if (path === "/healthz") {
      send(response, 200, "ok\n");
    } else if (path === "/readyz") {
      const state = ready();
      send(response, state === true ? 200 : 503, state === true ? "ok\n" : `${state}\n`);
    } else if (path === "/metrics" && registry !== undefined) {
      void sendMetrics(response, registry);
    } else {
      const metrics = registry === undefined ? "" : "/metrics, ";
      send(response, 404, `there are ${metrics}/healthz and /readyz\n`);
    }
  };
  const server =
    tls === undefined
      ? http.createServer(LIMITS, answer)
      : https.createServer({ ...LIMITS, ...tls }, answer);
  server.maxConnections = MOST_CONNECTIONS;
  server.timeout = MILLISECONDS;
  return server;
}

async function sendMetrics(response: ServerResponse, registry: Registry): Promise<void> {
  try {
    send(response, 200, await registry.metrics(), registry.contentType);
  } catch {
    send(response, 500, "metrics can't be collected\n");
  }
}

function send(response: ServerResponse, code: number, body: string, type = "text/plain"): void {
  response.writeHead(code, { "Content-Type": type, "X-Content-Type-Options": "nosniff" });
  response.end(body);
}
