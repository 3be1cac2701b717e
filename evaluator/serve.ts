import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Server as SecureServer } from "node:https";
import { hostname } from "node:os";
import { join } from "node:path";
import { destination, type Logger, pino } from "pino";
import { collectDefaultMetrics } from "prom-client";
import { createProbes } from "../process/probes.ts";
import { createMetrics, type Metrics } from "./controller/metrics.ts";
import { Operator } from "./controller/operator.ts";
import { systemClock } from "./engine/clock.ts";
import { HttpClient } from "./engine/http.ts";
import { createOllaya } from "./engine/ollaya.ts";
import { ApiClient } from "./kubernetes/api-client.ts";
import { type Connection, openConnection } from "./kubernetes/connection.ts";
import { lead } from "./kubernetes/election.ts";
import type { CertificateFiles, EvaluatorOptions } from "./options.ts";

const CAN_NOT_START = 1;
const LEADERSHIP_LOST = 1;
const CERTIFICATE_MILLISECONDS = 60_000;
/** A pod is killed 30 s after it is asked to stop; what is under way is safe to cut off. */
const EXIT_MILLISECONDS = 5_000;
/** Passes under way have so long to end; then the Lease is given up all the same. */
const DRAIN_MILLISECONDS = 5_000;

/** How far the operator has come, for `/readyz`. */
interface State {
  ready: true | string;
}

/**
 * Runs the operator until SIGTERM or SIGINT and resolves to the process's exit code: 0 once stopped,
 * 1 when it can't start or is no longer the leader. Logs JSON lines to stderr.
 */
export async function serve(options: EvaluatorOptions): Promise<number> {
  const level = options.debug ? "debug" : "info";
  // Written at once: the line that says why a process ended must not be lost with it.
  const log = pino({ level, base: {} }, destination({ fd: 2, sync: true }));
  for (const warning of options.warnings) log.warn(warning);
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => stop.abort());
  const { kubeconfig } = options;
  const connection = await openConnection({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    clock: systemClock,
  });
  if (typeof connection === "string") {
    log.fatal(connection);
    return CAN_NOT_START;
  }
  const namespace = options.leaderElection?.namespace ?? connection.namespace;
  if (options.leaderElection !== undefined && namespace === undefined) {
    log.fatal("--leader-elect needs a namespace for its Lease: give --leader-election-namespace");
    return CAN_NOT_START;
  }
  const metrics = createMetrics();
  // Here and not there, since what they watch is the process.
  collectDefaultMetrics({ register: metrics.registry });
  const state: State = { ready: "starting" };
  const servers = await startServers(options, metrics, state, log);
  if (servers === undefined) return CAN_NOT_START;
  const code = await operate({ options, connection, namespace, metrics, state, log }, stop.signal);
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  // What is still under way is somebody else's to repeat.
  setTimeout(() => process.exit(code), EXIT_MILLISECONDS).unref();
  return code;
}

interface Surroundings {
  readonly options: EvaluatorOptions;
  readonly connection: Connection;
  readonly namespace: string | undefined;
  readonly metrics: Metrics;
  readonly state: State;
  readonly log: Logger;
}

/** Looks after DecisionModels, once it is this process's turn, until the signal aborts. */
async function operate(
  { options, connection, namespace, metrics, state, log }: Surroundings,
  signal: AbortSignal,
): Promise<number> {
  const { settings, namespaces, workers } = options;
  const clock = systemClock;
  const random = Math.random;
  // Outlives the work: the Lease is given back when that has ended.
  const requests = new AbortController();
  const client = new ApiClient({ connection, clock, random, signal: requests.signal });
  const instance = `${hostname()}_${randomUUID()}`;
  const serverHttp = new HttpClient();
  const registryHttp = new HttpClient(process.env);
  const { registry } = settings;
  const work = async (until: AbortSignal, lost?: AbortSignal) => {
    // Nothing of a term that is over may still be written.
    lost?.addEventListener("abort", () => requests.abort(), { once: true });
    const operator = new Operator({
      client,
      engine: createOllaya({ registry, serverHttp, registryHttp, clock, random }),
      settings,
      namespaces,
      workers,
      defaultHost: new URL(registry).host,
      clock,
      random,
      metrics,
      log,
      instance: hostname(),
    });
    state.ready = "the copies of objects are not complete yet";
    void operator.synced().then(() => {
      if (until.aborted) return;
      state.ready = true;
      log.info({ server: connection.server.origin, namespaces }, "the evaluator works");
    });
    const ended = new AbortController();
    await Promise.race([operator.run(until), drained(until, ended.signal)]);
    ended.abort();
    state.ready = "stopping";
  };
  let code = 0;
  if (options.leaderElection === undefined || namespace === undefined) await work(signal);
  else {
    state.ready = true;
    log.info({ namespace }, "waits for the Lease");
    const failed = (problem: object) => log.warn(problem, "the Lease could not be read or written");
    const identity = instance;
    const election = { client, clock, random, namespace, identity, releases: false, failed };
    if ((await lead(election, signal, work)) === "lost") {
      log.fatal("the Lease was lost: another one takes over");
      code = LEADERSHIP_LOST;
    }
  }
  requests.abort();
  serverHttp.close();
  registryHttp.close();
  log.info("the evaluator stopped");
  return code;
}

/** Resolves some time after the signal aborts: passes that hang are not waited for. */
async function drained(signal: AbortSignal, ended: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
  await systemClock.after(DRAIN_MILLISECONDS, ended);
}

/** Starts the servers of probes and metrics, or says why one can't be. */
async function startServers(
  { probeAddress, metrics: wanted }: EvaluatorOptions,
  { registry }: Metrics,
  state: State,
  log: Logger,
): Promise<readonly Server[] | undefined> {
  const ready = () => state.ready;
  const servers: Server[] = [];
  if (probeAddress !== undefined) {
    const server = createProbes({ ready });
    if (!(await bind(server, probeAddress, log))) return undefined;
    servers.push(server);
  }
  if (wanted === undefined) return servers;
  const tls = wanted.certificates === undefined ? undefined : readTls(wanted.certificates);
  if (typeof tls === "string") {
    log.fatal(tls);
    return undefined;
  }
  const server = createProbes({ registry, ready, ...(tls === undefined ? {} : { tls }) });
  if (!(await bind(server, wanted.address, log))) return undefined;
  if (wanted.certificates !== undefined) renewTls(server as SecureServer, wanted.certificates, log);
  return [...servers, server];
}

async function bind(server: Server, address: string, log: Logger): Promise<boolean> {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[|\]$/g, "");
  server.listen(Number(address.slice(colon + 1)), host);
  try {
    await once(server, "listening");
    return true;
  } catch (error) {
    log.fatal(`can't listen on ${address}: ${(error as NodeJS.ErrnoException).code}`);
    return false;
  }
}

interface Tls {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer;
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

/** TLS material of a directory, or which file is wrong; with a ca.crt there, clients must show a certificate. */
function readTls({ directory, certificate, key }: CertificateFiles): Tls | string {
  const read = (file: string) => readFileSync(join(directory, file));
  try {
    const own = { cert: read(certificate), key: read(key) };
    try {
      return { ...own, ca: read("ca.crt"), requestCert: true, rejectUnauthorized: true };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return own;
      throw error;
    }
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    return `--metrics-cert-path: ${path} can't be read (${code})`;
  }
}

/** Takes certificates that were renewed, as long as the process lives. */
function renewTls(server: SecureServer, files: CertificateFiles, log: Logger): void {
  setInterval(() => {
    const tls = readTls(files);
    try {
      if (typeof tls === "string") log.warn(tls);
      else server.setSecureContext(tls);
    } catch (error) {
      log.warn({ code: (error as NodeJS.ErrnoException).code }, "certificates can't be used");
    }
  }, CERTIFICATE_MILLISECONDS).unref();
}
