import { createServer, type Server, type ServerResponse } from "node:http";
import type { Registry } from "prom-client";

const MILLISECONDS = 10_000;
const MOST_CONNECTIONS = 64;

/**
 * Builds the plain HTTP server of `/metrics`, `/healthz` and `/readyz`. Everything about a request
 * is bounded: headers, time, connections; a body is never read.
 */
export function createProbes(registry: Registry, ready: () => boolean): Server {
  const server = createServer(
    {
      maxHeaderSize: 8 * 1024,
      headersTimeout: MILLISECONDS,
      requestTimeout: MILLISECONDS,
      keepAliveTimeout: MILLISECONDS,
      connectionsCheckingInterval: MILLISECONDS,
    },
    (request, response) => {
      const path = (request.url ?? "").split("?", 1)[0];
      if (request.method !== "GET" && request.method !== "HEAD") {
        response.setHeader("Allow", "GET, HEAD");
        send(response, 405, "only GET and HEAD\n");
      } else if (path === "/healthz") {
        send(response, 200, "ok\n");
      } else if (path === "/readyz") {
        send(response, ready() ? 200 : 503, ready() ? "ok\n" : "shutting down\n");
      } else if (path === "/metrics") {
        void sendMetrics(response, registry);
      } else {
        send(response, 404, "there are /metrics, /healthz and /readyz\n");
      }
    },
  );
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
