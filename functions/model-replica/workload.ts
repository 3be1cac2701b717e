import type { Engine, Member } from "../../api/gen/modelreplicas.ts";
import { LABEL } from "../../api/labels.ts";
import { childName, labelValue } from "../../kube/names.ts";
import { field, type KubeObject, listField, numberField } from "../../kube/object.ts";
import { cacheClaimName } from "../builders/cache-claim.ts";
import {
  buildDeployment,
  deploymentProgress,
  deploymentReadyQuery,
} from "../builders/deployment.ts";
import {
  buildLeaderWorkerSet,
  LEADER_WORKER_SET_ENV,
  LEADER_WORKER_SET_NAME_LIMIT,
  leaderWorkerSetProgress,
  leaderWorkerSetReadyQuery,
} from "../builders/leader-worker-set.ts";
import { buildPodTemplate, type EnvironmentVariable, type PodTemplate } from "../builders/pod.ts";
import {
  buildPodCliqueSet,
  POD_CLIQUE_SET_ENV,
  POD_CLIQUE_SET_NAME_LIMIT,
  podCliqueSetProgress,
  podCliqueSetReadyQuery,
  SCHEDULER_QUEUE_LABELS,
} from "../builders/pod-clique-set.ts";
import type { WorkloadProgress } from "../builders/rollout.ts";
import { cacheEnvironment, needsIpcLock } from "./cache.ts";
import type { ReplicaContext } from "./plan.ts";

/** How an engine runs: by its shape and the cluster's stack. */
type Backend = "Deployment" | "LeaderWorkerSet" | "PodCliqueSet";

/** Builds the workload of one engine; `claims` are its claim templates' names by role. */
export function buildWorkload(
  context: ReplicaContext,
  engine: Engine,
  claims: ReadonlyMap<Member["role"], string>,
): KubeObject {
  const backend = backendOf(engine, context);
  const { namespace } = context;
  const { copies } = engine;
  const parts = [context.replica, engine.name];
  const pod = (role: Member["role"]) =>
    podTemplate(context, engine, role, backend, claims.get(role));
  if (backend === "Deployment") {
    return buildDeployment({
      name: childName(parts),
      namespace,
      copies,
      template: pod("Standalone"),
      claimsDevices: claims.size > 0,
    });
  }
  const workers = engine.members.find(({ role }) => role === "Worker")?.worker?.nodes ?? 1;
  const gang = { namespace, copies, workers, leader: pod("Leader"), worker: pod("Worker") };
  return backend === "LeaderWorkerSet"
    ? buildLeaderWorkerSet({ ...gang, name: childName(parts, LEADER_WORKER_SET_NAME_LIMIT) })
    : buildPodCliqueSet({ ...gang, name: childName(parts, POD_CLIQUE_SET_NAME_LIMIT) });
}

/** The CEL query that is true of a workload whose every copy runs the manifest with that hash. */
export function workloadReadyQuery(manifest: KubeObject, hash: string | undefined): string {
  const copies = workloadCopies(manifest);
  if (manifest.kind === "LeaderWorkerSet") return leaderWorkerSetReadyQuery(copies, hash);
  if (manifest.kind === "PodCliqueSet") return podCliqueSetReadyQuery(hash);
  return deploymentReadyQuery(copies, hash);
}

/** Reads how far a live workload has come towards its manifest. */
export function workloadProgress(manifest: unknown, live: unknown): WorkloadProgress {
  const copies = workloadCopies(manifest);
  const kind = field(manifest, "kind");
  if (kind === "LeaderWorkerSet") return leaderWorkerSetProgress(live, copies);
  if (kind === "PodCliqueSet") return podCliqueSetProgress(live, copies);
  return deploymentProgress(live, copies);
}

/** The copies that a workload's manifest asks for. */
function workloadCopies(manifest: unknown): number {
  const [group] = listField(manifest, "spec", "template", "podCliqueScalingGroups");
  return numberField(group, "replicas") ?? numberField(manifest, "spec", "replicas") ?? 1;
}

/** The labels of ours on the pods of a member; where a user set another value, ours would hide it. */
export function managedLabels(
  context: ReplicaContext,
  engine: Engine,
  role: Member["role"],
): Readonly<Record<string, string>> {
  const backend = backendOf(engine, context);
  const serves = role !== "Worker";
  const replica = labelValue(context.replica);
  return {
    ...context.identity,
    [LABEL.engine]: labelValue(engine.name),
    [LABEL.role]: role,
    ...(serves ? { [LABEL.serving]: replica } : {}),
    ...(serves && engine.phase !== undefined
      ? {
          [LABEL.disaggregatedRole]: engine.phase.toLowerCase(),
          [LABEL.inferenceServing]: "true",
          [LABEL.app]: replica,
        }
      : {}),
    ...(backend === "PodCliqueSet" ? SCHEDULER_QUEUE_LABELS : {}),
    ...(role !== "Leader"
      ? {}
      : backend === "PodCliqueSet"
        ? { [LABEL.cliqueRole]: "leader" }
        : { [LABEL.lwsRole]: "leader" }),
  };
}

function backendOf(engine: Engine, context: ReplicaContext): Backend {
  if (engine.members.every(({ role }) => role === "Standalone")) return "Deployment";
  return context.stack === "Dynamo" ? "PodCliqueSet" : "LeaderWorkerSet";
}

function podTemplate(
  context: ReplicaContext,
  engine: Engine,
  role: Member["role"],
  backend: Backend,
  claimTemplate: string | undefined,
): PodTemplate {
  const member = engine.members.find((each) => each.role === role);
  if (member === undefined) throw new Error(`engine ${engine.name} has no ${role}`);
  const cache = context.spec.modelCacheRef?.name;
  const claim = cache === undefined ? undefined : cacheClaimName(context.controlNamespace, cache);
  return buildPodTemplate({
    member,
    labels: managedLabels(context, engine, role),
    servingPort: role === "Worker" ? undefined : context.port,
    environment: [...gangEnvironment(backend), ...cacheEnvironment(claim, backend, context.stack)],
    cacheClaim: claim,
    claimTemplate,
    capabilities: needsIpcLock(claim, backend, context.stack) ? ["IPC_LOCK"] : [],
    emptyArgs: backend === "Deployment",
  });
}

function gangEnvironment(backend: Backend): readonly EnvironmentVariable[] {
  if (backend === "LeaderWorkerSet") return LEADER_WORKER_SET_ENV;
  return backend === "PodCliqueSet" ? POD_CLIQUE_SET_ENV : [];
}
