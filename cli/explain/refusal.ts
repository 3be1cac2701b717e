import { type KubeObject, stringField } from "../../kube/object.ts";
import { clusterLabels } from "../preview-hints.ts";
import { styles, visible, wrap } from "../render/text.ts";
import { ownReplicas } from "./fleet-input.ts";
import type { Question } from "./question.ts";
import type { TextOptions } from "./text.ts";

/** Why nothing can be decided for a deployment, and what to do about it. */
export interface ExplainedRefusal {
  readonly deployment: { readonly namespace: string; readonly name: string };
  readonly refused: { readonly reason: string; readonly message: string; readonly next?: string };
  /** Its replicas, which stay as they are. */
  readonly replicas: readonly { readonly replica: string; readonly cluster: string }[];
}

/** Says what a refusal means for a deployment in its fleet. */
export function refusal(
  deployment: KubeObject,
  { reason, message }: Extract<Question, { readonly ok: false }>,
  fleet: readonly KubeObject[],
): ExplainedRefusal {
  const { name = "", namespace = "" } = deployment.metadata ?? {};
  const next = nextStep(reason, fleet);
  return {
    deployment: { namespace, name },
    refused: { reason, message, ...(next === undefined ? {} : { next }) },
    replicas: [...ownReplicas(deployment, fleet).values()].map((replica) => ({
      replica: replica.metadata?.name ?? "",
      cluster: stringField(replica, "spec", "clusterName") ?? "",
    })),
  };
}

function nextStep(reason: string, fleet: readonly KubeObject[]): string | undefined {
  switch (reason) {
    case "InvalidNodeSelector":
      return "correct the selector; `sluice cel SELECTOR --with FILE` tries it on the devices of an InferenceClass or a ResourceSlice";
    case "InvalidSpec":
      return "correct the field; `sluice validate FILE` shows its line";
    case "NoClusters": {
      const found = clusterLabels(fleet);
      return found === undefined
        ? "give the fleet's InferenceClusters"
        : `correct clusterSelector or the labels; there are ${found}`;
    }
    default:
      return undefined;
  }
}

/** Prints a refusal to be read. */
export function renderRefusal(
  { deployment, refused, replicas }: ExplainedRefusal,
  { colour, width }: TextOptions,
): string {
  const style = styles(colour);
  const count = replicas.length === 1 ? "its replica is" : `its ${replicas.length} replicas are`;
  const kept = replicas.length === 0 ? "nothing is placed" : `${count} kept as before`;
  const { reason, message, next } = refused;
  return [
    `${style.strong(`ModelDeployment ${deployment.namespace}/${deployment.name}`)}: ${style.bad(kept)}`,
    ...wrap(visible(`${reason}: ${message}`), width),
    ...(next === undefined ? [] : wrap(visible(`next: ${next}`), width)),
    ...replicas.map(({ replica, cluster }) => visible(`   ${replica} on ${cluster}`)),
    "",
  ].join("\n");
}
