import { once } from "node:events";
import { destination, pino } from "pino";
import type { Handler } from "./composition/composition.ts";
import type { ServerOptions } from "./options.ts";
import { StartError, startServer } from "./server.ts";

/** Kubernetes kills a pod 30 s after asking it to stop; calls take milliseconds. */
const DRAIN_MILLISECONDS = 10_000;
const EXIT_MILLISECONDS = 1_000;

/**
 * Runs the function server until SIGTERM or SIGINT and resolves to the process's exit code: 0 once
 * drained, 1 when it can't start. Logs JSON lines to stderr.
 */
export async function serve(options: ServerOptions, handlers: readonly Handler[]): Promise<number> {
  const level = options.debug ? "debug" : "info";
  // Written at once: the line that says why a process ended must not be lost with it.
  const log = pino({ level, base: {} }, destination({ fd: 2, sync: true }));
  // Listens before it starts, so that an early signal is not lost.
  const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  try {
    const server = await startServer(options, handlers, log);
    const kinds = handlers.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`);
    const { port, metricsPort } = server;
    const security = options.certificates === undefined ? "insecure" : "mutual TLS";
    log.info(
      { address: options.address, port, metricsPort, security, kinds },
      "function-sluice serves",
    );
    await stopped;
    const drained = await server.drain(DRAIN_MILLISECONDS);
    log.info({ drained }, "function-sluice stopped");
    // A peer that stopped in the middle of its TLS handshake is no call, yet would keep us alive.
    setTimeout(() => process.exit(0), EXIT_MILLISECONDS).unref();
    return 0;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    log.fatal(error.message);
    return 1;
  }
}
