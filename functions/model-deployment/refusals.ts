import type { ModelDeploymentSpec } from "../../api/gen/modeldeployments.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Finding } from "../../schema/finding.ts";
import { specimenReplica } from "./stamp.ts";

/** Finds what a stored, valid ModelReplica would be refused for. */
export type ReplicaFindings = (replica: KubeObject) => readonly Finding[];

/**
 * Finds what the API server takes of a stored, valid ModelDeployment and the handler refuses: all
 * that a replica made from its template would be refused for, at the template's own fields.
 */
export function deploymentFindings(
  deployment: KubeObject,
  replicaFindings: ReplicaFindings,
): readonly Finding[] {
  const specimen = specimenReplica(deployment, deployment.spec as ModelDeploymentSpec);
  return replicaFindings(specimen).map(inTemplate);
}

/** Tells whether a finding is about a device selector. */
export function isSelectorFinding({ path }: Finding): boolean {
  return path.at(-1) === "cel";
}

/** Points a finding about a replica made from the template to the field of the template. */
function inTemplate(finding: Finding): Finding {
  const field = finding.field
    .replace(/^spec\b/, "spec.template.spec")
    .replace(".deviceRequests[", ".nodeSelector.devices[");
  const [spec = "spec", ...rest] = finding.path;
  const path = rest.flatMap((step) =>
    step === "deviceRequests" ? ["nodeSelector", "devices"] : [step],
  );
  return { ...finding, field, path: [spec, "template", "spec", ...path] };
}
