/** Fails the running expression with the words of the API server's library; `||`, `&&` and `exists` absorb it. */
export class CelFailure {
  readonly message: string;

  // No Error: one would carry a stack, which costs more than the steps that an expression may take.
  constructor(message: string) {
    this.message = message;
  }
}

/** The failure of a call whose arguments no overload takes. */
export const NO_OVERLOAD = "no such overload";

/** What an overload does; the arguments have the types of its signature, the receiver first. */
// biome-ignore lint/suspicious/noExplicitAny: the signature, not TypeScript, types the arguments.
export type Call = (...args: any[]) => unknown;

/**
 * One overload of a function: the id and the signature that Kubernetes declares, as `readSignature`
 * writes it, and what it does.
 */
export type Overload = readonly [id: string, signature: string, call: Call];
