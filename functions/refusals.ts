import { MODEL_DEPLOYMENT } from "../api/model-deployment.ts";
import { MODEL_REPLICA } from "../api/model-replica.ts";
import type { KubeObject } from "../kube/object.ts";
import type { Finding } from "../schema/finding.ts";
import { deploymentFindings } from "./model-deployment/refusals.ts";
import { createRefusals } from "./model-replica/refusals.ts";

/**
 * Makes the checks for what the API server takes of a stored, valid object and its handler refuses
 * all the same, by `apiVersion/kind`.
 */
export function createRefusalsByKind(): ReadonlyMap<
  string,
  (object: KubeObject) => readonly Finding[]
> {
  const replica = createRefusals();
  return new Map([
    [kindOf(MODEL_DEPLOYMENT), (object: KubeObject) => deploymentFindings(object, replica)],
    [kindOf(MODEL_REPLICA), replica],
  ]);
}

const kindOf = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) =>
  `${apiVersion}/${kind}`;
