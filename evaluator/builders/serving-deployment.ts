import {
  ANNOTATIONS,
  deploymentName,
  READINESS_GATE,
  storeName,
} from "../../api/decision-model.ts";
import type {
  DecisionModel,
  ResourceRequirements,
  Scheduling,
} from "../../api/gen/decisionmodels.ts";
import { canonicalJson, sha256Hex } from "../../kube/canonical.ts";
import { type KubeObject, listField, stringField } from "../../kube/object.ts";
import { parseQuantity } from "../../kube/quantity.ts";
import { NVIDIA_GPU, nvidiaScheduling } from "./nvidia-scheduling.ts";
import { ownedMetadata, servingLabels } from "./owned.ts";
import { podSecurity, SANDBOX } from "./pod-security.ts";

/** What varies between the Deployments of revisions. */
export interface ServingParameters {
  readonly model: DecisionModel;
  readonly revision: string;
  readonly image: string;
  readonly device: "cpu" | "cuda";
  readonly resources: ResourceRequirements | undefined;
  /** Requests where the revision has none of its own: a model that gets too little memory is killed. */
  readonly defaultRequests: Readonly<Record<string, string>>;
  readonly scheduling: Scheduling | undefined;
  readonly replicas: number;
  /** Whether pods on several nodes may mount the store. */
  readonly shareable: boolean;
  /** The registry of names without a host, where it is not the engine's own: stores are laid out by it. */
  readonly registry: string | undefined;
  /** Whether the runtime knows `OLLAYA_THREADS`. */
  readonly setsThreads: boolean;
  /** Changes with the API key; `undefined` without one. */
  readonly keyChecksum: string | undefined;
}

/** The variable of the serving container that holds the key which requests must carry. */
export const API_KEY = "OLLAYA_API_KEY";

/** The variable of a container of the engine that says where names without a host come from. */
export const REGISTRY = "OLLAYA_REGISTRY";

const STORE = "store";
const MODELS = "/models";

/** Builds the Deployment that serves a revision; its pods are ready when the operator says so. */
export function buildServingDeployment(parameters: ServingParameters): KubeObject {
  const { model, revision, keyChecksum, replicas } = parameters;
  const name = deploymentName(model.metadata.name ?? "", revision);
  const labels = servingLabels(model, revision);
  const checksum = keyChecksum === undefined ? {} : { [ANNOTATIONS.apiKeyChecksum]: keyChecksum };
  const template = {
    metadata: {
      labels,
      ...(keyChecksum === undefined ? {} : { annotations: checksum }),
    },
    spec: podSpec(parameters),
  };
  const spec = {
    replicas,
    strategy: strategy(parameters),
    selector: { matchLabels: labels },
    template,
  };
  const annotations = { ...checksum, [ANNOTATIONS.specHash]: specHash(parameters) };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: ownedMetadata(model, name, labels, annotations),
    spec,
  };
}

/**
 * Names what a Deployment was built from, not what was built: another version of the operator that
 * builds it otherwise must not replace pods that serve. A revision's name says all but who may ask
 * it. Sixteen hexadecimal digits.
 */
function specHash({ model, revision, keyChecksum }: ServingParameters): string {
  const key = model.spec.auth?.apiKeySecretRef;
  const inputs = { revision, key, keyChecksum, owner: model.metadata.uid };
  return sha256Hex(canonicalJson(inputs), 16);
}

/** A volume that one node mounts lets no second pod start beside the first; a GPU may not be there twice. */
function strategy({ shareable, device }: ServingParameters): object {
  if (!shareable) return { type: "Recreate" };
  const rollingUpdate =
    device === "cuda"
      ? { maxSurge: 0, maxUnavailable: 1 }
      : { maxSurge: "25%", maxUnavailable: "25%" };
  return { type: "RollingUpdate", rollingUpdate };
}

function podSpec(parameters: ServingParameters): object {
  const { model, revision, scheduling, device } = parameters;
  const { nodeSelector, tolerations, affinity } =
    device === "cuda" ? nvidiaScheduling(scheduling) : { ...scheduling };
  const name = model.metadata.name ?? "";
  return {
    readinessGates: [{ conditionType: READINESS_GATE }],
    terminationGracePeriodSeconds: 30,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: podSecurity(model),
    ...(scheduling?.runtimeClassName === undefined
      ? {}
      : { runtimeClassName: scheduling.runtimeClassName }),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(tolerations === undefined ? {} : { tolerations }),
    ...(affinity === undefined ? {} : { affinity }),
    containers: [container(parameters)],
    volumes: [
      { name: STORE, persistentVolumeClaim: { claimName: storeName(name, revision) } },
      { name: "home", emptyDir: {} },
    ],
  };
}

function container(parameters: ServingParameters): object {
  const alive = { httpGet: { path: "/", port: "http" } };
  return {
    name: "ollaya",
    image: parameters.image,
    ports: [{ name: "http", containerPort: 11_435, protocol: "TCP" }],
    env: environment(parameters),
    resources: requirements(parameters),
    startupProbe: { ...alive, periodSeconds: 2, failureThreshold: 30 },
    livenessProbe: { ...alive, periodSeconds: 10 },
    securityContext: SANDBOX,
    volumeMounts: [
      { name: STORE, mountPath: MODELS, subPath: parameters.revision, readOnly: true },
      { name: "home", mountPath: "/home/ollaya/.ollaya" },
    ],
  };
}

function environment(parameters: ServingParameters): object[] {
  const { model, device, resources, setsThreads, registry } = parameters;
  const threads = setsThreads ? wholeCpus(resources?.limits?.cpu) : undefined;
  const key = model.spec.auth?.apiKeySecretRef;
  const plain: Record<string, string> = {
    OLLAYA_HOST: "0.0.0.0:11435",
    OLLAYA_MODELS: MODELS,
    OLLAYA_DEVICE: device,
    // Every request sets the time to unload anew, and this is what it sets it to.
    OLLAYA_KEEP_ALIVE: "-1",
    ...(threads === undefined ? {} : { OLLAYA_THREADS: String(threads) }),
    ...(registry === undefined ? {} : { [REGISTRY]: registry }),
  };
  const variables: object[] = Object.entries(plain).map(([name, value]) => ({ name, value }));
  if (key !== undefined) {
    const valueFrom = { secretKeyRef: { name: key.name, key: key.key } };
    variables.push({ name: API_KEY, valueFrom });
  }
  return variables;
}

/** The registry that a live Deployment was built for: its store stays laid out by that one. */
export function servingRegistry(live: KubeObject): string | undefined {
  const [only] = listField(live, "spec", "template", "spec", "containers");
  const variable = listField(only, "env").find((one) => stringField(one, "name") === REGISTRY);
  return stringField(variable, "value");
}

/** As many threads as there are whole processors; without a limit the engine decides. */
function wholeCpus(limit: number | string | undefined): bigint | undefined {
  const parsed = limit === undefined ? undefined : parseQuantity(String(limit));
  if (parsed?.ok !== true) return undefined;
  const whole = parsed.quantity.nano / 1_000_000_000n;
  return whole > 0n ? whole : undefined;
}

function requirements({ resources, defaultRequests, device }: ServingParameters): object {
  const limits: Readonly<Record<string, number | string>> = {
    ...resources?.limits,
    ...(device === "cuda" ? { [NVIDIA_GPU]: gpus(resources) } : {}),
  };
  const defaults = Object.entries(defaultRequests).filter(
    ([name]) => resources?.requests?.[name] === undefined && limits[name] === undefined,
  );
  const requests = { ...Object.fromEntries(defaults), ...resources?.requests };
  return {
    ...(resources?.claims === undefined ? {} : { claims: resources.claims }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
  };
}

/** How many GPUs a container gets: a request for more than the limit would be refused. */
function gpus(resources: ResourceRequirements | undefined): number | string {
  return resources?.limits?.[NVIDIA_GPU] ?? resources?.requests?.[NVIDIA_GPU] ?? 1;
}
