import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** No run may take so long; a slow machine does thousands meanwhile. */
const HANG_MILLISECONDS = 30_000;

/** How often each way out was taken. */
export type Counts = Readonly<Record<string, number>>;

/** Runs number `from` up to `to` of the campaign that `seed` names, and throws on the first failure. */
export type Runs = (
  seed: number,
  from: number,
  to: number,
  progress: (run: number) => void,
) => Counts;

interface Share {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** Holds the number of the run under way, for the watcher. */
  readonly progress: Int32Array;
}

/**
 * Runs a campaign (`--runs N`, a million without; `--seed S`) on every core: each worker starts
 * `file` again and takes a share, this thread only watches that they get on, and prints the counts.
 */
export async function runCampaign(file: string, what: string, runs: Runs): Promise<void> {
  if (isMainThread) await watch(file, what);
  else {
    const { seed, from, to, progress } = workerData as Share;
    parentPort?.postMessage(runs(seed, from, to, (run) => Atomics.store(progress, 0, run)));
  }
}

async function watch(file: string, what: string): Promise<void> {
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
  const tallies = await Promise.all(shares.map((share) => runShare(file, share)));
  const names = Object.keys(tallies[0] ?? {});
  const totals = names.map(
    (name) => `${tallies.reduce((sum, tally) => sum + (tally[name] ?? 0), 0)} ${name}`,
  );
  process.stdout.write(
    `${runs} ${what} (seed ${seed}, ${workers} workers): ${totals.join(", ")}\n`,
  );
}

function runShare(file: string, share: Share): Promise<Counts> {
  const worker = new Worker(new URL(file), { workerData: share });
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
    worker.on("message", (tally: Counts) => resolve(tally));
    worker.on("error", reject);
    worker.on("exit", () => clearInterval(watchdog));
  });
}

function whole(flag: string, text: string): number {
  if (/^[1-9][0-9]{0,9}$/.test(text)) return Number(text);
  throw new Error(`${flag} is "${text}"; give a whole number from 1`);
}
