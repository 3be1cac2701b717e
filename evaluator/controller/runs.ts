import type { Instant } from "../../kube/instant.ts";
import type { Run } from "../rollout/decision.ts";
import type { RunResult, RunState } from "../rollout/world.ts";

/** One piece of work of a DecisionModel, going on or done. */
interface Entry {
  readonly controller: AbortController;
  running: boolean;
  latest: RunState["latest"];
}

/** What background work needs from its surroundings. */
export interface RunsOptions {
  readonly now: () => Instant;
  readonly perform: (key: string, run: Run, signal: AbortSignal) => Promise<RunResult>;
  /** Called when work of a key has ended, so that somebody looks at it. */
  readonly ended: (key: string) => void;
  /** Called when work threw, which is a bug: it is begun again when the next pass wants it. */
  readonly broke: (key: string, error: unknown) => void;
}

/**
 * Work that goes on between passes, by the key of its DecisionModel: it is begun, cancelled and
 * forgotten as decisions want, and its results are kept in memory as long as they are wanted.
 */
export class Runs {
  readonly #options: RunsOptions;
  readonly #entries = new Map<string, Map<string, Entry>>();

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  /** The work of a key as it stands, by the runs' ids. */
  of(key: string): ReadonlyMap<string, RunState> {
    const entries = this.#entries.get(key) ?? new Map<string, Entry>();
    return new Map(
      [...entries].map(([id, { running, latest }]) => [
        id,
        { running, ...(latest === undefined ? {} : { latest }) },
      ]),
    );
  }

  /** Begins what is wanted and has no result that is new enough, and ends what is not wanted. */
  want(key: string, runs: readonly Run[]): void {
    const before = this.#entries.get(key) ?? new Map<string, Entry>();
    const wanted = new Map<string, Entry>();
    for (const run of runs) {
      const entry = before.get(run.id) ?? this.#entry();
      wanted.set(run.id, entry);
      const isOld =
        entry.latest === undefined || (run.since !== undefined && entry.latest.at < run.since);
      if (!entry.running && isOld) void this.#begin(key, run, entry);
    }
    for (const [id, entry] of before) if (!wanted.has(id)) entry.controller.abort();
    if (wanted.size === 0) this.#entries.delete(key);
    else this.#entries.set(key, wanted);
  }

  /** Ends all work of a key. */
  forget(key: string): void {
    this.want(key, []);
  }

  /** Ends all work. */
  stop(): void {
    for (const key of [...this.#entries.keys()]) this.forget(key);
  }

  #entry(): Entry {
    return { controller: new AbortController(), running: false, latest: undefined };
  }

  async #begin(key: string, run: Run, entry: Entry): Promise<void> {
    entry.running = true;
    const { signal } = entry.controller;
    let result: RunResult;
    try {
      result = await this.#options.perform(key, run, signal);
    } catch (error) {
      this.#options.broke(key, error);
      return;
    } finally {
      entry.running = false;
    }
    if (signal.aborted) return;
    const failures = saysNothing(result) ? (entry.latest?.failures ?? 0) + 1 : 0;
    entry.latest = { at: this.#options.now(), result, failures };
    this.#options.ended(key);
  }
}

/** Whether a result is only that something was not reached. */
function saysNothing(result: RunResult): boolean {
  switch (result.type) {
    case "Resolve":
    case "Inspect":
      return result.outcome.state === "unreachable";
    case "WarmUp":
      return result.problem !== undefined;
    case "Evaluate":
      return result.outcome.state === "broken";
  }
}
