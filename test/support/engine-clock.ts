import type { Clock } from "../../evaluator/engine/clock.ts";

/** A clock that jumps: waiting takes no time and lets as much of it pass as was asked for. */
export class JumpingClock implements Clock {
  /** Every wait that was asked for, in milliseconds. */
  readonly waits: number[] = [];
  #now = Date.parse("2026-12-01T00:00:00Z");

  now(): number {
    return this.#now;
  }

  async after(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.waits.push(milliseconds);
    this.#now += milliseconds;
  }

  /** Lets time pass. */
  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

/** A clock on which time passes only by `pass`; what waits until then goes on in the order of its time. */
export class StandingClock implements Clock {
  #now = 0;
  #waiting: { readonly at: number; readonly done: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const entry = { at: this.#now + milliseconds, done: resolve };
      this.#waiting.push(entry);
      signal.addEventListener("abort", () => {
        this.#waiting = this.#waiting.filter((other) => other !== entry);
        resolve();
      });
    });
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Lets time pass, and everything happen that happens meanwhile. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const [next] = this.#waiting.toSorted((a, b) => a.at - b.at);
      if (next === undefined || next.at > until) break;
      this.#now = next.at;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      next.done();
    }
    this.#now = until;
  }
}
