// `npm run fuzz -- --runs N [--seed S]`: damaged RunFunction requests against the real handlers.
// Each worker takes a share of the runs; this thread only watches that they get on.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { createHandlers } from "../../functions/handlers.ts";
import { shippedDefinitions } from "../../functions/shipped.ts";
import { fuzzRequests, type Tally } from "./requests.ts";

/** No request may keep the function busy for so long; a slow machine does thousands meanwhile. */
const HANG_MILLISECONDS = 30_000;

interface Share {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** Holds the number of the run under way, for the watcher. */
  readonly progress: Int32Array;
}

if (isMainThread) await watch();
else work(workerData as Share);

function work({ seed, from, to, progress }: Share): void {
  const handlers = createHandlers(shippedDefinitions());
  const tally = fuzzRequests(handlers, seed, from, to, (run) => Atomics.store(progress, 0, run));
  parentPort?.postMessage(tally);
}

async function watch(): Promise<void> {
  const { values } = parseArgs({
    options: { runs: { type: "string" }, seed: { type: "string" } },
  });
  const runs = whole("--runs", values.runs ?? "1000000");
  const seed = whole("--seed", values.seed ?? "1");
  const workers = Math.min(availableParallelism(), Math.ceil(runs / 1_000));
  const shares = Array.from({ length: workers }, (_, i) => ({
    seed,
    from: Math.floor((runs * i) / workers),
    to: Math.floor((runs * (i + 1)) / workers),
    progress: new Int32Array(new SharedArrayBuffer(4)),
  }));
  const tallies = await Promise.all(shares.map(runShare));
  const total = (name: keyof Tally) => tallies.reduce((sum, tally) => sum + tally[name], 0);
  const { length } = tallies;
  process.stdout.write(
    `${runs} requests (seed ${seed}, ${length} workers): ${total("composed")} composed, ${total("holding")} held, ${total("fatal")} fatal, ${total("invalid")} undecodable\n`,
  );
}

function runShare(share: Share): Promise<Tally> {
  const worker = new Worker(new URL(import.meta.url), { workerData: share });
  return new Promise((resolve, reject) => {
    let last = -1;
    const watchdog = setInterval(() => {
      const run = Atomics.load(share.progress, 0);
      if (run === last) {
        process.stderr.write(`seed ${share.seed}, run ${run}: hangs\n`);
        process.exit(1);
      }
      last = run;
    }, HANG_MILLISECONDS);
    worker.on("message", (tally: Tally) => resolve(tally));
    worker.on("error", reject);
    worker.on("exit", () => clearInterval(watchdog));
  });
}

function whole(flag: string, text: string): number {
  if (/^[1-9][0-9]{0,9}$/.test(text)) return Number(text);
  throw new Error(`${flag} is "${text}"; give a whole number from 1`);
}
