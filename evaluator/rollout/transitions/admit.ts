import type { Revision } from "../../../api/gen/decisionmodels.ts";
import { buildManifestConfigMap } from "../../builders/manifest-config-map.ts";
import type { Pass } from "../pass.ts";
import { resolvedManifest } from "../preflight.ts";
import { described } from "../revision.ts";
import { LIMITS } from "../settings.ts";
import { cache } from "./caching.ts";

/** Begins the roll-out of a revision if the budget has room, else queues for it: nothing is made before. */
export function admit(pass: Pass, wanted: Revision): void {
  const { status } = pass;
  if (pass.world.admission === "full") {
    pass.enter("Pending");
    const message = `${described(wanted)} waits until fewer roll-outs go on`;
    pass.block("RolloutQueued", message);
    pass.wakeAfter(LIMITS.probe);
    return;
  }
  pass.admit();
  const manifest = resolvedManifest(pass, wanted);
  if (manifest !== undefined) {
    const object = buildManifestConfigMap(pass.model, wanted.hash, manifest);
    pass.prepare({ type: "Create", object });
  }
  status.candidateRevision = wanted;
  status.rolloutStartedAt = pass.stamp;
  pass.drop("Evaluated", "Promoted", "Stabilizing");
  pass.notice("Normal", "PrefetchStarted", `${described(wanted)} is downloaded`);
  cache(pass, wanted);
}
