import { setTimeout as timer } from "node:timers/promises";

/** Time as clients and the simulator see it; tests pass one of their own. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal aborts. */
  after(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async after(milliseconds, signal) {
    await timer(milliseconds, undefined, { signal }).catch((error: Error) => {
      if (error.name !== "AbortError") throw error;
    });
  },
};
