import type { EndpointPickerTemplate } from "../../api/gen/modelreplicas.ts";
import { ANNOTATION, LABEL } from "../../api/labels.ts";
import { sha256Hex } from "../../kube/canonical.ts";
import type { KubeObject } from "../../kube/object.ts";
import { INFERENCE_POOL_GROUP, PICKER_PORT } from "./inference-pool.ts";
import { PICKER_CONFIG_FILE } from "./picker-config.ts";

const HEALTH_PORT = 9003;
const METRICS_PORT = 9090;
const CONFIG_DIRECTORY = "/config";
const CONFIG_VOLUME = "config";
const DEFAULT_IMAGE = "ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.9.0";

/** What varies between the pickers of replicas. */
export interface PickerDeploymentParameters {
  /** Of the Deployment, its account, its ConfigMap and its pods' label. */
  readonly name: string;
  readonly namespace: string;
  readonly pool: string;
  /** The configuration as mounted. A picker reads it once, so its pods carry its checksum. */
  readonly configText: string;
  /** Labels that tell the pods of replicas apart, for metrics. */
  readonly labels: Readonly<Record<string, string>>;
  /** The user's own picker, with one container `epp`; else the default one. */
  readonly template: EndpointPickerTemplate | undefined;
}

/**
 * Builds a picker: one copy, since two would split what they know of prefixes, replaced without a
 * gap. Account, ports, probes, mount and checksum are ours; image, command, variables and
 * resources are the user's, and an argument that the user sets wins over ours.
 */
export function buildPickerDeployment(parameters: PickerDeploymentParameters): KubeObject {
  const { name, namespace, configText, labels, template } = parameters;
  const app = { [LABEL.app]: name };
  const [container] = template?.spec.containers ?? [];
  const { command, env, resources } = container ?? {};
  const own = container?.args ?? [];
  const pullSecrets = template?.spec.imagePullSecrets ?? [];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: app },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: {
          labels: { ...labels, ...app, [LABEL.role]: "picker" },
          annotations: { [ANNOTATION.pickerConfigChecksum]: sha256Hex(configText) },
        },
        spec: {
          serviceAccountName: name,
          containers: [
            {
              name: "epp",
              image: container?.image ?? DEFAULT_IMAGE,
              ...(command === undefined || command.length === 0 ? {} : { command }),
              args: [...managedArgs(parameters).filter((argument) => !sets(own, argument)), ...own],
              ...(env === undefined || env.length === 0 ? {} : { env }),
              ...(resources === undefined ? {} : { resources }),
              ports: [
                { name: "grpc", containerPort: PICKER_PORT },
                { name: "grpc-health", containerPort: HEALTH_PORT },
                { name: "http", containerPort: METRICS_PORT },
              ],
              readinessProbe: { grpc: { port: HEALTH_PORT }, periodSeconds: 5, timeoutSeconds: 5 },
              // Only the port: the health service answers for the pool too, and restarting a
              // picker does not bring a missing pool back.
              livenessProbe: {
                tcpSocket: { port: HEALTH_PORT },
                initialDelaySeconds: 15,
                periodSeconds: 10,
                timeoutSeconds: 5,
              },
              volumeMounts: [{ name: CONFIG_VOLUME, mountPath: CONFIG_DIRECTORY, readOnly: true }],
            },
          ],
          volumes: [{ name: CONFIG_VOLUME, configMap: { name } }],
          ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets }),
        },
      },
    },
  };
}

function managedArgs({ pool, namespace }: PickerDeploymentParameters): readonly string[] {
  return [
    `--pool-name=${pool}`,
    `--pool-namespace=${namespace}`,
    `--pool-group=${INFERENCE_POOL_GROUP}`,
    `--config-file=${CONFIG_DIRECTORY}/${PICKER_CONFIG_FILE}`,
    `--grpc-port=${PICKER_PORT}`,
    `--metrics-port=${METRICS_PORT}`,
    "--metrics-endpoint-auth=false",
  ];
}

/** Tells whether the user's arguments set the flag of one of ours, with one dash or two, in one word or two. */
function sets(own: readonly string[], argument: string): boolean {
  const flag = argument.slice(2, argument.indexOf("="));
  return own.some((word) => /^--?([^=]+)/.exec(word)?.[1] === flag);
}
