import type { ModelDeploymentSpec } from "../../api/gen/modeldeployments.ts";
import { MODEL_DEPLOYMENT } from "../../api/model-deployment.ts";
import type { Checked, Definitions } from "../../schema/definitions.ts";
import type { Composition, CompositionRequest, Handler } from "../composition/composition.ts";
import { answer, answerHeld } from "./answer.ts";
import { composeReplicas } from "./compose.ts";
import { createDeviceCatalogue, type DeviceCatalogue } from "./devices.ts";
import { observedReplicas } from "./observed.ts";
import { findBlocker, found, takeSnapshot } from "./question.ts";
import type { ReplicaFindings } from "./refusals.ts";
import { readSurroundings } from "./requirements.ts";
import { explanationLine } from "./scheduling/explanation-line.ts";
import { createScheduler, type Scheduler } from "./scheduling/schedule.ts";

/** What a handler keeps from one call to the next; no answer depends on it. */
interface Memory {
  readonly scheduler: Scheduler;
  readonly catalogue: DeviceCatalogue;
}

/**
 * Makes the handler that places a ModelDeployment's replicas on the fleet. `replicaFindings` is the
 * check of the kind that it composes, so that a bad template is refused before it reaches a replica.
 */
export function modelDeploymentHandler(
  definitions: Definitions,
  replicaFindings: ReplicaFindings,
): Handler {
  const definition = definitions.get(`${MODEL_DEPLOYMENT.apiVersion}/${MODEL_DEPLOYMENT.kind}`);
  if (definition === undefined) throw new Error("the ModelDeployment definition is not loaded");
  const memory = { scheduler: createScheduler(), catalogue: createDeviceCatalogue() };
  return {
    ...MODEL_DEPLOYMENT,
    compose(request) {
      return compose(request, definition.check(request.composite), memory, replicaFindings);
    },
  };
}

function compose(
  request: CompositionRequest,
  checked: Checked,
  { scheduler, catalogue }: Memory,
  replicaFindings: ReplicaFindings,
): Composition {
  const { metadata = {} } = request.composite;
  const surroundings = readSurroundings(request);
  const observed = observedReplicas(request.observed);
  const context = {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    spec: checked.object.spec as ModelDeploymentSpec,
    specAllowed: checked.findings.length === 0,
    clusters: new Map(
      found(surroundings.clusters).map((object) => [object.metadata?.name ?? "", object]),
    ),
    observed,
  };
  const blocked = findBlocker(checked, surroundings, replicaFindings);
  if (blocked !== undefined) return answerHeld(request, surroundings, context, blocked);
  const snapshot = takeSnapshot(request, checked, surroundings, observed, catalogue);
  const schedule = scheduler.schedule(snapshot);
  return answer(request, surroundings, context, {
    schedule,
    planned: composeReplicas(context, schedule),
    explain: () => explanationLine(scheduler.explain(snapshot, schedule)),
  });
}
