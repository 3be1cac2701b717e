import { ANNOTATIONS, deploymentName, storeName } from "../../api/decision-model.ts";
import type { Revision, Scheduling } from "../../api/gen/decisionmodels.ts";
import { placementOf } from "../../api/placement.ts";
import { field, isRecord, type KubeObject } from "../../kube/object.ts";
import { recorded, replacement } from "../builders/drift.ts";
import { buildServingDeployment, servingRegistry } from "../builders/serving-deployment.ts";
import { isShareable, SCHEDULING } from "../builders/store-claim.ts";
import type { Pass } from "./pass.ts";
import { defaultRequests, knowsThreads } from "./runtime.ts";
import type { Settings } from "./settings.ts";

/** Has the Deployment of a revision be what it should, at full size, and returns it as it is. */
export function serve(pass: Pass, revision: Revision): KubeObject | undefined {
  return ensureDeployment(pass, revision, pass.spec.replicas);
}

/** Has a revision stopped, and tells whether no pod of it is left; one that is on its way out is there still. */
export function stop(pass: Pass, revision: Revision): boolean {
  const live = pass.world.deployments.get(nameOf(pass, revision));
  if (live === undefined) return true;
  ensureDeployment(pass, revision, 0);
  const pods = pass.world.pods.get(live.metadata?.uid ?? "") ?? [];
  return field(live.spec, "replicas") === 0 && pods.length === 0;
}

function ensureDeployment(
  pass: Pass,
  revision: Revision,
  replicas: number,
): KubeObject | undefined {
  const { model, world } = pass;
  const live = world.deployments.get(nameOf(pass, revision));
  if (live?.metadata?.deletionTimestamp !== undefined) return live;
  const keyChecksum = checksum(pass, live);
  const claim = world.claims.get(storeName(model.metadata.name ?? "", revision.hash));
  const desired = buildServingDeployment({
    model,
    revision: revision.hash,
    image: revision.image ?? "",
    device: revision.device === "cuda" ? "cuda" : "cpu",
    resources: revision.resources,
    defaultRequests: defaultRequests(revision.model),
    scheduling: schedulingOf(pass, revision),
    replicas,
    shareable: isShareable(model, claim),
    registry: live === undefined ? ownRegistry(pass.settings) : servingRegistry(live),
    setsThreads: knowsThreads(revision),
    keyChecksum,
  });
  if (live === undefined) {
    pass.followUp({ type: "Create", object: recorded(desired) });
    return undefined;
  }
  const object = replacement(live, desired);
  if (object !== undefined) pass.followUp({ type: "Replace", object });
  return live;
}

const nameOf = (pass: Pass, revision: Revision) =>
  deploymentName(pass.model.metadata.name ?? "", revision.hash);

/** What the pods are told of the API key; while it can't be read they keep what they have. */
function checksum({ world }: Pass, live: KubeObject | undefined): string | undefined {
  const { apiKey } = world;
  if (apiKey.state === "usable") return apiKey.checksum;
  if (apiKey.state === "none") return undefined;
  return live?.metadata?.annotations?.[ANNOTATIONS.apiKeyChecksum];
}

/**
 * The scheduling of a revision. The status has only a hash of it: if the spec has another by now, it
 * is what the revision's claim or, for want of that, its Deployment keeps.
 */
export function schedulingOf(pass: Pass, revision: Revision): Scheduling | undefined {
  const { model, world, spec } = pass;
  const isCurrent =
    (revision.placement ?? "") === "" || revision.placement === placementOf(spec.scheduling);
  if (isCurrent) return spec.scheduling;
  if (revision.placement === "none") return undefined;
  const claim = world.claims.get(storeName(model.metadata.name ?? "", revision.hash));
  const kept = parsed(claim?.metadata?.annotations?.[SCHEDULING]);
  if (kept !== undefined) return kept;
  const live = world.deployments.get(nameOf(pass, revision));
  const pods = field(live?.spec, "template", "spec");
  if (!isRecord(pods)) return undefined;
  const fields = ["nodeSelector", "tolerations", "affinity", "runtimeClassName"];
  return Object.fromEntries(Object.entries(pods).filter(([name]) => fields.includes(name)));
}

/** The registry that names without a host mean, where the engine would take another one. */
export function ownRegistry({ registry }: Settings): string | undefined {
  return registry === DEFAULT_REGISTRY ? undefined : registry;
}

const DEFAULT_REGISTRY = "https://ollaya.dev";

function parsed(text: string | undefined): Scheduling | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
