import http from "node:http";
import https, { type RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { field, numberField } from "../../kube/object.ts";
import type { Clock } from "./clock.ts";

/** Which API server, and where its credentials are. */
export interface ConnectionOptions {
  /** A kubeconfig, whose current context counts; without one, that of the pod this runs in. */
  readonly kubeconfig?: string;
  readonly clock: Clock;
  /** What stands before the paths of a pod's service account; only tests have something there. */
  readonly root?: string;
}

/** What a request needs to be let in. */
export interface Credentials {
  /** Agent, TLS material and headers. */
  readonly options: RequestOptions;
  /** Which reading of the kubeconfig they come from. */
  readonly reading: number;
}

/** The way to an API server. */
export interface Connection {
  readonly server: URL;
  /** The namespace of the context, or of the pod. */
  readonly namespace: string | undefined;
  /** Credentials as they are now, or why there are none, which quotes nothing of them. */
  credentials(): Promise<Credentials | string>;
  /** Has everything read anew, since the server did not accept these. */
  renew(refused: Credentials): void;
}

const CREDENTIAL_MILLISECONDS = 30_000;
const IN_CLUSTER = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Opens the way to an API server, or says why there is none and what to do. Tokens of service
 * accounts are read again every minute, credentials of commands when they expire, and everything
 * once the server refuses it.
 */
export async function openConnection(options: ConnectionOptions): Promise<Connection | string> {
  const config = await loadConfig(options);
  if (typeof config === "string") return config;
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const current = JSON.stringify(config.getCurrentContext() ?? "");
    return `${nameOf(options)} names no cluster: its current-context is ${current}; choose one with \`kubectl config use-context\``;
  }
  if (!URL.canParse(cluster.server) || !/^https?:/.test(cluster.server)) {
    return `${nameOf(options)} has no URL as server of cluster ${cluster.name}: give it one with https://`;
  }
  const server = new URL(cluster.server);
  if (server.protocol === "http:" && !cluster.skipTLSVerify) {
    return `${nameOf(options)} has ${server.origin}, to which credentials would go in the clear: use https, or say insecure-skip-tls-verify: true`;
  }
  const { namespace } = config.getContextObject(config.getCurrentContext()) ?? {};
  return new ConfiguredConnection(options, config, server, namespace);
}

class ConfiguredConnection implements Connection {
  readonly server: URL;
  readonly namespace: string | undefined;
  readonly #options: ConnectionOptions;
  #config: KubeConfig | undefined;
  #reading = 1;
  #pending: Promise<Credentials | string> | undefined;
  #agent: { readonly material: string; readonly agent: http.Agent } | undefined;

  constructor(
    options: ConnectionOptions,
    config: KubeConfig,
    server: URL,
    namespace: string | undefined,
  ) {
    this.#options = options;
    this.#config = config;
    this.server = server;
    this.namespace = namespace;
  }

  credentials(): Promise<Credentials | string> {
    // A command that gives credentials is run once for all that wait for them.
    this.#pending ??= this.#bounded().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  renew({ reading }: Credentials): void {
    if (reading === this.#reading) this.#config = undefined;
  }

  async #bounded(): Promise<Credentials | string> {
    const { clock } = this.#options;
    const ended = new AbortController();
    const late = clock.after(CREDENTIAL_MILLISECONDS, ended.signal).then(() => {
      // Whatever hangs is left to itself, so that the next request can try again.
      if (!ended.signal.aborted) this.#config = undefined;
      return `the credentials of ${nameOf(this.#options)} did not come in time`;
    });
    try {
      return await Promise.race([this.#obtain(), late]);
    } finally {
      ended.abort();
    }
  }

  async #obtain(): Promise<Credentials | string> {
    if (this.#config === undefined) {
      const config = await loadConfig(this.#options);
      if (typeof config === "string") return config;
      this.#config = config;
      this.#reading += 1;
    }
    const reading = this.#reading;
    const config = this.#config;
    const options: RequestOptions = {};
    try {
      await config.applyToHTTPSOptions(options);
    } catch (error) {
      return `the credentials of ${nameOf(this.#options)} can't be had (${codeOf(error)}): check them with \`kubectl auth whoami\``;
    }
    const { authorization, ...headers } = lowerCased(options.headers);
    const trimmed = authorization === undefined ? {} : { authorization: authorization.trim() };
    const proxied = config.getCurrentCluster()?.proxyUrl !== undefined;
    const agent = proxied ? options.agent : this.#agentFor(options);
    return { options: { ...options, agent, headers: { ...headers, ...trimmed } }, reading };
  }

  /** One agent for as long as the TLS material stays the same; that of client-node keeps nothing alive. */
  #agentFor({ ca, cert, key, servername, rejectUnauthorized }: RequestOptions): http.Agent {
    const parts = [ca, cert, key, servername, rejectUnauthorized];
    const material = JSON.stringify(parts.map((part) => String(part ?? "")));
    if (this.#agent?.material === material) return this.#agent.agent;
    const keeping = { keepAlive: true, timeout: IDLE_MILLISECONDS };
    const agent =
      this.server.protocol === "http:" ? new http.Agent(keeping) : new https.Agent(keeping);
    this.#agent = { material, agent };
    return agent;
  }
}

/** Less than an API server keeps an idle connection, so that none closes under a request. */
const IDLE_MILLISECONDS = 30_000;

async function loadConfig({
  kubeconfig,
  root = "",
}: ConnectionOptions): Promise<KubeConfig | string> {
  // Half a second and 100 MB, so only for who needs it.
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  if (kubeconfig === undefined) {
    if ((process.env.KUBERNETES_SERVICE_HOST ?? "") === "") {
      return "this is no pod of a cluster (KUBERNETES_SERVICE_HOST is not set): give --kubeconfig a file";
    }
    config.loadFromCluster(root);
    return config;
  }
  try {
    config.loadFromFile(kubeconfig);
    return config;
  } catch (error) {
    return `the kubeconfig ${kubeconfig} can't be read (${faultOf(error)}): give --kubeconfig the file that \`kubectl\` uses`;
  }
}

/**
 * What is wrong with a kubeconfig, by an error of whoever read it, without its words: those of a YAML
 * parser quote what stands around a fault, which may be a token, and those of a command may hold one.
 */
export function faultOf(error: unknown): string {
  const line = numberField(error, "mark", "line");
  return `${codeOf(error)}${line === undefined ? "" : ` near line ${line + 1}`}`;
}

function nameOf({ kubeconfig }: ConnectionOptions): string {
  return kubeconfig === undefined ? `the pod (${IN_CLUSTER})` : `the kubeconfig ${kubeconfig}`;
}

/** The code of a system's error, or what kind of error it is; never its words. */
function codeOf(error: unknown): string {
  const code = field(error, "code");
  return typeof code === "string" ? code : error instanceof Error ? error.name : "an error";
}

function lowerCased(headers: RequestOptions["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
