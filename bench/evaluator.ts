import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { BUILT_IN, DECISION_MODEL } from "../evaluator/simulation/kinds.ts";
import { startFleet, untilReady } from "../test/rollouts/fleet.ts";
import { HttpApiServer } from "../test/support/api-server/http.ts";
import { bundleProgram, EVALUATOR_NODE_FLAGS } from "./image.ts";

const MODELS = 500;
const SETTLE_MILLISECONDS = 8_000;
const TICKS_PER_SECOND = 100;

/** Passes over converged DecisionModels in process, and the bundled operator's memory and CPU over HTTP. */
export async function benchEvaluator(print: (line?: string) => void): Promise<void> {
  print(`\nThe evaluator, ${MODELS} DecisionModels that are as they should be`);
  const fleet = startFleet(MODELS);
  await untilReady(fleet);
  const { world, processes } = fleet;
  await world.clock.advanceTo(world.clock.now() + 600_000);
  const text = JSON.stringify(world.store.list(DECISION_MODEL));
  const before = process.cpuUsage();
  const minutes = 10;
  await world.clock.advanceTo(world.clock.now() + minutes * 60_000);
  const passes = seconds(process.cpuUsage(before)) / minutes;
  const began = process.cpuUsage();
  JSON.parse(text);
  const parsed = seconds(process.cpuUsage(began));
  print(
    `  one pass over each, its server asked: ${passes.toFixed(2)} s of CPU, ${(passes / parsed).toFixed(0)}x JSON.parse of them`,
  );
  await processes.stop();
  if (process.platform !== "linux") {
    print("  memory is only measured on Linux");
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const kinds = [...BUILT_IN, DECISION_MODEL];
  const api = new HttpApiServer({ store: world.store, kinds, token: () => "bench" });
  const empty = new HttpApiServer({
    store: startFleet(0).world.store,
    kinds,
    token: () => "bench",
  });
  try {
    const program = join(directory, "evaluator.mjs");
    await bundleProgram("evaluator/main.ts", program);
    await api.listen();
    await empty.listen();
    const idle = await measure(program, directory, empty.kubeconfig);
    const busy = await measure(program, directory, api.kubeconfig);
    print(
      `  the bundled operator alone: ${idle.megabytes} MB, ${idle.seconds.toFixed(2)} s of CPU`,
    );
    print(
      `  with ${MODELS} of them:      ${busy.megabytes} MB, ${busy.seconds.toFixed(2)} s of CPU: ${(busy.megabytes / idle.megabytes).toFixed(2)}x the memory`,
    );
  } finally {
    await api.close();
    await empty.close();
    rmSync(directory, { recursive: true });
  }
}

/** The memory of an operator some seconds after it has its copies, and the CPU time until then. */
async function measure(program: string, directory: string, kubeconfig: string) {
  const file = join(directory, "kubeconfig");
  writeFileSync(file, kubeconfig);
  const flags = [`--kubeconfig=${file}`, "--health-probe-bind-address=0"];
  const child = spawn(process.execPath, [...EVALUATOR_NODE_FLAGS, program, ...flags], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes("the evaluator works")) break;
  }
  child.stderr.resume();
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MILLISECONDS));
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  child.kill("SIGKILL");
  const megabytes = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  return { megabytes, seconds: (Number(stat[11]) + Number(stat[12])) / TICKS_PER_SECOND };
}

function seconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000_000;
}
