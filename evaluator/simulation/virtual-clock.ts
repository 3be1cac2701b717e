import type { Instant } from "../../kube/instant.ts";
import type { Clock } from "../engine/clock.ts";

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/**
 * Time that passes only when it is told to, for programs that do nothing but compute and wait: a
 * simulated day takes as long as what happens in it.
 */
export class VirtualClock implements Clock {
  #now: Instant;
  /** By time, and in the order in which they were set. */
  #timers: Timer[] = [];

  constructor(start: Instant) {
    this.#now = start;
  }

  now(): Instant {
    return this.#now;
  }

  after(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#set(milliseconds, () => {
        signal.removeEventListener("abort", cancel);
        resolve();
      });
      const cancel = () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
        resolve();
      };
      signal.addEventListener("abort", cancel, { once: true });
    });
  }

  /** Calls something after so many milliseconds. */
  call(milliseconds: number, callback: () => void): void {
    this.#set(milliseconds, callback);
  }

  /** When something is due next, if anything is. */
  get next(): number | undefined {
    return this.#timers[0]?.at;
  }

  /** Goes on to a moment, doing what falls due on the way, each at its own time. */
  async advanceTo(moment: number): Promise<void> {
    await settle();
    while (this.next !== undefined && this.next <= moment) {
      this.#now = Math.max(this.#now, this.next) as Instant;
      // What falls due at the same moment happens in the order in which it was set.
      const due = this.#timers.shift() as Timer;
      due.fire();
      await settle();
    }
    this.#now = Math.max(this.#now, moment) as Instant;
  }

  #set(milliseconds: number, fire: () => void): Timer {
    const timer = { at: this.#now + Math.max(0, Math.ceil(milliseconds)), fire };
    let index = this.#timers.length;
    while (index > 0 && (this.#timers[index - 1] as Timer).at > timer.at) index--;
    this.#timers.splice(index, 0, timer);
    return timer;
  }
}

/** Resolves when everything that can go on without time passing has done so. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
