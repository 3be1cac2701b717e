import type { ModelReplicaSpec } from "../../api/gen/modelreplicas.ts";
import { MODEL_REPLICA } from "../../api/model-replica.ts";
import { type KubeObject, stringField } from "../../kube/object.ts";
import type { Checked, Definitions } from "../../schema/definitions.ts";
import type { Finding } from "../../schema/finding.ts";
import type { Composition, CompositionRequest, Handler } from "../composition/composition.ts";
import { quoteFindings, quoteProblems } from "../composition/findings.ts";
import { type Resolution, single } from "../composition/requirement.ts";
import { answer, CLUSTER_REQUIREMENT, refuseStep } from "./answer.ts";
import { clusterFindings } from "./checks.ts";
import { composeReplica, heldReplica } from "./compose.ts";
import type { Blocked } from "./hold.ts";
import { readInput } from "./input.ts";
import { replicaContext } from "./plan.ts";
import { createSelectorCheck, type SelectorCheck } from "./selectors.ts";

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
  const { composite, observed } = request;
  const input = readInput(request.input);
  if (!input.ok) return refuseStep(composite, heldReplica(observed), input.message);
  const cluster = single(request.required(CLUSTER_REQUIREMENT));
  const replica = resolve(checked, cluster, selectorProblems);
  if ("blocked" in replica) return answer(composite, heldReplica(observed), replica.blocked);
  const { context, providerConfig } = replica;
  const state = composeReplica(context, { observed, providerConfig, watch: input.watch });
  return answer(composite, state, undefined);
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
  if (selectors.length > 0) return block("InvalidNodeSelector", quoteProblems(selectors));
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

function invalidSpec(findings: readonly Finding[]): { readonly blocked: Blocked } {
  return block("InvalidSpec", quoteFindings(findings));
}
