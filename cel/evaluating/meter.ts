/** Thrown to stop an evaluation; nothing in an expression absorbs it. */
export class Stopped {
  readonly message: string;
  /** Whether it was our own bound: the API server might have come to an end. */
  readonly ours: boolean;

  constructor(message: string, ours: boolean) {
    this.message = message;
    this.ours = ours;
  }
}

/**
 * What one evaluation may take. Steps bound the time on this machine, some 12 ns each; cost is counted
 * as the API server's library counts it, and its limit is the API server's.
 */
export class Meter {
  /** What has been spent of the API server's cost. */
  cost = 0;
  readonly #stepLimit: number;
  readonly #costLimit: number;
  #left: number;

  constructor(stepLimit: number, costLimit: number) {
    this.#stepLimit = stepLimit;
    this.#costLimit = costLimit;
    this.#left = stepLimit;
  }

  /** Starts a new evaluation with nothing spent. */
  reset(): void {
    this.#left = this.#stepLimit;
    this.cost = 0;
  }

  /** The steps of the evaluation so far. */
  get steps(): number {
    return this.#stepLimit - this.#left;
  }

  /** Takes steps; once overdrawn every further one stops too. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) {
      const message = `stopped here after ${this.#stepLimit} steps, which keeps others from waiting`;
      throw new Stopped(message, true);
    }
  }

  /** Adds to the cost. */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#costLimit) {
      throw new Stopped("operation cancelled: actual cost limit exceeded", false);
    }
  }
}
