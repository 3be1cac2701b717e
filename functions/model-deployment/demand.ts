import type { Member, ModelDeploymentSpec } from "../../api/gen/modeldeployments.ts";
import type { Demand, DemandedMember } from "./scheduling/fleet.ts";

/** Reads what a stored, valid deployment wants placed. */
export function decodeDemand({ replicas, rollout, template }: ModelDeploymentSpec): Demand {
  const { engines, tolerations = [], modelCacheRef } = template.spec;
  return {
    replicas,
    engines: engines.map(({ name, copies, members }) => ({
      name,
      copies,
      members: members.map(decodeMember),
    })),
    tolerations: tolerations.map(({ key, operator, value = "", effect }) => ({
      key,
      operator,
      value,
      effect,
    })),
    cache: modelCacheRef !== undefined,
    paused: rollout?.pause ?? false,
  };
}

function decodeMember({ role, worker, nodeSelector }: Member): DemandedMember {
  return {
    role,
    pods: role === "Worker" ? (worker?.nodes ?? 1) : 1,
    requests: (nodeSelector?.devices ?? []).map(({ name, count, selectors = [] }) => ({
      name,
      count,
      selectors: selectors.flatMap(({ cel }) => cel ?? []),
    })),
  };
}
