import { storeName } from "../../api/decision-model.ts";
import type { Revision } from "../../api/gen/decisionmodels.ts";
import { buildStoreClaim, claimState, RECOVERING } from "../builders/store-claim.ts";
import { targetOf } from "./garbage.ts";
import type { Pass } from "./pass.ts";
import { prefetch } from "./prefetch.ts";
import { described } from "./revision.ts";
import { schedulingOf } from "./serving.ts";
import { LIMITS } from "./settings.ts";

/** Whether a store can be filled and mounted now, and if not, why. */
export type Store =
  | { readonly usable: true }
  | { readonly usable: false; readonly message: string };

/** Has the store of a candidate made, and grown where the spec asks for more. */
export function ensureStore(pass: Pass, revision: Revision): Store {
  const name = storeName(pass.model.metadata.name ?? "", revision.hash);
  const claim = pass.world.claims.get(name);
  if (claim === undefined) {
    const object = buildStoreClaim({
      model: pass.model,
      revision: revision.hash,
      scheduling: schedulingOf(pass, revision),
      recovering: false,
    });
    pass.followUp({ type: "Create", object });
    const refused = pass.world.refused.get(`PersistentVolumeClaim ${name}`);
    if (refused !== undefined) {
      return { usable: false, message: `PersistentVolumeClaim ${name}: ${refused.message}` };
    }
    // The Job may be made at once: its pod waits for the claim.
    return { usable: true };
  }
  if (claim.metadata?.deletionTimestamp !== undefined) {
    pass.wakeAfter(LIMITS.storeTerminating);
    return { usable: false, message: `PersistentVolumeClaim ${name} is being deleted` };
  }
  fitClaim(pass, claim);
  return { usable: true };
}

/**
 * Looks after the store of the stable revision. One that is lost is made again and filled with the
 * recorded digest, as often as the limit allows; meanwhile what serves from memory goes on.
 * Returns whether its pods may be changed: those that still mount a store on its way out may not.
 */
export function maintainStore(pass: Pass, stable: Revision): boolean {
  const name = storeName(pass.model.metadata.name ?? "", stable.hash);
  const claim = pass.world.claims.get(name);
  if (claim === undefined) {
    const message = `PersistentVolumeClaim ${name} of ${described(stable)} is gone: it is made and filled again`;
    announce(pass, "StoreLost", message);
    const object = buildStoreClaim({
      model: pass.model,
      revision: stable.hash,
      scheduling: schedulingOf(pass, stable),
      recovering: true,
    });
    pass.followUp({ type: "Create", object });
    pass.wakeAfter(LIMITS.probe);
    return true;
  }
  if (claim.metadata?.deletionTimestamp !== undefined) {
    const message = `PersistentVolumeClaim ${name} is being deleted while pods of ${described(stable)} use it: they serve on, and it is made again once they are gone`;
    announce(pass, "StoreTerminating", message);
    pass.wakeAfter(LIMITS.storeTerminating);
    return false;
  }
  if (claim.metadata?.annotations?.[RECOVERING] === "true") recover(pass, stable, claim);
  fitClaim(pass, claim);
  return true;
}

function recover(
  pass: Pass,
  stable: Revision,
  claim: NonNullable<ReturnType<Pass["world"]["claims"]["get"]>>,
): void {
  const { status } = pass;
  const recovery = status.storeRecovery ?? {};
  if (recovery.exhausted === true) {
    announce(pass, "StorePrefetchFailed", exhausted(stable));
    pass.wakeAfter(LIMITS.hold);
    return;
  }
  pass.wakeAfter(LIMITS.probe);
  const download = prefetch(pass, stable);
  if (download.state === "complete") {
    delete status.storeRecovery;
    const patch = { metadata: { annotations: { [RECOVERING]: null } } };
    pass.followUp({ type: "Merge", target: targetOf(claim), patch });
    return;
  }
  if (download.state === "running") {
    announce(pass, "StoreLost", `the store of ${described(stable)} is filled again`);
    return;
  }
  const counted = recovery.lastFailedJob === download.uid;
  const attempts = (recovery.attempts ?? 0) + (counted ? 0 : 1);
  const ends = download.permanent || attempts >= LIMITS.storeRecoveries;
  status.storeRecovery = {
    attempts,
    lastFailedJob: download.uid,
    ...(ends ? { exhausted: true } : {}),
  };
  if (ends) announce(pass, "StorePrefetchFailed", `${exhausted(stable)}: ${download.message}`);
  else {
    announce(pass, "StoreLost", `the store of ${described(stable)} is filled again`);
    // The count is written first; only then does the Job that was counted go.
    pass.followUp({ type: "Delete", target: download.target });
  }
}

const exhausted = (stable: Revision) =>
  `the store of ${described(stable)} can't be filled again; set the annotation decisionmodel.io/retry to a new value to try once more`;

/** Says what is wrong with a store, and tells people the first time. */
function announce(
  pass: Pass,
  reason: "StoreLost" | "StoreTerminating" | "StorePrefetchFailed",
  message: string,
): void {
  if (pass.condition("Degraded")?.reason !== reason) pass.notice("Warning", reason, message);
  pass.degrade(reason, message);
}

/** Grows a claim that the spec wants larger, and says what it wants that no claim can become. */
function fitClaim(pass: Pass, claim: Parameters<typeof claimState>[0]): void {
  const state = claimState(claim, pass.model);
  const refusal = pass.world.refused.get(`PersistentVolumeClaim ${claim.metadata?.name}`);
  if (state.state === "differs") pass.degrade("CacheSpecImmutable", state.message);
  if (state.state !== "grows") return;
  if (refusal !== undefined) {
    const message = `PersistentVolumeClaim ${claim.metadata?.name} does not grow: ${refusal.message}`;
    pass.degrade("CacheSpecImmutable", message);
  }
  pass.followUp({ type: "Merge", target: targetOf(claim), patch: state.patch });
}
