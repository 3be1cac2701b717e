// `npm run bench`: the function against the TypeScript SDK's own server on the same request bytes, in one
// run. Ours composes a real replica in every call; the SDK only decodes and encodes. Ratios above 1
// mean that ours is faster; absolute figures depend on the machine and on what else it does.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RunFunctionRequest, RunFunctionResponse } from "@crossplane-org/function-sdk-typescript";
import { createHandlers } from "../functions/handlers.ts";
import { runFunction } from "../functions/run.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import { replicaScenes } from "../test/replica-scenes.ts";
import { encodeRequest } from "../test/wire-messages.ts";
import { benchEvaluator } from "./evaluator.ts";
import { benchFleet } from "./fleet.ts";
import { IMAGE_NODE_FLAGS, layOutImage } from "./image.ts";
import { compare } from "./measure.ts";
import { benchScheduling } from "./scheduling.ts";
import { type Load, load, programPath, startProcess, stopProcess } from "./servers.ts";
import { benchValidate } from "./validate.ts";

const IDLE_MILLISECONDS = 3_000;
const WARM_UP_CALLS = 4_000;

interface Case {
  readonly name: string;
  readonly bytes: Buffer;
}

const print = (line = "") => void process.stdout.write(`${line}\n`);
const handlers = createHandlers(shippedDefinitions());
const cases = requestCases();

print(`Node ${process.versions.node}, ${process.platform} ${process.arch}`);
inProcess();
benchValidate(print);
benchFleet(handlers, print);
benchScheduling(print);
const directory = mkdtempSync(join(tmpdir(), "sluice-bench-"));
try {
  const program = await layOutImage(directory);
  await overGrpc(program);
  await idleMemory(program);
  await benchEvaluator(print);
} finally {
  rmSync(directory, { recursive: true });
}

function requestCases(): readonly Case[] {
  const [standalone, disaggregated] = replicaScenes(handlers, ["replica", "prefill-decode-picker"]);
  if (standalone === undefined || disaggregated === undefined) throw new Error("no scenes");
  return [
    { name: "standalone, new", bytes: encodeRequest({ ...standalone.parts, observed: {} }) },
    { name: "standalone, observed", bytes: encodeRequest(standalone.parts) },
    { name: "disaggregated, observed", bytes: encodeRequest(disaggregated.parts) },
  ];
}

function inProcess(): void {
  print("\nIn process, per call: our whole RunFunction against the SDK's bare decode and encode");
  print(row("", "request", "response", "ours", "our CPU", "SDK", "SDK/ours"));
  for (const { name, bytes } of cases) {
    const outcome = runFunction(handlers, bytes, "bench");
    if ("invalid" in outcome || outcome.facts.bug !== undefined) throw new Error("not composed");
    const response = RunFunctionResponse.decode(outcome.response);
    const { ours, sdk } = compare({
      ours: () => void runFunction(handlers, bytes, "bench"),
      sdk: () => {
        RunFunctionRequest.decode(bytes);
        RunFunctionResponse.encode(response).finish();
      },
    });
    print(
      row(
        name,
        `${bytes.length} B`,
        `${outcome.response.length} B`,
        milliseconds(ours.wallMilliseconds),
        milliseconds(ours.cpuMilliseconds),
        milliseconds(sdk.wallMilliseconds),
        ratio(sdk.wallMilliseconds, ours.wallMilliseconds),
      ),
    );
  }
}

async function overGrpc(program: string): Promise<void> {
  print("\nOver gRPC on the loopback, plain text, one connection, this process as the client");
  print(row("", "at once", "", "calls/s", "p50", "p99", "server CPU", "CPU ratio"));
  const ours = await startProcess(program, ourFlags, IMAGE_NODE_FLAGS);
  const sdk = await startProcess(programPath("sdk-server.ts"), (port) => [`127.0.0.1:${port}`]);
  try {
    for (const { name, bytes } of cases) {
      // A server lives for weeks, so what counts is how it does once its code is compiled.
      for (const server of [ours, sdk]) await load(server, bytes, WARM_UP_CALLS, 20);
      for (const [concurrency, calls] of [
        [1, 1_000],
        [100, 2_000],
      ] as const) {
        const our = await load(ours, bytes, calls, concurrency);
        const their = await load(sdk, bytes, calls, concurrency);
        const gain = ratio(their.cpuMilliseconds, our.cpuMilliseconds);
        print(loadRow(name, concurrency, "ours", our, gain));
        print(loadRow("", concurrency, "SDK, empty", their, ""));
      }
    }
  } finally {
    await stopProcess(ours);
    await stopProcess(sdk);
  }
}

async function idleMemory(program: string): Promise<void> {
  if (process.platform !== "linux") {
    print("\nIdle memory is only measured on Linux");
    return;
  }
  const server = await startProcess(program, ourFlags, IMAGE_NODE_FLAGS);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MILLISECONDS));
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  print(`\nIdle resident memory: ${Math.round(kilobytes / 1024)} MB`);
  await stopProcess(server);
}

function ourFlags(port: number): readonly string[] {
  return ["--insecure", "--address", `127.0.0.1:${port}`, "--metrics-address", "127.0.0.1:0"];
}

function loadRow(name: string, concurrency: number, who: string, result: Load, gain: string) {
  const { callsPerSecond, p50, p99, cpuMilliseconds } = result;
  const calls = callsPerSecond.toFixed(0);
  const times = [p50, p99, cpuMilliseconds].map(milliseconds);
  return row(name, String(concurrency), who, calls, ...times, gain);
}

function row(name: string, ...columns: readonly string[]): string {
  return `  ${name.padEnd(25)}${columns.map((column) => column.padStart(12)).join("")}`.trimEnd();
}

function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 3 : 1)} ms`;
}

function ratio(ours: number, theirs: number): string {
  return `${(ours / theirs).toFixed(2)}x`;
}
