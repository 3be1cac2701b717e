import { isRecord, type KubeObject, listField } from "../../kube/object.ts";
import type { ApiStore } from "./api-store.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** What the stand-ins for a cluster's controllers work with. */
export interface Workings {
  readonly store: ApiStore;
  readonly clock: VirtualClock;
  /** The objects of a kind that an object controls or owns. */
  children(owner: KubeObject, kind: string): readonly KubeObject[];
  /** Looks at an object again after so many milliseconds. */
  again(object: KubeObject, milliseconds: number): void;
}

/** The claims that a pod mounts. */
export function claimsOf(pod: KubeObject): readonly string[] {
  return listField(pod, "spec", "volumes").flatMap((volume) => {
    const claim = isRecord(volume) ? volume.persistentVolumeClaim : undefined;
    return isRecord(claim) ? [String(claim.claimName)] : [];
  });
}

/** Whether a pod has ended for good. */
export function hasEnded({ status }: KubeObject): boolean {
  const phase = isRecord(status) ? status.phase : undefined;
  return phase === "Succeeded" || phase === "Failed";
}

/** A reference to the controller of an object. */
export function reference({ apiVersion, kind, metadata }: KubeObject): object {
  const { name, uid } = metadata ?? {};
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
