import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  logVerbosity,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  setLogVerbosity,
  status,
} from "@grpc/grpc-js";
import type { Logger } from "pino";
import { createProbes } from "../process/probes.ts";
import { type CertificateSet, CertificateWatcher, readCertificates } from "./certificates.ts";
import type { Handler } from "./composition/composition.ts";
import { createHealth } from "./health.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import type { ServerOptions } from "./options.ts";
import { watchOversize } from "./oversize.ts";
import { runFunction } from "./run.ts";
import { listenTls, type TlsListener } from "./tls-listener.ts";

/** The service's two names; Crossplane up to 1.16 knows the second alone, the messages are the same. */
const SERVICES = [
  "apiextensions.fn.proto.v1.FunctionRunnerService",
  "apiextensions.fn.proto.v1beta1.FunctionRunnerService",
] as const;

const RELOAD_MILLISECONDS = 10_000;
const LONGEST_DETAILS = 1_000;

/** A server that takes calls. */
export interface RunningServer {
  /** The ports in use, which differ from the options' where those were 0. */
  readonly port: number;
  readonly metricsPort: number | undefined;
  /**
   * Takes no new calls, lets those under way finish and resolves to true, or cuts them off after
   * the given time and resolves to false.
   */
  drain(milliseconds: number): Promise<boolean>;
}

/** What can't be started, and what to do about it; thrown by `startServer`. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Starts the function server with its metrics and probes; throws StartError. */
export async function startServer(
  options: ServerOptions,
  handlers: readonly Handler[],
  log: Logger,
  reloadMilliseconds = RELOAD_MILLISECONDS,
): Promise<RunningServer> {
  // gRPC would print beside our log; what matters of it reaches us as errors and statuses.
  setLogVerbosity(logVerbosity.NONE);
  const metrics = createMetrics();
  const first = firstCertificates(options, metrics);
  const server = new Server({
    "grpc.max_receive_message_length": options.maxMessageBytes,
    "grpc.max_concurrent_streams": 1_000,
    // A peer that vanished without a word would otherwise hold its connection for ever.
    "grpc.keepalive_time_ms": 120_000,
    "grpc.keepalive_timeout_ms": 20_000,
    "grpc.enable_channelz": 0,
    interceptors: [
      watchOversize(options.maxMessageBytes, ({ requestBytes, details }) => {
        metrics.oversized(requestBytes);
        log.warn(
          { requestBytes, maxMessageBytes: options.maxMessageBytes, details },
          "oversized request",
        );
      }),
    ],
  });
  const run = createRunFunction(handlers, metrics, log);
  for (const service of SERVICES) {
    server.addService({ runFunction: runFunctionMethod(service) }, { runFunction: run });
  }
  const health = createHealth(SERVICES);
  server.addService(health.definition, health.implementation);

  let ready = false;
  const probes = createProbes({
    registry: metrics.registry,
    ready: () => ready || "shutting down",
  });
  try {
    const metricsPort = await listenProbes(probes, options.metricsAddress);
    const { port, close } = await listen(server, options, first, metrics, log, reloadMilliseconds);
    ready = true;
    return {
      port,
      metricsPort,
      async drain(milliseconds) {
        ready = false;
        health.stop();
        close();
        const finished = await shutDown(server, milliseconds);
        probes.close();
        probes.closeAllConnections();
        return finished;
      },
    };
  } catch (error) {
    server.forceShutdown();
    probes.close();
    throw error;
  }
}

/** The certificates to start with, where the server runs with TLS. */
function firstCertificates(
  { certificates: directory }: ServerOptions,
  metrics: Metrics,
): CertificateSet | undefined {
  if (directory === undefined) return undefined;
  const first = readCertificates(directory);
  if (typeof first === "string") {
    throw new StartError(
      `no usable certificates: ${first}; put tls.crt, tls.key and ca.crt into the directory of --tls-certs-dir, or pass --insecure for development`,
    );
  }
  metrics.certificateExpires(first.expires);
  return first;
}

/** Listens with mutual TLS and follows the certificates' files, or without where there are none. */
async function listen(
  server: Server,
  { address, certificates: directory }: ServerOptions,
  first: CertificateSet | undefined,
  metrics: Metrics,
  log: Logger,
  reloadMilliseconds: number,
): Promise<{ readonly port: number; close(): void }> {
  if (directory === undefined || first === undefined) {
    return { port: await bindInsecure(server, address), close: () => {} };
  }
  const { host, port } = hostAndPort(address);
  let listener: TlsListener;
  try {
    listener = await listenTls(server, host, port, first);
  } catch (error) {
    throw cannotListen("--address", address, (error as Error).message);
  }
  const watcher = new CertificateWatcher(directory, first, reloadMilliseconds, {
    reloaded(set) {
      listener.use(set);
      metrics.certificateExpires(set.expires);
      log.info({ expires: new Date(set.expires * 1000).toISOString() }, "certificates reloaded");
    },
    unusable(problem) {
      log.warn({ problem }, "certificates changed and are not usable; the last good ones stay");
    },
  });
  return {
    port: listener.port,
    close() {
      watcher.close();
      listener.close();
    },
  };
}

function createRunFunction(handlers: readonly Handler[], metrics: Metrics, log: Logger) {
  return (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): void => {
    // The caller gave up while earlier calls were computed; nobody would read the answer.
    if (call.cancelled) {
      callback({ code: status.CANCELLED, details: "the caller has gone" });
      return;
    }
    const started = performance.now();
    const correlationId = randomUUID();
    const outcome = runFunction(handlers, call.request, correlationId);
    const seconds = (performance.now() - started) / 1000;
    if ("invalid" in outcome) {
      metrics.refused(call.request.length);
      const details = outcome.invalid.slice(0, LONGEST_DETAILS);
      log.warn({ correlationId, requestBytes: call.request.length, details }, "invalid request");
      callback({ code: status.INVALID_ARGUMENT, details });
      return;
    }
    const { bug, ...facts } = outcome.facts;
    metrics.answered(outcome.facts, seconds);
    if (bug !== undefined) log.error({ correlationId, ...facts, err: bug }, "bug in a handler");
    else if (log.isLevelEnabled("debug")) log.debug({ correlationId, ...facts, seconds }, "call");
    callback(null, outcome.response);
  };
}

/** Messages stay bytes on both sides of gRPC: `runFunction` decodes and encodes. */
function runFunctionMethod(service: string) {
  const identity = (bytes: Buffer) => bytes;
  return {
    path: `/${service}/RunFunction`,
    requestStream: false,
    responseStream: false,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  };
}

async function bindInsecure(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else
        reject(
          cannotListen("--address", address, /\[(.*)\]/.exec(error.message)?.[1] ?? error.message),
        );
    });
  });
}

/** Splits `HOST:PORT`; an IPv6 host stands in brackets. */
function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(":");
  const host = address.slice(0, at).replace(/^\[|\]$/g, "");
  return { host, port: Number(address.slice(at + 1)) };
}

async function listenProbes(
  probes: HttpServer,
  address: string | undefined,
): Promise<number | undefined> {
  if (address === undefined) return undefined;
  const { host, port } = hostAndPort(address);
  probes.listen(port, host);
  try {
    await once(probes, "listening");
  } catch (error) {
    throw cannotListen("--metrics-address", address, (error as Error).message);
  }
  return (probes.address() as AddressInfo).port;
}

function cannotListen(flag: string, address: string, reason: string): StartError {
  return new StartError(
    `can't listen on ${address} (${flag}): ${reason}; free that port or give another address`,
  );
}

async function shutDown(server: Server, milliseconds: number): Promise<boolean> {
  const drained = new Promise<boolean>((resolve) => {
    server.tryShutdown((error) => resolve(error === undefined));
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  const finished = await Promise.race([drained, late]);
  clearTimeout(timer);
  if (!finished) server.forceShutdown();
  return finished;
}
