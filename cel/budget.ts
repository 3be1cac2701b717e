/** Thrown inside the CEL library to stop an evaluation; `Program.evaluate` turns it into a result. */
export class BudgetExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
    this.name = "BudgetExceeded";
  }
}

/**
 * Steps that one evaluation may take. It sticks once spent, since `||`, `&&` and `exists` absorb
 * errors and would otherwise swallow the stop and run on.
 */
export class Budget {
  readonly limit: number;
  /** What is left of the running evaluation's steps; plain, since every step of every rule comes by. */
  left: number;

  constructor(limit: number) {
    this.limit = limit;
    this.left = limit;
  }

  /** Starts a new evaluation with the whole budget. */
  reset(): void {
    this.left = this.limit;
  }

  /** Takes steps off the budget; throws `BudgetExceeded` from the moment it is overdrawn. */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new BudgetExceeded();
  }

  /** Whether the running evaluation has been stopped, even if its error was absorbed. */
  get exceeded(): boolean {
    return this.left < 0;
  }
}
