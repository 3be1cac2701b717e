import { createHash } from "node:crypto";
import type { KubeObject } from "../../kube/object.ts";

const LONGEST_NAME = 63;
const HASH_LENGTH = 12;

/**
 * The UID of an object that has none yet: the version 5 UUID (nil name space) over its kind,
 * namespace and name that `crossplane internal render` gives a composite resource, so that both
 * derive the same names from it.
 */
export function deterministicUid({ apiVersion, kind, metadata }: KubeObject): string {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const text = `${group}/${version}, Kind=${kind}\0${metadata?.namespace ?? ""}\0${metadata?.name ?? ""}`;
  const hash = createHash("sha1").update(Buffer.alloc(16)).update(text).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString("hex");
  const ends = [8, 12, 16, 20, 32];
  return ends.map((end, at) => hex.slice(ends[at - 1] ?? 0, end)).join("-");
}

/**
 * The name that Crossplane gives a composed resource without one: `generateName` and 12 hexadecimal
 * digits of the SHA-256 over the composite's UID and the resource key, at most 63 characters.
 */
export function composedName(generateName: string, uid: string, key: string): string {
  const suffix = createHash("sha256").update(`${uid}${key}`).digest("hex").slice(0, HASH_LENGTH);
  const prefix = generateName.endsWith("-") ? generateName : `${generateName}-`;
  if (prefix.length + suffix.length <= LONGEST_NAME) return `${prefix}${suffix}`;
  const room = LONGEST_NAME - HASH_LENGTH;
  const cut = prefix.slice(0, room);
  return `${cut.endsWith("-") ? cut : `${prefix.slice(0, room - 1)}-`}${suffix}`;
}
