import { LABEL } from "../../api/labels.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { PodTemplate } from "./pod.ts";
import {
  allOf,
  countedProgress,
  countedTerms,
  generationObserved,
  hashTerms,
  OBSERVED_GENERATION_TERMS,
  type WorkloadProgress,
} from "./rollout.ts";

/** What varies between the Deployments of Standalone engines. */
export interface DeploymentParameters {
  readonly name: string;
  readonly namespace: string;
  readonly copies: number;
  /** The pods; they get the label that the selector asks for. */
  readonly template: PodTemplate;
  /** Whether pods claim devices: then no pod is added before one has gone, since a full pool has no room. */
  readonly claimsDevices: boolean;
}

/** Builds the Deployment of a Standalone engine; the selector names this engine alone. */
export function buildDeployment(parameters: DeploymentParameters): KubeObject {
  const { name, namespace, copies, template, claimsDevices } = parameters;
  const selector = { [LABEL.workload]: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      replicas: copies,
      selector: { matchLabels: selector },
      ...(claimsDevices
        ? { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }
        : {}),
      template: {
        ...template,
        metadata: { ...template.metadata, labels: { ...template.metadata.labels, ...selector } },
      },
    },
  };
}

/**
 * The CEL query that is true of a Deployment whose every copy runs this spec. Its own `Available`
 * condition is no use: with one copy and `maxUnavailable: 1` it is True at zero pods.
 */
export function deploymentReadyQuery(copies: number, hash: string | undefined): string {
  return allOf([
    ...hashTerms(hash),
    ...OBSERVED_GENERATION_TERMS,
    ...countedTerms(copies, "availableReplicas"),
  ]);
}

/** Reads how far a live Deployment has come towards `copies`. */
export function deploymentProgress(live: unknown, copies: number): WorkloadProgress {
  return countedProgress(live, {
    copies,
    readyCounter: "availableReplicas",
    counted: "copies available",
    specObserved: generationObserved(live),
    telling: [
      ["ReplicaFailure", "True"],
      ["Progressing", "False"],
    ],
  });
}
