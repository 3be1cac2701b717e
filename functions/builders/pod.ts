import type { Container, Member } from "../../api/gen/modelreplicas.ts";
import { DEFAULT_SERVING_PORT, LABEL } from "../../api/labels.ts";

/** A pod template as composed: always with labels. */
export interface PodTemplate {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** An environment variable of a container. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** What varies between the pods of members. */
export interface PodParameters {
  readonly member: Member;
  /** Labels of ours; they win over the user's. */
  readonly labels: Readonly<Record<string, string>>;
  /** The port where requests arrive, for a Standalone or a Leader; a Worker does not serve. */
  readonly servingPort: number | undefined;
  /** Set on the engine before the user's own variables, which win by name. */
  readonly environment: readonly EnvironmentVariable[];
  /** The claim of the model cache, mounted into the engine. */
  readonly cacheClaim: string | undefined;
  /** The ResourceClaimTemplate that the member's devices come from. */
  readonly claimTemplate: string | undefined;
  /** Capabilities that the engine needs beside the runtime's defaults. */
  readonly capabilities: readonly string[];
  /** Whether an engine without arguments gets an empty list, as Deployments always had. */
  readonly emptyArgs: boolean;
}

/** The container of a pod that runs the model; the others stand beside it. */
export const ENGINE_CONTAINER = "engine";

/** Where engines find the model cache. */
export const CACHE_PATH = "/mnt/models";

const SHARED_MEMORY = "dshm";
const CACHE_VOLUME = "model-cache";
const CLAIM = "devices";
/** The name of the port that an engine serves HTTP on. */
export const HTTP_PORT = "http";

const TOLERATIONS = ["nvidia.com/gpu", "amd.com/gpu"].map((key) => ({
  key,
  operator: "Exists",
  effect: "NoSchedule",
}));

/** Builds the pods of one member: its containers, and what every engine needs around them. */
export function buildPodTemplate(parameters: PodParameters): PodTemplate {
  const { member, labels, cacheClaim, claimTemplate } = parameters;
  const { metadata, spec } = member.template;
  const pullSecrets = spec?.imagePullSecrets ?? [];
  return {
    metadata: {
      labels: { ...metadata?.labels, ...labels },
      ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
    },
    spec: {
      containers: (spec?.containers ?? []).map((container) =>
        container.name === ENGINE_CONTAINER ? engine(container, parameters) : copied(container),
      ),
      nodeSelector: { [LABEL.pool]: member.nodePoolName },
      tolerations: TOLERATIONS,
      volumes: [
        { name: SHARED_MEMORY, emptyDir: { medium: "Memory" } },
        ...(cacheClaim === undefined
          ? []
          : [{ name: CACHE_VOLUME, persistentVolumeClaim: { claimName: cacheClaim } }]),
      ],
      ...(claimTemplate === undefined
        ? {}
        : { resourceClaims: [{ name: CLAIM, resourceClaimTemplateName: claimTemplate }] }),
      ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets }),
    },
  };
}

/**
 * The port that the engine serves HTTP on: its own port named `http`, else the serving port. They
 * differ when a container in front of it, such as a proxy, owns the serving port.
 */
function enginePort(container: Container, servingPort: number): number {
  return container.ports?.find((port) => port.name === HTTP_PORT)?.containerPort ?? servingPort;
}

/** The port where requests arrive in the serving pods of a replica. */
export function servingPort(serving: { readonly port?: number } | undefined): number {
  return serving?.port ?? DEFAULT_SERVING_PORT;
}

function engine(
  container: Container,
  parameters: PodParameters,
): Readonly<Record<string, unknown>> {
  const { environment, cacheClaim, claimTemplate, capabilities, emptyArgs } = parameters;
  const own = container.env ?? [];
  const env = [
    ...environment.filter(({ name }) => !own.some((variable) => variable.name === name)),
    ...own,
  ];
  return {
    ...copied(container),
    ...(emptyArgs && container.args === undefined ? { args: [] } : {}),
    ...(env.length === 0 ? {} : { env }),
    ...serves(container, parameters.servingPort),
    ...(claimTemplate === undefined
      ? {}
      : { resources: { ...container.resources, claims: [{ name: CLAIM }] } }),
    ...(capabilities.length === 0
      ? {}
      : { securityContext: { capabilities: { add: capabilities } } }),
    volumeMounts: [
      { name: SHARED_MEMORY, mountPath: "/dev/shm" },
      ...(cacheClaim === undefined ? [] : [{ name: CACHE_VOLUME, mountPath: CACHE_PATH }]),
    ],
  };
}

/** The ports and the probe of an engine that serves; a Worker keeps what the user declared. */
function serves(container: Container, port: number | undefined): Readonly<Record<string, unknown>> {
  if (port === undefined) return {};
  const declared = container.ports ?? [];
  const http = enginePort(container, port);
  const named = declared.some(({ containerPort }) => containerPort === http)
    ? declared.map((each) =>
        each.containerPort === http ? { ...each, name: each.name ?? HTTP_PORT } : each,
      )
    : [...declared, { name: HTTP_PORT, containerPort: http }];
  return {
    ports: named,
    readinessProbe: container.readinessProbe ?? {
      httpGet: { path: "/health", port: http },
      initialDelaySeconds: 30,
      periodSeconds: 10,
      timeoutSeconds: 5,
    },
  };
}

/** What a user may declare of a container, as declared; empty lists are left out. */
function copied(container: Container): Readonly<Record<string, unknown>> {
  const { name, image, command, args, env, resources, readinessProbe, ports } = container;
  return {
    name,
    image,
    ...(command === undefined || command.length === 0 ? {} : { command }),
    ...(args === undefined || args.length === 0 ? {} : { args }),
    ...(env === undefined || env.length === 0 ? {} : { env }),
    ...(resources === undefined ? {} : { resources }),
    ...(readinessProbe === undefined ? {} : { readinessProbe }),
    ...(ports === undefined || ports.length === 0 ? {} : { ports }),
  };
}
