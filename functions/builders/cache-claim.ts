import { childName } from "../../kube/names.ts";

/** Names the PersistentVolumeClaim of a ModelCache on every cluster that has its weights. */
export function cacheClaimName(controlNamespace: string, cache: string): string {
  return childName(["modelcache", controlNamespace, cache]);
}
