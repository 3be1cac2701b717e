import type { ModelReplicaSpec } from "../../api/gen/modelreplicas.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Finding } from "../../schema/finding.ts";
import { clusterFindings } from "./checks.ts";
import { replicaContext } from "./plan.ts";
import { createSelectorCheck } from "./selectors.ts";

/**
 * Makes a check for what the API server takes of a stored, valid ModelReplica and the handler
 * refuses: what no cluster would run, and device selectors that do not compile.
 */
export function createRefusals(): (object: KubeObject) => readonly Finding[] {
  const selectorProblems = createSelectorCheck();
  return (object) => {
    const spec = object.spec as ModelReplicaSpec;
    return [
      ...clusterFindings(replicaContext(object, spec, "Standard")),
      ...selectorProblems(spec).map(selectorFinding),
    ];
  };
}

function selectorFinding(problem: string): Finding {
  const [field = "", ...why] = problem.split(": ");
  const path = [...field.matchAll(/([^.[\]]+)/g)].map(([step]) =>
    /^\d+$/.test(step) ? Number(step) : step,
  );
  return {
    type: "FieldValueInvalid",
    field,
    path,
    message: `Invalid value: ${why.join(": ")}`,
    ...(path.at(-1) === "cel"
      ? { next: "correct it; `sluice cel EXPRESSION --with FILE` tries it on the devices of FILE" }
      : {}),
  };
}
