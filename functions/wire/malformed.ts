/**
 * Says that bytes are no message Crossplane could have sent: what is wrong, and at which byte.
 *
 * Thrown inside this folder only, because resources are decoded on first use, deep in a handler;
 * `decodeRequest` and `runFunction` turn it into a value.
 */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}
