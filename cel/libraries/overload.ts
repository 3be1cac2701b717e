/** Fails the running expression with the words of the API server's library. */
export class CelFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CelFailure";
  }
}

/**
 * One overload of a function: its signature as the CEL library writes it, and what it does. The
 * arguments have the types of the signature, the receiver first.
 */
export type Overload = readonly [
  signature: string,
  // biome-ignore lint/suspicious/noExplicitAny: the signature, not TypeScript, types the arguments.
  call: (...args: any[]) => unknown,
];
