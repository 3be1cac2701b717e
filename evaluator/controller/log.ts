/** Where what happens is written to; no secret, nor anything made from one, is ever given to it. */
export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
