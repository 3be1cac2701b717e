import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { KubeObject } from "../../kube/object.ts";

/** What a kind's path holds: its objects, or how each request for it fails. */
export type Served = readonly KubeObject[] | ((attempt: number) => Reply | undefined);

/** An answer of the server; text is sent as it is. */
export interface Reply {
  readonly status: number;
  readonly body: string | object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A small API server that answers list and get of modelplane.ai as a kube-apiserver does. */
export interface ApiServer {
  /** A kubeconfig for it. */
  readonly kubeconfig: string;
  /** The paths that were asked for, with their queries. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

const PREFIX = "/apis/modelplane.ai/v1alpha1";
const TOKEN = "secret-of-the-test";

/** Serves kinds by their plural; one that is left out has no definition there. `page` caps a list's pages. */
export async function serveApi(
  kinds: Readonly<Record<string, Served>>,
  { page = 2, token = TOKEN }: { readonly page?: number; readonly token?: string } = {},
): Promise<ApiServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const { status, body, headers = {} } = reply(request, kinds, page, asked.length);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const type = typeof body === "string" ? "text/plain" : "application/json";
    response.writeHead(status, { "content-type": type, ...headers }).end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    kubeconfig: kubeconfigOf(`http://127.0.0.1:${port}`, token),
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A kubeconfig with one context. */
export function kubeconfigOf(server: string, token = TOKEN): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    clusters: [{ name: "test", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "test", user: { token } }],
  });
}

function reply(
  request: IncomingMessage,
  kinds: Readonly<Record<string, Served>>,
  page: number,
  attempt: number,
): Reply {
  const url = new URL(request.url ?? "", "http://localhost");
  if (request.headers.authorization !== `Bearer ${TOKEN}`) {
    return statusOf(401, "Unauthorized", "Unauthorized");
  }
  const path = url.pathname.startsWith(PREFIX) ? url.pathname.slice(PREFIX.length + 1) : "";
  const [plural = "", namespace, kind, name] = path.split("/");
  const served = kinds[plural === "namespaces" ? (kind ?? "") : plural];
  if (served === undefined) return { status: 404, body: "404 page not found\n" };
  const failure = typeof served === "function" ? served(attempt) : undefined;
  if (failure !== undefined) return failure;
  const objects = typeof served === "function" ? [] : served;
  if (plural === "namespaces") {
    const found = objects.find(
      ({ metadata }) => metadata?.namespace === namespace && metadata?.name === name,
    );
    if (found !== undefined) return { status: 200, body: found };
    const details = { name, group: "modelplane.ai", kind };
    return statusOf(404, "NotFound", `${kind}.modelplane.ai "${name}" not found`, details);
  }
  const limit = Math.min(page, Number(url.searchParams.get("limit") ?? page));
  const from = Number(url.searchParams.get("continue") ?? 0);
  const next = from + limit < objects.length ? String(from + limit) : "";
  const metadata = { resourceVersion: "7", ...(next === "" ? {} : { continue: next }) };
  const items = objects.slice(from, from + limit);
  const list = { apiVersion: "modelplane.ai/v1alpha1", kind: "List", metadata, items };
  return { status: 200, body: list };
}

/** A Status as the API server sends it. */
export function statusOf(
  code: number,
  reason: string,
  message: string,
  details: object = {},
): Reply {
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", message, reason, details };
  return { status: code, body: { ...body, metadata: {}, code } };
}
