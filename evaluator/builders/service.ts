import { LABELS } from "../../api/decision-model.ts";
import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import { jsonEqual } from "../../kube/canonical.ts";
import { field, type KubeObject, listField, numberField, stringsField } from "../../kube/object.ts";
import { ownedMetadata, servingLabels } from "./owned.ts";

/** The port that servers listen on and the Service has. */
export const SERVING_PORT = 11_435;

const PORTS = [{ name: "http", port: SERVING_PORT, targetPort: "http", protocol: "TCP" }];

/** Builds the Service that sends requests to the pods of one revision. */
export function buildService(model: DecisionModel, revision: string): KubeObject {
  const name = model.metadata.name ?? "";
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: ownedMetadata(model, name, { [LABELS.name]: name }),
    spec: {
      type: "ClusterIP",
      selector: servingLabels(model, revision),
      ports: PORTS,
    },
  };
}

/** The merge patch that has a live Service send requests to just the pods of a revision; nothing where it does. */
export function selectorPatch(
  live: KubeObject,
  model: DecisionModel,
  revision: string,
): object | undefined {
  const selects = stringsField(live, "spec", "selector");
  const wanted = servingLabels(model, revision);
  const surplus = Object.keys(selects).filter((key) => !Object.hasOwn(wanted, key));
  const selector = { ...wanted, ...Object.fromEntries(surplus.map((key) => [key, null])) };
  const patch = {
    ...(jsonEqual(selects, wanted) ? {} : { selector }),
    ...(reachesServers(live) ? {} : { ports: PORTS }),
  };
  return Object.keys(patch).length === 0 ? undefined : { spec: patch };
}

/** Whether the one port of a Service leads to the servers, by its name or its number. */
function reachesServers(live: KubeObject): boolean {
  const [port, ...others] = listField(live, "spec", "ports");
  const target = field(port, "targetPort");
  return (
    others.length === 0 &&
    numberField(port, "port") === SERVING_PORT &&
    (target === "http" || target === SERVING_PORT)
  );
}

/** Where a DecisionModel answers within its cluster. */
export function endpointOf({ metadata }: DecisionModel): string {
  return `http://${metadata.name}.${metadata.namespace}.svc:${SERVING_PORT}/v1/systemone`;
}
