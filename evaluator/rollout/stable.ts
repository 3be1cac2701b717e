import { deploymentName } from "../../api/decision-model.ts";
import type { Revision } from "../../api/gen/decisionmodels.ts";
import type { KubeObject } from "../../kube/object.ts";
import { isShareable } from "../builders/store-claim.ts";
import { type GatedPods, gatePods } from "./gate.ts";
import type { Pass } from "./pass.ts";
import { serve } from "./serving.ts";
import { LIMITS } from "./settings.ts";
import { maintainStore } from "./store.ts";

/** How the stable revision is. */
export interface Health {
  readonly revision: Revision;
  readonly deployment: KubeObject | undefined;
  readonly pods: GatedPods;
  /** The phase that this comes to where nothing else goes on. */
  readonly phase: "Ready" | "Degraded";
}

/**
 * Looks after the stable revision, whatever else goes on: its store, its Deployment as it was
 * recorded, and its pods' gates. Nothing where there is no stable revision yet.
 */
export function maintainStable(pass: Pass): Health | undefined {
  const { status, spec } = pass;
  const revision = status.stableRevision;
  if (revision === undefined) return undefined;
  const mayChange = maintainStore(pass, revision);
  const stopped =
    status.stableStoppedForRevision !== undefined || status.recreateRollback !== undefined;
  const deployment = stopped || !mayChange ? live(pass, revision) : serve(pass, revision);
  const pods = gatePods(pass, revision, deployment);
  if (spec.replicas > 1 && !isShareable(pass.model)) {
    pass.degrade(
      "CacheNotShareable",
      `${spec.replicas} replicas share a volume that only one node can mount: set spec.cache.accessModes to [ReadWriteMany], or they all run on one node`,
    );
  }
  const all = pods.ready.length >= spec.replicas;
  if (!all) pass.wakeAfter(LIMITS.probe);
  return { revision, deployment, pods, phase: all ? "Ready" : "Degraded" };
}

function live({ model, world }: Pass, revision: Revision): KubeObject | undefined {
  return world.deployments.get(deploymentName(model.metadata.name ?? "", revision.hash));
}
