import type { Scheduling, Toleration } from "../../api/gen/decisionmodels.ts";
import { field, isRecord, listField } from "../../kube/object.ts";

/** The resource by which containers get GPUs, and the key of the taint that keeps others away. */
export const NVIDIA_GPU = "nvidia.com/gpu";

const GPU_TAINT = { key: NVIDIA_GPU, effect: "NoSchedule" } as const;
const ARCHITECTURE = "kubernetes.io/arch";

/**
 * Adds to a scheduling what pods with an NVIDIA GPU need: to tolerate the taint of such nodes, and,
 * since there is no other image, an amd64 node. What the user says of either wins.
 */
export function nvidiaScheduling(scheduling: Scheduling = {}): Scheduling {
  const { nodeSelector, tolerations = [] } = scheduling;
  return {
    ...scheduling,
    ...(tolerations.some(toleratesGpus)
      ? {}
      : { tolerations: [...tolerations, { ...GPU_TAINT, operator: "Exists" }] }),
    ...(constrainsArchitecture(scheduling)
      ? {}
      : { nodeSelector: { ...nodeSelector, [ARCHITECTURE]: "amd64" } }),
  };
}

/** Whether a toleration covers the taint, as the scheduler reads it: without a key and with Exists it covers all. */
function toleratesGpus({
  key = "",
  effect = "",
  operator = "Equal",
  value = "",
}: Toleration): boolean {
  if (effect !== "" && effect !== GPU_TAINT.effect) return false;
  if (key === "") return operator === "Exists";
  return key === GPU_TAINT.key && (operator === "Exists" || value === "");
}

function constrainsArchitecture({ nodeSelector, affinity }: Scheduling): boolean {
  if (nodeSelector?.[ARCHITECTURE] !== undefined) return true;
  const terms = listField(
    field(affinity, "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
    "nodeSelectorTerms",
  );
  return terms.some((term) =>
    listField(term, "matchExpressions").some(
      (expression) => isRecord(expression) && expression.key === ARCHITECTURE,
    ),
  );
}
