import { manifestName, prefetchJobName, storeName } from "../../api/decision-model.ts";
import type { DecisionModel, Scheduling } from "../../api/gen/decisionmodels.ts";
import type { ModelName } from "../../api/model-name.ts";
import { findCondition } from "../../kube/conditions.ts";
import { type KubeObject, listField, numberField, stringField } from "../../kube/object.ts";
import { ownedMetadata, prefetchLabels } from "./owned.ts";
import { podSecurity, SANDBOX } from "./pod-security.ts";
import { PERMANENT_EXITS, PREFETCH_SCRIPT } from "./prefetch-script.ts";

/** What varies between the Jobs that download models. */
export interface PrefetchJobParameters {
  readonly model: DecisionModel;
  readonly revision: string;
  /** The runtime's image for CPUs: downloads need no other. */
  readonly image: string;
  /** The model as the engine names it, and taken apart. */
  readonly canonical: string;
  readonly name: ModelName;
  readonly digest: string;
  /** That of the revision, which the spec may no longer have. */
  readonly scheduling: Scheduling | undefined;
  readonly deadlineSeconds: number;
  /** The registry of names without a host, where it is not the engine's own. */
  readonly registry: string | undefined;
  readonly huggingFaceEndpoint: string | undefined;
  /** Variables of a proxy. */
  readonly proxy: Readonly<Record<string, string>>;
}

const CONTAINER = "prefetch";

/** Builds the Job that downloads the model of a revision into its store. */
export function buildPrefetchJob(parameters: PrefetchJobParameters): KubeObject {
  const { model, revision, image, scheduling } = parameters;
  const labels = prefetchLabels(model, revision);
  const name = model.metadata.name ?? "";
  const store = "store";
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: ownedMetadata(model, prefetchJobName(name, revision), labels),
    spec: {
      backoffLimit: 4,
      activeDeadlineSeconds: parameters.deadlineSeconds,
      podFailurePolicy: {
        rules: [
          {
            action: "FailJob",
            onExitCodes: {
              containerName: CONTAINER,
              operator: "In",
              values: Object.keys(PERMANENT_EXITS).map(Number),
            },
          },
        ],
      },
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: "Never",
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: podSecurity(model),
          ...(scheduling?.nodeSelector === undefined
            ? {}
            : { nodeSelector: scheduling.nodeSelector }),
          ...(scheduling?.tolerations === undefined ? {} : { tolerations: scheduling.tolerations }),
          ...(scheduling?.affinity === undefined ? {} : { affinity: scheduling.affinity }),
          containers: [
            {
              name: CONTAINER,
              image,
              command: ["/bin/sh", "-c", PREFETCH_SCRIPT],
              env: environment(parameters),
              resources: {
                requests: { cpu: "100m", memory: "256Mi" },
                limits: { memory: "1Gi" },
              },
              securityContext: SANDBOX,
              terminationMessagePolicy: "FallbackToLogsOnError",
              volumeMounts: [
                { name: store, mountPath: "/models", subPath: revision },
                { name: store, mountPath: "/store-root" },
                { name: "home", mountPath: "/home/ollaya/.ollaya" },
                { name: "seed", mountPath: "/seed", readOnly: true },
              ],
            },
          ],
          volumes: [
            { name: store, persistentVolumeClaim: { claimName: storeName(name, revision) } },
            { name: "home", emptyDir: {} },
            { name: "seed", configMap: { name: manifestName(name, revision), optional: true } },
          ],
        },
      },
    },
  };
}

function environment(parameters: PrefetchJobParameters): readonly object[] {
  const { model, revision, canonical, digest, registry, huggingFaceEndpoint, proxy } = parameters;
  const { host, namespace, model: part, tag } = parameters.name;
  const token = model.spec.cache?.downloadTokenSecretRef;
  const plain: Record<string, string> = {
    MODEL: canonical,
    EXPECT_DIGEST: digest,
    OLLAYA_MODELS: "/models",
    MANIFEST_PATH: `manifests/${host.replaceAll(":", "_")}/${namespace}/${part}/${tag}`,
    ...(registry === undefined ? {} : { OLLAYA_REGISTRY: registry }),
    ...(huggingFaceEndpoint === undefined ? {} : { OLLAYA_HF_ENDPOINT: huggingFaceEndpoint }),
    STORE_ROOT: "/store-root",
    KEEP_SUBPATHS: revision,
    ...proxy,
  };
  return [
    ...Object.entries(plain).map(([name, value]) => ({ name, value })),
    ...(token === undefined
      ? []
      : [
          {
            name: "OLLAYA_HF_TOKEN",
            valueFrom: { secretKeyRef: { name: token.name, key: token.key } },
          },
        ]),
  ];
}

/** How far a download has come. */
export type PrefetchState =
  | { readonly state: "running" }
  | { readonly state: "complete" }
  /** `permanent` where another attempt would end the same way. */
  | {
      readonly state: "failed";
      readonly permanent: boolean;
      /** Whether it took longer than it was given, whatever its attempts came to. */
      readonly late: boolean;
      readonly message: string;
    };

/** Reads a live Job; `pods` are those that this very Job controls. */
export function prefetchState(job: KubeObject, pods: readonly KubeObject[]): PrefetchState {
  if (findCondition(job, "Complete")?.status === "True") return { state: "complete" };
  const failed = findCondition(job, "Failed");
  if (failed?.status !== "True") return { state: "running" };
  const exits = pods.flatMap(exitsOf);
  const permanent = exits.find(({ code }) => Object.hasOwn(PERMANENT_EXITS, code));
  const exit = permanent ?? exits.at(-1);
  const why = permanent === undefined ? failed.reason : PERMANENT_EXITS[permanent.code as 3];
  const said = exit === undefined || exit.message === "" ? failed.message : exit.message;
  return {
    state: "failed",
    permanent: permanent !== undefined,
    late: failed.reason === "DeadlineExceeded",
    message: `Job ${job.metadata?.name} failed (${why}): ${said.slice(0, MOST_SAID)}`,
  };
}

const MOST_SAID = 500;

function exitsOf(pod: KubeObject): readonly { readonly code: number; readonly message: string }[] {
  return listField(pod, "status", "containerStatuses").flatMap((container) => {
    // A sidecar that something injected ends with codes of its own.
    if (stringField(container, "name") !== CONTAINER) return [];
    const code = numberField(container, "state", "terminated", "exitCode");
    if (code === undefined || code === 0) return [];
    return [{ code, message: stringField(container, "state", "terminated", "message") ?? "" }];
  });
}
