import { jsonEqual } from "../../kube/canonical.ts";
import { field, type KubeObject, listField, stringField } from "../../kube/object.ts";
import { kindOf, type ServedKind } from "./kinds.ts";
import type { Kubelet } from "./kubelet.ts";

import type { Workings } from "./workings.ts";

const CLAIM = kindOf("PersistentVolumeClaim") as ServedKind;

/** Binds a claim, grows it where it asks for more, and lets it go once no pod mounts it. */
export function keepClaim(claim: KubeObject, { store }: Workings, kubelet: Kubelet): void {
  const { namespace = "", name = "", deletionTimestamp } = claim.metadata ?? {};
  if (deletionTimestamp !== undefined) {
    const finalizers = listField(claim.metadata, "finalizers");
    if (finalizers.length === 0 || kubelet.mounts(claim)) return;
    const patch = { metadata: { finalizers: [] } };
    store.patch(CLAIM, { namespace, name }, patch, { part: "object", type: "merge" });
    return;
  }
  const capacity = { storage: field(claim.spec, "resources", "requests", "storage") };
  const isBound = stringField(claim.status, "phase") === "Bound";
  if (isBound && jsonEqual(field(claim.status, "capacity"), capacity)) return;
  const status = { phase: "Bound", accessModes: field(claim.spec, "accessModes"), capacity };
  store.patch(CLAIM, { namespace, name }, { status }, { part: "status", type: "merge" });
}
