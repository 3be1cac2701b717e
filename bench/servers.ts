import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { Client, credentials } from "@grpc/grpc-js";
import { quantile } from "./measure.ts";

const METHOD = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction";
const PATIENCE_MILLISECONDS = 20_000;

/** A server in a process of its own, listening on a loopback port. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly port: number;
}

/** What a load test measured. */
export interface Load {
  readonly callsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** What a call cost the server, in milliseconds of CPU; NaN where the system does not say. */
  readonly cpuMilliseconds: number;
}

/** Starts a program that takes its address from the given arguments, and waits until it listens. */
export async function startProcess(
  program: string,
  flags: (port: number) => readonly string[],
  nodeFlags: readonly string[] = [],
): Promise<ServerProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [...nodeFlags, program, ...flags(port)], {
    stdio: "ignore",
  });
  const deadline = Date.now() + PATIENCE_MILLISECONDS;
  while (!(await listens(port))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${program} never listened`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { child, port };
}

/** Ends a process and waits until it has. */
export async function stopProcess({ child }: ServerProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

/** The file of this directory or of the tree, as a path. */
export function programPath(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

/** Sends the same request `calls` times, so many at once, over one connection. */
export async function load(
  { child, port }: ServerProcess,
  request: Buffer,
  calls: number,
  concurrency: number,
): Promise<Load> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.use_local_subchannel_pool": 1,
  });
  const latencies: number[] = [];
  let left = calls;
  const caller = async () => {
    while (left-- > 0) {
      const started = performance.now();
      await call(client, request);
      latencies.push(performance.now() - started);
    }
  };
  const cpu = cpuMilliseconds(child);
  const started = performance.now();
  await Promise.all(Array.from({ length: concurrency }, caller));
  const seconds = (performance.now() - started) / 1000;
  client.close();
  return {
    callsPerSecond: calls / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    cpuMilliseconds: (cpuMilliseconds(child) - cpu) / calls,
  };
}

/** CPU time of a process since its start, from Linux's /proc in ticks of 10 ms. */
function cpuMilliseconds({ pid }: ChildProcess): number {
  if (process.platform !== "linux") return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function call(client: Client, request: Buffer): Promise<void> {
  const bytes = (value: Buffer) => value;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(METHOD, bytes, bytes, request, (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
