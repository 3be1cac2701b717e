import type { ModelDeploymentSpec } from "../../api/gen/modeldeployments.ts";
import type { CompositionRequest, Handler } from "../../functions/composition/composition.ts";
import type { ResourceSelector } from "../../functions/composition/requirement.ts";
import { decodeDemand } from "../../functions/model-deployment/demand.ts";
import { createDeviceCatalogue } from "../../functions/model-deployment/devices.ts";
import { observedReplicas } from "../../functions/model-deployment/observed.ts";
import { readSurroundings } from "../../functions/model-deployment/requirements.ts";
import type { Snapshot } from "../../functions/model-deployment/scheduling/fleet.ts";
import { decodeCluster, decodeFleetReplica } from "../../functions/model-deployment/snapshot.ts";
import { jsonEqual } from "../../kube/canonical.ts";
import type { KubeObject } from "../../kube/object.ts";
import { Cluster, objectId } from "../simulation/cluster.ts";
import { ownReplicas } from "./fleet-input.ts";

/** What a deployment asks of the scheduler, or why it asks nothing. */
export type Question =
  | { readonly ok: true; readonly snapshot: Snapshot }
  | { readonly ok: false; readonly reason: string; readonly message: string };

/** The reasons of ReplicasScheduled for which a deployment is held as it is, and nothing is placed. */
const ASKS_NOTHING: ReadonlySet<string> = new Set([
  "InvalidSpec",
  "InvalidNodeSelector",
  "NoClusters",
  "ModelCacheNotFound",
  "SelectorsContradict",
]);

/** How often Crossplane asks a function again while its requirements change. */
const MOST_ROUNDS = 6;

/**
 * Asks the deployment's handler what it reads of a fleet, and whether it places replicas at all. The
 * deployment is as the API server stores it, with its defaults.
 */
export function readQuestion(
  deployment: KubeObject,
  objects: readonly KubeObject[],
  handler: Handler,
): Question {
  const own = ownReplicas(deployment, objects);
  const request = resolved(deployment, own, new Cluster(objects));
  const scheduled = handler
    .compose(request)
    .conditions.find(({ type }) => type === "ReplicasScheduled");
  const { clusters, replicas } = readSurroundings(request);
  if (scheduled === undefined || ASKS_NOTHING.has(scheduled.reason)) {
    return { ok: false, reason: scheduled?.reason ?? "", message: scheduled?.message ?? "" };
  }
  const catalogue = createDeviceCatalogue();
  const ids = new Set([...own.values()].map(objectId));
  return {
    ok: true,
    snapshot: {
      demand: decodeDemand(deployment.spec as ModelDeploymentSpec),
      clusters: found(clusters).map((object) => decodeCluster(object, catalogue)),
      own: observedReplicas(request.observed).map((one) => one.own),
      others: found(replicas)
        .filter((object) => !ids.has(objectId(object)))
        .map(decodeFleetReplica),
    },
  };
}

/** The deployment's request once all that it requires has been looked up. */
function resolved(
  composite: KubeObject,
  own: ReadonlyMap<string, KubeObject>,
  cluster: Cluster,
): CompositionRequest {
  const keys = [...own.keys()].sort();
  const ask = (asked: Readonly<Record<string, ResourceSelector>>): CompositionRequest => ({
    composite,
    observed: { keys, get: (key) => own.get(key) },
    required: (name) => {
      const selector = Object.hasOwn(asked, name) ? asked[name] : undefined;
      if (selector === undefined) return { state: "unresolved" };
      const value = cluster.select(selector);
      return value.length === 0 ? { state: "absent" } : { state: "present", value };
    },
    input: undefined,
  });
  let request = ask({});
  let asked: Readonly<Record<string, ResourceSelector>> = {};
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { requirements } = readSurroundings(request);
    if (jsonEqual(requirements, asked)) break;
    asked = requirements;
    request = ask(asked);
  }
  return request;
}

function found(resolution: ReturnType<CompositionRequest["required"]>): readonly KubeObject[] {
  return resolution.state === "present" ? resolution.value : [];
}
