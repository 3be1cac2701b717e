import { type ClassAccepted, INFERENCE_CLASS } from "../../api/inference-class.ts";
import { INFERENCE_CLUSTER } from "../../api/inference-cluster.ts";
import { findCondition } from "../../kube/conditions.ts";
import { type KubeObject, listField, stringField } from "../../kube/object.ts";
import type { Definitions } from "../../schema/definitions.ts";
import type { Finding } from "../../schema/finding.ts";
import { buildClusterUsage } from "../builders/cluster-usage.ts";
import type {
  ComposedResource,
  Composition,
  CompositionRequest,
  Handler,
} from "../composition/composition.ts";
import { quoteFindings } from "../composition/findings.ts";
import { keptFromBefore, reemit } from "../composition/holding.ts";

const CLUSTERS = "clusters";
const GUARD = "usage-clusters";

/** Makes the handler that checks InferenceClasses and guards those that node pools are of. */
export function inferenceClassHandler(definitions: Definitions): Handler {
  const definition = definitions.get(`${INFERENCE_CLASS.apiVersion}/${INFERENCE_CLASS.kind}`);
  if (definition === undefined) throw new Error("the InferenceClass definition is not loaded");
  return {
    ...INFERENCE_CLASS,
    compose: (request) => compose(request, definition.check(request.composite).findings),
  };
}

function compose(request: CompositionRequest, findings: readonly Finding[]): Composition {
  const { composite, observed } = request;
  const condition = accepted(findings);
  const { type, status, reason, message } = condition;
  const known = findCondition(composite, type)?.reason === reason;
  return {
    resources: [...guard(request), ...keptFromBefore(observed, new Set([GUARD]))],
    requirements: { [CLUSTERS]: { ...INFERENCE_CLUSTER, match: { labels: {} } } },
    conditions: [condition],
    results: status === "True" || known ? [] : [{ severity: "Warning", reason, message }],
    status: {},
    ...(status === "True" ? {} : { ready: false }),
  };
}

function accepted(findings: readonly Finding[]): ClassAccepted {
  const type = "Accepted";
  if (findings.length === 0) return { type, status: "True", reason: "Available", message: "" };
  const message = quoteFindings(findings);
  return { type, status: "False", reason: "InvalidSpec", message };
}

/** Keeps the class while a node pool is of it, and as it is while that is not known. */
function guard({ composite, observed, required }: CompositionRequest): readonly ComposedResource[] {
  const clusters = required(CLUSTERS, { spec: { nodePools: { className: true } } });
  if (clusters.state === "absent") return [];
  if (clusters.state === "unresolved") {
    const present = observed.get(GUARD);
    const object = present === undefined ? undefined : reemit(present);
    return object === undefined ? [] : [{ key: GUARD, object, ready: true }];
  }
  const name = composite.metadata?.name ?? "";
  if (!clusters.value.some((cluster) => uses(cluster, name))) return [];
  const of = { ...INFERENCE_CLASS, name };
  const reason =
    "node pools of InferenceClusters are of this class: give them another className first";
  return [{ key: GUARD, object: buildClusterUsage({ of, reason }), ready: true }];
}

function uses(cluster: KubeObject, className: string): boolean {
  return listField(cluster, "spec", "nodePools").some(
    (pool) => stringField(pool, "className") === className,
  );
}
