import { once } from "node:events";
import { existsSync } from "node:fs";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import { faultOf } from "../../evaluator/kubernetes/connection.ts";
import { toKubeObject } from "../../functions/wire/object.ts";
import { isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";

/** A kind as its API is addressed. */
export interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

/** Reads objects of a control plane; every method throws ControlPlaneError. */
export interface ControlPlane {
  /** Every object of a kind in all namespaces, without `managedFields`. */
  list(kind: ServedKind): Promise<readonly KubeObject[]>;
  /** One object, `undefined` where there is none of that name. */
  get(kind: ServedKind, namespace: string, name: string): Promise<KubeObject | undefined>;
}

/** Why a control plane can't be read, and what to do about it. */
export class ControlPlaneError extends Error {
  override readonly name = "ControlPlaneError";
}

const PAGE = 500;
/** The most objects of a kind that are read: far beyond what one deployment's request can carry. */
const MOST_OBJECTS = 100_000;
const MOST_BYTES = 256 * 1024 * 1024;
const PATIENCE_MILLISECONDS = 30_000;
/** A list starts again when its pages expire under it, and a request when the server is busy. */
const MOST_ATTEMPTS = 3;
const LONGEST_WAIT_SECONDS = 5;

/** Opens the control plane of a kubeconfig's current context, with whatever credentials that names. */
export async function openControlPlane(file: string): Promise<ControlPlane> {
  if (!existsSync(file)) {
    throw new ControlPlaneError(
      `there is no kubeconfig ${file}; give --kubeconfig the file that \`kubectl\` uses`,
    );
  }
  // Half a second and 100 MB, so only for who needs it.
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  const unusable = (why: string) => new ControlPlaneError(`the kubeconfig ${file} ${why}`);
  try {
    config.loadFromFile(file);
  } catch (error) {
    throw unusable(`can't be read (${faultOf(error)})`);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const context = config.getCurrentContext();
    throw unusable(
      `names no cluster: its current-context is ${JSON.stringify(context ?? "")}; choose one with \`kubectl config use-context\``,
    );
  }
  if (/^http:/i.test(cluster.server) && !cluster.skipTLSVerify) {
    throw unusable(
      `can't be used for ${cluster.server}: HTTP protocol is not allowed; use https, or say insecure-skip-tls-verify: true`,
    );
  }
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    throw unusable(`can't be used for ${cluster.server} (${faultOf(error)})`);
  }
  const server = new URL(cluster.server);
  const read = createReader(server, options);
  return {
    list: (kind) => listAll(read, kind),
    async get(kind, namespace, name) {
      const path = `${groupPath(kind)}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}/${encodeURIComponent(name)}`;
      const answer = await read(path);
      if (answer.status === 404 && isMissingObject(answer.body)) return undefined;
      return asObject(expectOk(answer, kind, server), kind);
    },
  };

  async function listAll(readPath: Reader, kind: ServedKind): Promise<readonly KubeObject[]> {
    for (let attempt = 1; ; attempt++) {
      const objects: KubeObject[] = [];
      let next = "";
      for (;;) {
        const from = next === "" ? "" : `&continue=${encodeURIComponent(next)}`;
        const answer = await readPath(`${groupPath(kind)}/${kind.plural}?limit=${PAGE}${from}`);
        if (answer.status === 410 && attempt < MOST_ATTEMPTS) break;
        const body = expectOk(answer, kind, server);
        for (const item of listField(body, "items")) objects.push(asObject(item, kind));
        if (objects.length > MOST_OBJECTS) {
          throw new ControlPlaneError(
            `${server.origin} has more than ${MOST_OBJECTS} ${kind.plural}, which is beyond what is explained`,
          );
        }
        next = stringField(body, "metadata", "continue") ?? "";
        if (next === "") return objects;
      }
    }
  }
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Reader = (path: string) => Promise<Answer>;

function groupPath({ apiVersion }: ServedKind): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** Sends GET requests, again where the server asks for patience. */
function createReader(server: URL, options: RequestOptions): Reader {
  return async (path) => {
    for (let attempt = 1; ; attempt++) {
      const { response, body } = await send(server, options, path);
      const status = response.statusCode ?? 0;
      const wait = Number(response.headers["retry-after"]);
      if (status !== 429 || attempt === MOST_ATTEMPTS || !Number.isFinite(wait)) {
        return { status, body: parseBody(body) };
      }
      const seconds = Math.min(LONGEST_WAIT_SECONDS, Math.max(0, wait));
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  };
}

async function send(server: URL, options: RequestOptions, path: string) {
  const send = server.protocol === "http:" ? requestHttp : requestHttps;
  const prefix = server.pathname.replace(/\/+$/, "");
  const request = send({
    ...options,
    host: server.hostname.replace(/^\[|\]$/g, ""),
    port: server.port === "" ? (server.protocol === "http:" ? 80 : 443) : server.port,
    path: `${prefix}${path}`,
    headers: { ...options.headers, accept: "application/json" },
    signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
  });
  request.end();
  try {
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response) {
      size += chunk.length;
      if (size > MOST_BYTES) throw new Error(`the answer to ${path} exceeds ${MOST_BYTES} bytes`);
      chunks.push(chunk);
    }
    return { response, body: Buffer.concat(chunks).toString("utf8") };
  } catch (error) {
    request.destroy();
    throw new ControlPlaneError(unreachable(server, error as NodeJS.ErrnoException));
  }
}

const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/;

function unreachable({ origin }: URL, { code = "", name, message }: NodeJS.ErrnoException): string {
  if (name === "TimeoutError" || name === "AbortError") {
    return `${origin} did not answer within ${PATIENCE_MILLISECONDS / 1_000} s; is it the right context, and does a VPN or proxy stand between?`;
  }
  const why = message === "" ? code : message;
  return UNTRUSTED.test(code)
    ? `the certificate of ${origin} is not trusted: ${why}; check certificate-authority-data of the cluster in the kubeconfig`
    : `${origin} can't be reached: ${why}; check the server of the current context and your network`;
}

/** The API server's own errors are JSON, those of what stands before it seldom: then nothing. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Tells "no such object" from "no such kind": the API server names the object's kind in the first. */
function isMissingObject(body: unknown): boolean {
  return (stringField(body, "details", "name") ?? "") !== "";
}

function expectOk(
  { status, body }: Answer,
  { apiVersion, kind, plural }: ServedKind,
  { origin }: URL,
): unknown {
  const said = (stringField(body, "message") ?? "").slice(0, 500);
  switch (status) {
    case 200:
      if (body !== undefined) return body;
      // A proxy's page may hold anything, so none of it is shown.
      throw new ControlPlaneError(`${origin} answers without JSON; is it a Kubernetes API server?`);
    case 401:
      throw new ControlPlaneError(
        `${origin} does not accept the credentials of the current context: log in again, or renew them`,
      );
    case 403:
      throw new ControlPlaneError(
        `${origin} forbids reading ${plural}: ${said}; let somebody grant get and list: kubectl create clusterrole sluice-explain --verb=get,list --resource=modeldeployments.modelplane.ai,modelreplicas.modelplane.ai,modelcaches.modelplane.ai,inferenceclusters.modelplane.ai,inferenceclasses.modelplane.ai`,
      );
    case 404:
      throw new ControlPlaneError(
        `${origin} does not serve ${kind} (${apiVersion}): install the definitions of package/apis there, or choose another context`,
      );
    default:
      throw new ControlPlaneError(
        `${origin} answered ${status} to reading ${plural}${said === "" ? "" : `: ${said}`}; try again, and look at its health if it goes on`,
      );
  }
}

/** Items of a list come without their type, which is the list's. */
function asObject(item: unknown, { apiVersion, kind }: ServedKind): KubeObject {
  const { managedFields: _unread, ...metadata } =
    isRecord(item) && isRecord(item.metadata) ? item.metadata : {};
  const object = toKubeObject({ ...(isRecord(item) ? item : {}), apiVersion, kind, metadata });
  if (typeof object !== "string") return object;
  throw new ControlPlaneError(`the API server answered with a ${kind} whose ${object}`);
}
