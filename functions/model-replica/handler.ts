import type { ModelReplicaSpec } from "../../api/gen/modelreplicas.ts";
import { ANNOTATION } from "../../api/labels.ts";
import { MODEL_REPLICA, type ModelReplicaCondition } from "../../api/model-replica.ts";
import { canonicalJson, sha256Hex } from "../../kube/canonical.ts";
import { findCondition } from "../../kube/conditions.ts";
import { field, isRecord, type KubeObject, stringField } from "../../kube/object.ts";
import type { Checked, Definitions } from "../../schema/definitions.ts";
import type { Finding } from "../../schema/finding.ts";
import type {
  ComposedResource,
  Composition,
  CompositionRequest,
  FunctionResult,
  Handler,
} from "../composition/composition.ts";
import { abandoned } from "../composition/holding.ts";
import { type Resolution, single } from "../composition/requirement.ts";
import { clusterFindings } from "./checks.ts";
import { composeReplica, heldReplica, type ReplicaState } from "./compose.ts";
import { type Blocked, holding, isSpecReason } from "./hold.ts";
import { readInput } from "./input.ts";
import { replicaContext } from "./plan.ts";
import { createSelectorCheck, type SelectorCheck } from "./selectors.ts";
import { engineStatus, modelAccepted, modelReady, modelServing } from "./status.ts";

const CLUSTER = "cluster";

/** Makes the handler that composes a ModelReplica for its cluster, or keeps what it has there. */
export function modelReplicaHandler(definitions: Definitions): Handler {
  const definition = definitions.get(`${MODEL_REPLICA.apiVersion}/${MODEL_REPLICA.kind}`);
  if (definition === undefined) throw new Error("the ModelReplica definition is not loaded");
  const selectorProblems = createSelectorCheck();
  return {
    ...MODEL_REPLICA,
    compose: (request) => compose(request, definition.check(request.composite), selectorProblems),
  };
}

function compose(
  request: CompositionRequest,
  checked: Checked,
  selectorProblems: SelectorCheck,
): Composition {
  const { observed } = request;
  const input = readInput(request.input);
  if (!input.ok) return fatal(request, input.message);
  const cluster = single(request.required(CLUSTER));
  const replica = resolve(checked, cluster, selectorProblems);
  const state =
    "blocked" in replica
      ? heldReplica(observed)
      : composeReplica(replica.context, {
          observed,
          providerConfig: replica.providerConfig,
          watch: input.watch,
        });
  const blocked = "blocked" in replica ? replica.blocked : undefined;
  return answer(request, state, blocked);
}

/** Finds out whether the replica can be composed, and if not, why. */
function resolve(
  checked: Checked,
  cluster: Resolution<KubeObject>,
  selectorProblems: SelectorCheck,
) {
  const spec = checked.object.spec as ModelReplicaSpec;
  if (checked.findings.length > 0) return invalidSpec(checked.findings);
  const found = cluster.state === "present" ? cluster.value : undefined;
  const stack = stringField(found, "spec", "stack") === "Dynamo" ? "Dynamo" : "Standard";
  const context = replicaContext(checked.object, spec, stack);
  const findings = clusterFindings(context);
  if (findings.length > 0) return invalidSpec(findings);
  const selectors = selectorProblems(spec);
  if (selectors.length > 0) return block("InvalidNodeSelector", selectors.join("; "));
  const name = spec.clusterName;
  if (cluster.state === "unresolved") {
    return block("Unresolved", `Crossplane has not looked up InferenceCluster "${name}" yet`);
  }
  if (cluster.state === "absent") {
    return block("ClusterNotFound", `there is no InferenceCluster "${name}" (spec.clusterName)`);
  }
  const providerConfig = stringField(found, "status", "providerConfigRef", "name");
  if (providerConfig === undefined || providerConfig === "") {
    const why = `InferenceCluster "${name}" has no status.providerConfigRef.name yet, so it can't be reached`;
    return block("ProviderConfigMissing", why);
  }
  return { context, providerConfig };
}

function block(reason: Blocked["reason"], message: string): { readonly blocked: Blocked } {
  return { blocked: { reason, message } };
}

/** Most findings that a condition quotes; the rest are counted. */
const QUOTED_FINDINGS = 8;

function invalidSpec(findings: readonly Finding[]): { readonly blocked: Blocked } {
  const quoted = findings
    .slice(0, QUOTED_FINDINGS)
    .map(({ field: path, message }) => `${path}: ${message}`);
  const more = findings.length - quoted.length;
  return block("InvalidSpec", quoted.join("; ") + (more > 0 ? `; and ${more} more` : ""));
}

/** Puts together what the replica's state means for the XR. */
function answer(
  request: CompositionRequest,
  state: ReplicaState,
  blocked: Blocked | undefined,
): Composition {
  const { composite } = request;
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

/** Hashes the XR's own spec; a reader computes the same from the object that it reads. */
function currentSpecHash(composite: KubeObject): string {
  const { crossplane: _machinery, ...spec } = isRecord(composite.spec) ? composite.spec : {};
  return sha256Hex(canonicalJson(spec), 16);
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
  return { [CLUSTER]: { apiVersion, kind: "InferenceCluster", match: { name } } };
}

function abandons(composite: KubeObject): boolean {
  return stringField(composite, "metadata", "annotations", ANNOTATION.abandon) === "true";
}

/** A step that is configured wrongly composes nothing and, being Fatal, deletes nothing. */
function fatal(request: CompositionRequest, message: string): Composition {
  const resources: readonly ComposedResource[] = [];
  return {
    resources,
    requirements: requirements(request.composite),
    conditions: [],
    results: [{ severity: "Fatal", message }],
    status: {},
  };
}
