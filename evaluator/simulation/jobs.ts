import { findCondition } from "../../kube/conditions.ts";
import { formatInstant, type Instant } from "../../kube/instant.ts";
import {
  field,
  isRecord,
  type KubeObject,
  listField,
  numberField,
  stringField,
} from "../../kube/object.ts";
import { kindOf, type ServedKind } from "./kinds.ts";

import { hasEnded, reference, type Workings } from "./workings.ts";

const JOB = kindOf("Job") as ServedKind;
const POD = kindOf("Pod") as ServedKind;
const FIRST_BACKOFF_MILLISECONDS = 10_000;
const LONGEST_BACKOFF_MILLISECONDS = 360_000;

/** Does for a Job of one pod what its controller does: starts it, tries again, ends in time, reports. */
export function keepJob(job: KubeObject, workings: Workings): void {
  if (job.metadata?.deletionTimestamp !== undefined) return;
  if (["Complete", "Failed"].some((type) => findCondition(job, type)?.status === "True")) return;
  const { clock, store } = workings;
  const startTime = stringField(job.status, "startTime") ?? formatInstant(clock.now());
  const pods = workings.children(job, "Pod");
  const failed = pods.filter(isFailed);
  const end = endOf(job, pods, Date.parse(startTime), clock.now());
  if (end !== undefined) {
    write(job, { ...finished(end, clock.now()), startTime }, workings);
    for (const pod of pods.filter((one) => !hasEnded(one))) {
      store.delete(POD, pod.metadata?.namespace ?? "", pod.metadata?.name ?? "");
    }
    return;
  }
  const deadline = numberField(job.spec, "activeDeadlineSeconds");
  if (deadline !== undefined) {
    workings.again(job, Date.parse(startTime) + deadline * 1000 - clock.now());
  }
  write(job, { startTime, active: pods.length - failed.length }, workings);
  if (pods.length > failed.length) return;
  const ended = Math.max(0, ...failed.map(endedAt));
  const backoff = Math.min(
    LONGEST_BACKOFF_MILLISECONDS,
    FIRST_BACKOFF_MILLISECONDS * 2 ** (failed.length - 1),
  );
  const wait = failed.length === 0 ? 0 : ended + backoff - clock.now();
  if (wait > 0) workings.again(job, wait);
  else store.create(POD, podOf(job));
}

interface End {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

/** How a Job ends, if it does now. */
function endOf(
  job: KubeObject,
  pods: readonly KubeObject[],
  started: number,
  now: number,
): End | undefined {
  if (pods.some((pod) => stringField(pod.status, "phase") === "Succeeded")) {
    return { type: "Complete", reason: "CompletionsReached", message: "" };
  }
  const failed = pods.filter(isFailed);
  const fail = (reason: string, message: string): End => ({ type: "Failed", reason, message });
  const ruled = failed.find((pod) => isRuledOut(job, pod));
  if (ruled !== undefined) {
    const message = `Container prefetch for pod ${ruled.metadata?.name} failed with exit code ${exitCode(ruled)} matching FailJob rule at index 0`;
    return fail("PodFailurePolicy", message);
  }
  const deadline = numberField(job.spec, "activeDeadlineSeconds");
  if (deadline !== undefined && now - started >= deadline * 1000) {
    return fail("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  if (failed.length > (numberField(job.spec, "backoffLimit") ?? 6)) {
    return fail("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  return undefined;
}

function finished({ type, reason, message }: End, now: Instant): object {
  const at = formatInstant(now);
  const condition = (of: string) => ({
    type: of,
    status: "True",
    reason,
    message,
    lastProbeTime: at,
    lastTransitionTime: at,
  });
  const decided = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const count = type === "Complete" ? { succeeded: 1 } : { failed: 1 };
  return { ...count, conditions: [condition(decided), condition(type)] };
}

const isFailed = (pod: KubeObject) => stringField(pod.status, "phase") === "Failed";

function write(job: KubeObject, status: object, { store }: Workings): void {
  const { namespace = "", name = "" } = job.metadata ?? {};
  store.patch(JOB, { namespace, name }, { status }, { part: "status", type: "merge" });
}

function isRuledOut(job: KubeObject, pod: KubeObject): boolean {
  return listField(job.spec, "podFailurePolicy", "rules").some(
    (rule) =>
      stringField(rule, "action") === "FailJob" &&
      listField(rule, "onExitCodes", "values").includes(exitCode(pod)),
  );
}

function terminated(pod: KubeObject): unknown {
  const [status] = listField(pod.status, "containerStatuses");
  return field(status, "state", "terminated");
}

const exitCode = (pod: KubeObject) => numberField(terminated(pod), "exitCode");
const endedAt = (pod: KubeObject) => Date.parse(stringField(terminated(pod), "finishedAt") ?? "");

function podOf(job: KubeObject): KubeObject {
  const metadata = field(job.spec, "template", "metadata");
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(isRecord(metadata) ? metadata : {}),
      generateName: `${job.metadata?.name}-`,
      namespace: job.metadata?.namespace ?? "",
      ownerReferences: [reference(job)],
    },
    spec: field(job.spec, "template", "spec"),
  };
}
