import type { CompositionRequest } from "../../functions/composition/composition.ts";
import type { ResourceSelector } from "../../functions/composition/requirement.ts";
import { createDeviceCatalogue } from "../../functions/model-deployment/devices.ts";
import { observedReplicas } from "../../functions/model-deployment/observed.ts";
import { findBlocker, takeSnapshot } from "../../functions/model-deployment/question.ts";
import type { ReplicaFindings } from "../../functions/model-deployment/refusals.ts";
import { readSurroundings } from "../../functions/model-deployment/requirements.ts";
import type { Snapshot } from "../../functions/model-deployment/scheduling/fleet.ts";
import { jsonEqual } from "../../kube/canonical.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Checked } from "../../schema/definitions.ts";
import { Cluster } from "../simulation/cluster.ts";
import { ownReplicas } from "./fleet-input.ts";

/** What a deployment asks of the scheduler, or why it asks nothing. */
export type Question =
  | { readonly ok: true; readonly snapshot: Snapshot }
  | { readonly ok: false; readonly reason: string; readonly message: string };

/** How often Crossplane asks a function again while its requirements change. */
const MOST_ROUNDS = 6;

/** Reads what a deployment's placement depends on, as its handler does; `checked` is what is stored of it. */
export function readQuestion(
  checked: Checked,
  objects: readonly KubeObject[],
  replicaFindings: ReplicaFindings,
): Question {
  const deployment = checked.object;
  const own = ownReplicas(deployment, objects);
  const request = resolved(deployment, own, new Cluster(objects));
  const surroundings = readSurroundings(request);
  const blocked = findBlocker(checked, surroundings, replicaFindings);
  if (blocked !== undefined) return { ok: false, ...blocked };
  const observed = observedReplicas(request.observed);
  const catalogue = createDeviceCatalogue();
  return {
    ok: true,
    snapshot: takeSnapshot(request, checked, surroundings, observed, catalogue),
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
