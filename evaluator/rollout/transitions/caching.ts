import type { Revision } from "../../../api/gen/decisionmodels.ts";
import { after, parseInstant } from "../../../kube/instant.ts";
import { reject } from "../outcome.ts";
import type { Pass } from "../pass.ts";
import { recreates, timeoutsOf } from "../policy.ts";
import { prefetch } from "../prefetch.ts";
import { described } from "../revision.ts";
import { serve } from "../serving.ts";
import { ensureStore } from "../store.ts";

/** Has the model of the candidate downloaded into a store of its own. */
export function cache(pass: Pass, candidate: Revision): void {
  pass.enter("Caching");
  const { caching } = timeoutsOf(pass.spec);
  const store = ensureStore(pass, candidate);
  const download = store.usable
    ? prefetch(pass, candidate)
    : { state: "running" as const, message: store.message, since: undefined };
  if (download.state === "failed") {
    const reason = download.late ? "CacheTimeout" : "PrefetchFailed";
    pass.set("Cached", "False", reason, download.message);
    reject(pass, candidate, { reason, message: download.message });
    return;
  }
  if (download.state === "complete") {
    pass.set("Cached", "True", "Cached", `${described(candidate)} is in its store`);
    pass.notice("Normal", "Cached", `${described(candidate)} is in its store`);
    pass.enter("Starting");
    if (recreates(pass.spec) && pass.status.stableRevision !== undefined) {
      pass.status.stableStoppedForRevision = candidate.hash;
      pass.notice("Normal", "StableStopped", `${described(pass.status.stableRevision)} stops`);
    } else {
      pass.notice("Normal", "RevisionStarting", `${described(candidate)} starts`);
      serve(pass, candidate);
    }
    pass.wakeAfter(0);
    return;
  }
  pass.set("Cached", "False", "Caching", download.message);
  // While nobody was there to make the Job, no time was given to it.
  const began = download.since ?? parseInstant(pass.status.phaseTransitionTime) ?? pass.now;
  if (pass.now > after(began, caching)) {
    const message = `not in its store after ${caching / 60_000} minutes: ${download.message}`;
    pass.set("Cached", "False", "CacheTimeout", message);
    reject(pass, candidate, { reason: "CacheTimeout", message });
  }
}
