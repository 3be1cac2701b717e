import { sha256Hex } from "../../kube/canonical.ts";

const MOST_BYTES = 63;
const HASH_LENGTH = 8;

/**
 * A question's identifier as messages and status show it: itself while it has at most 63 bytes of
 * UTF-8, else its first characters, a dash and 8 hexadecimal digits of its SHA-256.
 */
export function questionName(id: string): string {
  if (Buffer.byteLength(id) <= MOST_BYTES) return id;
  let start = "";
  for (const character of id) {
    if (Buffer.byteLength(start + character) > MOST_BYTES - HASH_LENGTH - 1) break;
    start += character;
  }
  return `${start}-${sha256Hex(id, HASH_LENGTH)}`;
}
