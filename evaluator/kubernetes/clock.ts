/** Time as whatever waits for a server sees it; simulations pass one of their own. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal aborts. */
  after(milliseconds: number, signal: AbortSignal): Promise<void>;
}
