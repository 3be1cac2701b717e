import { prefetchJobName, storeName } from "../../api/decision-model.ts";
import type { Revision } from "../../api/gen/decisionmodels.ts";
import { parseModelName } from "../../api/model-name.ts";
import { type Instant, parseInstant } from "../../kube/instant.ts";
import { stringField } from "../../kube/object.ts";
import { buildPrefetchJob, type PrefetchState, prefetchState } from "../builders/prefetch-job.ts";
import type { Target } from "./decision.ts";
import { targetOf } from "./garbage.ts";
import type { Pass } from "./pass.ts";
import { timeoutsOf } from "./policy.ts";
import { hostOf } from "./preflight.ts";
import { described } from "./revision.ts";
import { prefetchImage } from "./runtime.ts";
import { ownRegistry, schedulingOf } from "./serving.ts";

/** How far the download of a revision has come. */
export type Download =
  /** `since` is when its Job was made, which may be now. */
  | { readonly state: "running"; readonly message: string; readonly since: Instant }
  | { readonly state: "complete" }
  | (Extract<PrefetchState, { state: "failed" }> & {
      readonly uid: string;
      readonly target: Target;
    });

/**
 * Has a revision downloaded into its store. A Job that completed before the store that is there now
 * was made filled another one: it goes, and a new one follows.
 */
export function prefetch(pass: Pass, revision: Revision): Download {
  const model = pass.model.metadata.name ?? "";
  const { world } = pass;
  const name = prefetchJobName(model, revision.hash);
  const job = world.jobs.get(name);
  const running = {
    state: "running" as const,
    message: `Job ${name} downloads ${described(revision)}`,
    since: parseInstant(stringField(job, "metadata", "creationTimestamp")) ?? pass.now,
  };
  if (job === undefined) {
    pass.followUp({ type: "Create", object: jobFor(pass, revision) });
    return running;
  }
  if (job.metadata?.deletionTimestamp !== undefined) return running;
  const state = prefetchState(job, world.pods.get(job.metadata?.uid ?? "") ?? []);
  if (state.state === "running") return running;
  if (state.state === "failed") {
    return { ...state, uid: job.metadata?.uid ?? "", target: targetOf(job) };
  }
  const claim = world.claims.get(storeName(model, revision.hash));
  const made = stringField(claim, "metadata", "creationTimestamp") ?? "";
  const ran = stringField(job, "metadata", "creationTimestamp") ?? "";
  if (claim !== undefined && ran >= made) return state;
  if (claim !== undefined) pass.followUp({ type: "Delete", target: targetOf(job) });
  return running;
}

function jobFor(pass: Pass, revision: Revision) {
  const { model, settings, spec } = pass;
  const parsed = parseModelName(revision.model, hostOf(settings.registry));
  if (!parsed.ok) throw new Error(`recorded revision ${revision.hash} has no model name`);
  return buildPrefetchJob({
    model,
    revision: revision.hash,
    image: prefetchImage(pass, revision),
    canonical: revision.model,
    name: parsed.name,
    digest: revision.digest,
    scheduling: schedulingOf(pass, revision),
    deadlineSeconds: Math.ceil(timeoutsOf(spec).caching / 1000),
    registry: ownRegistry(settings),
    huggingFaceEndpoint: settings.huggingFaceEndpoint,
    proxy: settings.proxy,
  });
}
