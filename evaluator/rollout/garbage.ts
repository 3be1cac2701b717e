import { LABELS, manifestName } from "../../api/decision-model.ts";
import { after, parseInstant } from "../../kube/instant.ts";
import { type KubeObject, stringField } from "../../kube/object.ts";
import type { Target } from "./decision.ts";
import type { Pass } from "./pass.ts";
import { stabilizationOf } from "./policy.ts";
import { LIMITS } from "./settings.ts";

/**
 * Deletes what belongs to revisions that nobody needs any more, by the status as it will be written:
 * the stable one, the candidate, the previous one as long as it is the way back, both of a rollback
 * that goes on, and the one that the live Service selects stay, whatever else is wrong.
 */
export function collectGarbage(pass: Pass): void {
  const { world } = pass;
  const kept = keptRevisions(pass);
  const superfluous = (objects: Iterable<KubeObject>) =>
    [...objects].filter((object) => {
      const revision = revisionOf(object);
      return revision !== undefined && !kept.has(revision);
    });
  const ordered = [
    ...superfluous(world.deployments.values()),
    ...superfluous(world.jobs.values()),
    ...superfluous(world.claims.values()),
    ...superfluous(world.budgets.values()),
  ];
  for (const object of ordered) {
    if (object.metadata?.deletionTimestamp !== undefined) continue;
    if (object.kind === "PersistentVolumeClaim") {
      // Nobody lists manifests: whoever is interrupted finds this one by the claim, so it goes first.
      const name = manifestName(pass.model.metadata.name ?? "", revisionOf(object) ?? "");
      pass.followUp({ type: "DeleteManifest", name });
    }
    pass.followUp({ type: "Delete", target: targetOf(object) });
  }
}

/** The revisions whose objects stay. */
function keptRevisions({ status, world }: Pass): ReadonlySet<string> {
  const selected = stringField(world.service, "spec", "selector", LABELS.revision);
  return new Set(
    [
      status.stableRevision?.hash,
      status.candidateRevision?.hash,
      status.previousRevision?.hash,
      status.recreateRollback?.failed?.hash,
      status.recreateRollback?.target?.hash,
      selected,
    ].filter((hash) => hash !== undefined),
  );
}

/**
 * Forgets the previous revision when it is no longer a way back: after the window, or with a
 * candidate under way, since then the window is over; never before endpoints had time to follow.
 */
export function retirePrevious(pass: Pass): void {
  const { status, now } = pass;
  if (status.previousRevision === undefined) return;
  // While the promotion is watched, whoever watches it decides.
  if (status.candidateRevision === undefined && stabilizationOf(pass.spec) > 0) return;
  const promotedAt = parseInstant(status.previousRevision.promotedAt) ?? now;
  const end = after(promotedAt, LIMITS.promotionGrace);
  if (now < end) pass.wakeAt(end);
  else delete status.previousRevision;
}

/** The revision that an object of ours belongs to, by its labels. */
function revisionOf(object: KubeObject): string | undefined {
  return (
    stringField(object, "metadata", "labels", LABELS.revision) ??
    stringField(object, "metadata", "labels", LABELS.prefetchRevision)
  );
}

/** What a write must name to mean just this object. */
export function targetOf(object: KubeObject): Target {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, name: metadata?.name ?? "", uid: metadata?.uid ?? "" };
}
