import { ANNOTATIONS, storeName } from "../../api/decision-model.ts";
import type { DecisionModel, Scheduling } from "../../api/gen/decisionmodels.ts";
import { canonicalJson } from "../../kube/canonical.ts";
import { type KubeObject, listField, stringField } from "../../kube/object.ts";
import { compareQuantities, parseQuantity } from "../../kube/quantity.ts";
import { ownedMetadata, servingLabels } from "./owned.ts";

/** The annotation of a claim that is being filled again after its volume was lost. */
export const RECOVERING = ANNOTATIONS.storeRecovering;

/** The annotation of a claim that keeps the scheduling of its revision, of which the status has only a hash. */
export const SCHEDULING = "decisionmodel.io/scheduling";

/** What varies between the claims of revisions. */
export interface StoreClaimParameters {
  readonly model: DecisionModel;
  readonly revision: string;
  /** That of the revision, which the spec may no longer have. */
  readonly scheduling: Scheduling | undefined;
  readonly recovering: boolean;
}

/** Builds the claim of the volume that keeps the model of one revision. */
export function buildStoreClaim(parameters: StoreClaimParameters): KubeObject {
  const { model, revision, scheduling, recovering } = parameters;
  const { cache } = model.spec;
  const annotations = {
    ...(recovering ? { [RECOVERING]: "true" } : {}),
    ...(scheduling === undefined ? {} : { [SCHEDULING]: canonicalJson(scheduling) }),
  };
  const name = storeName(model.metadata.name ?? "", revision);
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: ownedMetadata(model, name, servingLabels(model, revision), annotations),
    spec: {
      accessModes: accessModes(model),
      ...(cache?.storageClassName === undefined
        ? {}
        : { storageClassName: cache.storageClassName }),
      resources: { requests: { storage: storageSize(model) } },
    },
  };
}

/**
 * Whether pods on several nodes may mount a store: the claim that is there, whose modes stay, or
 * the one that the spec asks for.
 */
export function isShareable(model: DecisionModel, live?: KubeObject): boolean {
  const modes = live === undefined ? accessModes(model) : liveModes(live);
  return modes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany");
}

/** How a live claim stands to what the spec says of stores now. */
export type ClaimState =
  | { readonly state: "fits" }
  /** `patch` is the merge patch that grows it. */
  | { readonly state: "grows"; readonly patch: object }
  | { readonly state: "differs"; readonly message: string };

/** Compares a live claim with the spec: it may grow, and nothing else of a claim can change. */
export function claimState(live: KubeObject, model: DecisionModel): ClaimState {
  const name = live.metadata?.name;
  const differs = (what: string, has: string, wanted: string): ClaimState => ({
    state: "differs",
    message: `PersistentVolumeClaim ${name} has ${what} ${has}, and spec.cache wants ${wanted}: what is stored can't change, so set it back; another model or scheduling gets a store of its own`,
  });
  const modes = liveModes(live);
  const wantedModes = accessModes(model);
  if ([...modes].sort().join() !== [...wantedModes].sort().join()) {
    return differs("accessModes", modes.join(", "), wantedModes.join(", "));
  }
  const wantedClass = model.spec.cache?.storageClassName;
  const liveClass = stringField(live, "spec", "storageClassName") ?? "";
  // Left out, the cluster chose one.
  if (wantedClass !== undefined && wantedClass !== liveClass) {
    return differs("storageClassName", liveClass, wantedClass);
  }
  const size = stringField(live, "spec", "resources", "requests", "storage") ?? "0";
  const wanted = storageSize(model);
  const [before, after] = [parseQuantity(size), parseQuantity(wanted)];
  if (!before.ok || !after.ok) return { state: "fits" };
  const order = compareQuantities(before.quantity, after.quantity);
  if (order === 0) return { state: "fits" };
  if (order > 0) return differs("size", size, `${wanted}, which is less`);
  return { state: "grows", patch: { spec: { resources: { requests: { storage: wanted } } } } };
}

function liveModes(live: KubeObject): readonly string[] {
  return listField(live, "spec", "accessModes").map(String);
}

function accessModes({ spec }: DecisionModel): readonly string[] {
  const modes = spec.cache?.accessModes ?? [];
  return modes.length === 0 ? ["ReadWriteOnce"] : modes;
}

function storageSize({ spec }: DecisionModel): string {
  return String(spec.cache?.size ?? "10Gi");
}
