import { ANNOTATION } from "../../api/labels.ts";
import {
  currentSpecHash,
  MODEL_REPLICA,
  type ModelReplicaCondition,
} from "../../api/model-replica.ts";
import { findCondition } from "../../kube/conditions.ts";
import { field, type KubeObject, stringField } from "../../kube/object.ts";
import type { Composition, FunctionResult } from "../composition/composition.ts";
import { abandoned } from "../composition/holding.ts";
import type { ReplicaState } from "./compose.ts";
import { type Blocked, holding, isSpecReason } from "./hold.ts";
import { engineStatus, modelAccepted, modelReady, modelServing } from "./status.ts";

/** The name of the requirement for the replica's InferenceCluster. */
export const CLUSTER_REQUIREMENT = "cluster";

/** Says everything about a replica: what to compose, and what its state means for the XR. */
export function answer(
  composite: KubeObject,
  state: ReplicaState,
  blocked: Blocked | undefined,
): Composition {
  const own = blocked !== undefined && isSpecReason(blocked.reason);
  const resources = abandons(composite) ? abandoned(state.resources) : state.resources;
  const conditions = conditionsOf(composite, state, blocked);
  const serving = conditions.some(
    ({ type, status }) => type === "ModelServing" && status === "True",
  );
  const hold = blocked !== undefined && blocked.reason !== "Unresolved" && resources.length > 0;
  return {
    resources,
    requirements: requirements(composite),
    conditions,
    results: results(composite, state, blocked),
    status: {
      ...(serving || field(composite, "status", "served") === true ? { served: true } : {}),
      ...specHash(composite, blocked),
      ...(state.engines.length === 0 ? {} : { engines: engineStatus(state.engines) }),
    },
    ...(resources.length === 0 || own ? { ready: false } : {}),
    ...(hold ? { holding: blocked.reason } : {}),
  };
}

/**
 * The hash of the spec that the status speaks of. While the cluster can't be read nothing new is
 * composed, so the status goes on speaking of the spec that was composed last; while the spec itself
 * is refused it speaks of none.
 */
function specHash(composite: KubeObject, blocked: Blocked | undefined) {
  if (blocked === undefined) return { observedSpecHash: currentSpecHash(composite) };
  const last = stringField(composite, "status", "observedSpecHash");
  return isSpecReason(blocked.reason) || last === undefined ? {} : { observedSpecHash: last };
}

function conditionsOf(
  composite: KubeObject,
  state: ReplicaState,
  blocked: Blocked | undefined,
): readonly ModelReplicaCondition[] {
  const serving = modelServing(state.engines, state.route, state.unready);
  const held = holding(composite, blocked, state.resources.length);
  const tail = held === undefined ? [serving] : [serving, held];
  if (blocked === undefined) {
    return [modelAccepted(state.engines), modelReady(state.engines), ...tail];
  }
  const { message } = blocked;
  const reason = blocked.reason;
  if (isSpecReason(reason)) {
    return [
      { type: "ModelAccepted", status: "False", reason, message },
      { type: "ModelReady", status: "False", reason, message },
      ...tail,
    ];
  }
  if (state.engines.length > 0) {
    const accepted = modelAccepted(state.engines);
    return [accepted, specChanged(composite, message) ?? modelReady(state.engines), ...tail];
  }
  return [
    { type: "ModelAccepted", status: "False", reason: "WaitingForCluster", message },
    { type: "ModelReady", status: "False", reason: "WaitingForModel", message },
    { ...serving, message },
    ...tail.slice(1),
  ];
}

/** What runs is not this spec when the spec has changed since it was last composed. */
function specChanged(composite: KubeObject, waiting: string): ModelReplicaCondition | undefined {
  const last = stringField(composite, "status", "observedSpecHash");
  if (last === undefined || last === currentSpecHash(composite)) return undefined;
  const message = `the spec has changed and can't be composed: ${waiting}`;
  return { type: "ModelReady", status: "False", reason: "ModelStarting", message };
}

/** Results become events, so each is returned only while the XR does not carry its reason yet. */
function results(
  composite: KubeObject,
  state: ReplicaState,
  blocked: Blocked | undefined,
): readonly FunctionResult[] {
  if (blocked?.reason === "Unresolved") return [];
  const said = ["Holding", "ModelAccepted"].map((type) => findCondition(composite, type));
  if (blocked === undefined) {
    const first = state.engines.every(({ accepted }) => !accepted);
    const fresh = !said.some((condition) => condition?.reason === "Deploying");
    return first && fresh && state.summary !== undefined
      ? [{ severity: "Normal", message: state.summary }]
      : [];
  }
  const carried = isSpecReason(blocked.reason) ? blocked.reason : "WaitingForCluster";
  const known = said.some((condition) => condition?.reason === blocked.reason);
  const waiting = state.resources.length === 0 && said[1]?.reason === carried;
  if (known || waiting) return [];
  const { reason, message } = blocked;
  return [{ severity: "Warning", reason, message }];
}

function requirements(composite: KubeObject): Composition["requirements"] {
  const name = stringField(composite, "spec", "clusterName");
  if (name === undefined || name === "") return {};
  const { apiVersion } = MODEL_REPLICA;
  return { [CLUSTER_REQUIREMENT]: { apiVersion, kind: "InferenceCluster", match: { name } } };
}

/**
 * Answers a step that is configured wrongly. Being Fatal it changes and deletes nothing; conditions
 * are said again, since Crossplane calls those Unknown that a failed step leaves out.
 */
export function refuseStep(
  composite: KubeObject,
  state: ReplicaState,
  message: string,
): Composition {
  return {
    resources: [],
    requirements: requirements(composite),
    conditions: state.engines.length === 0 ? [] : conditionsOf(composite, state, undefined),
    results: [{ severity: "Fatal", message }],
    status: {},
  };
}

function abandons(composite: KubeObject): boolean {
  return stringField(composite, "metadata", "annotations", ANNOTATION.abandon) === "true";
}
