import { backoff } from "./backoff.ts";
import type { Clock } from "./clock.ts";

/** What work on a key came to. */
export type Worked =
  /** Done; to be done again after so many milliseconds, if nothing calls for it before. */
  | { readonly state: "done"; readonly again?: number }
  /** To be tried again, ever more rarely. */
  | { readonly state: "failed" };

/** What a queue needs. */
export interface WorkQueueOptions {
  /** How many keys are worked on at a time. */
  readonly workers: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** Does the work of one key; it never throws. */
  readonly work: (key: string) => Promise<Worked>;
}

/** Timers of machines don't reach further than 24 days. */
const LONGEST_SLEEP = 86_400_000;

interface Entry {
  /** When it is due; `undefined` where nothing calls for it. */
  due: number | undefined;
  running: boolean;
  failures: number;
}

/**
 * Work by key: one at a time for each key, several keys at a time, however often a key is called
 * for. A key that hangs holds one worker and delays no other key.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #entries = new Map<string, Entry>();
  /** Keys that are due, in the order in which they fell due. */
  readonly #ready = new Set<string>();
  #running = 0;
  #signal: AbortSignal | undefined;
  #timer: { readonly at: number; readonly end: AbortController } | undefined;
  readonly #idle = new Set<() => void>();

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Works until the signal aborts, and resolves when what was under way then has ended. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.#turn();
    const aborted = Promise.withResolvers<void>();
    if (signal.aborted) aborted.resolve();
    else signal.addEventListener("abort", () => aborted.resolve(), { once: true });
    await aborted.promise;
    this.#timer?.end.abort();
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.add(resolve));
  }

  /** Calls for a key, after so many milliseconds; of several calls the earliest counts. */
  add(key: string, milliseconds = 0): void {
    const entry = this.#entries.get(key) ?? { due: undefined, running: false, failures: 0 };
    this.#entries.set(key, entry);
    const due = this.#options.clock.now() + milliseconds;
    if (entry.due !== undefined && entry.due <= due) return;
    entry.due = due;
    this.#turn();
  }

  /** Starts whatever is due and has a worker, and wakes when the next key is due. */
  #turn(): void {
    const { clock, workers } = this.#options;
    if (this.#signal === undefined || this.#signal.aborted) return;
    const now = clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, { due, running }] of this.#entries) {
      if (due === undefined || running) continue;
      if (due <= now) this.#ready.add(key);
      else next = Math.min(next, due);
    }
    for (const key of this.#ready) {
      if (this.#running >= workers) break;
      this.#ready.delete(key);
      void this.#work(key);
    }
    if (next !== Number.POSITIVE_INFINITY) this.#wakeAt(Math.min(next, now + LONGEST_SLEEP));
  }

  #wakeAt(at: number): void {
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#timer?.end.abort();
    const { clock } = this.#options;
    const timer = { at, end: new AbortController() };
    this.#timer = timer;
    void clock.after(at - clock.now(), timer.end.signal).then(() => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#turn();
    });
  }

  async #work(key: string): Promise<void> {
    const { clock, random, work } = this.#options;
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    Object.assign(entry, { due: undefined, running: true });
    this.#running += 1;
    const worked = await work(key);
    this.#running -= 1;
    entry.running = false;
    entry.failures = worked.state === "failed" ? entry.failures + 1 : 0;
    const wait = worked.state === "failed" ? backoff(entry.failures, random) : worked.again;
    if (wait !== undefined) {
      const due = clock.now() + wait;
      entry.due = Math.min(entry.due ?? due, due);
    } else if (entry.due === undefined && this.#entries.get(key) === entry) {
      this.#entries.delete(key);
    }
    if (this.#signal?.aborted === true && this.#running === 0) {
      for (const resolve of this.#idle) resolve();
    }
    this.#turn();
  }
}
