import {
  decodeProviderObject,
  type ObservedProviderObject,
  remoteIdentity,
} from "../../api/provider-object.ts";
import { jsonEqual, sha256Hex } from "../../kube/canonical.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { ObservedResources } from "./composition.ts";

/** Hexadecimal digits of an identity's hash. */
const HASH_LENGTH = 5;

/**
 * Chooses the resource key of an Object so that no Object is ever re-pointed: the provider finds
 * its remote object by manifest and provider config, so an Object that would stand for another
 * remote object takes `<key>-<hash of its identity>`, and the one under `key` is let go. A key so
 * taken is kept for as long as it is observed.
 */
export function objectKey(
  key: string,
  manifest: KubeObject,
  providerConfig: string,
  observed: ObservedResources,
): string {
  const identity = remoteIdentity(manifest, providerConfig);
  const repointed = () => `${key}-${identityHash(identity)}`;
  // Hashing is worth while only where some longer key is observed at all.
  const prefix = `${key}-`;
  const length = prefix.length + HASH_LENGTH;
  if (observed.keys.some((other) => other.length === length && other.startsWith(prefix))) {
    if (observed.get(repointed()) !== undefined) return repointed();
  }
  const present = observed.get(key);
  const decoded = present === undefined ? undefined : decodeProviderObject(present);
  if (decoded === undefined) return key;
  return jsonEqual(observedIdentity(decoded), identity) ? key : repointed();
}

/** Gives the key that an observed Object was asked for under, without the hash that `objectKey` may have added. */
export function requestedKey(key: string, observed: ObservedProviderObject): string {
  const hash = `-${identityHash(observedIdentity(observed))}`;
  return key.endsWith(hash) ? key.slice(0, -hash.length) : key;
}

function observedIdentity(observed: ObservedProviderObject): readonly string[] {
  return remoteIdentity(observed.wanted, observed.providerConfig);
}

function identityHash(identity: readonly string[]): string {
  return sha256Hex(JSON.stringify(identity), HASH_LENGTH);
}
