import { READINESS_GATE } from "../../api/decision-model.ts";
import type { Revision } from "../../api/gen/decisionmodels.ts";
import { findCondition } from "../../kube/conditions.ts";
import { formatInstant, type Instant, parseInstant } from "../../kube/instant.ts";
import { isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import type { Server } from "./decision.ts";
import { targetOf } from "./garbage.ts";
import type { Pass } from "./pass.ts";
import { type GateReading, probe } from "./probe.ts";

/** The pods of a revision, as far as its model is ready in them. */
export interface GatedPods {
  /** Those that serve: gate open, ready, not on their way out; by name. */
  readonly ready: readonly Server[];
  /** Another model or device than the revision's, which waiting does not mend. */
  readonly mismatch: GateReading | undefined;
  /** Why the first pod that is not ready is not. */
  readonly waiting: GateReading | undefined;
  /** Says which container starts and fails again and again. */
  readonly crashing: string | undefined;
  readonly precision: string | undefined;
}

/**
 * Judges each pod of a Deployment by what its server says, and sets the gates that say otherwise. A
 * pod counts as ready by what the API server shows already, never in the pass that opens its gate.
 */
export function gatePods(
  pass: Pass,
  revision: Revision,
  deployment: KubeObject | undefined,
): GatedPods {
  const pods = pass.world.pods.get(deployment?.metadata?.uid ?? "") ?? [];
  const ready: Server[] = [];
  let found: Omit<GatedPods, "ready"> = {
    mismatch: undefined,
    waiting: undefined,
    crashing: undefined,
    precision: undefined,
  };
  for (const pod of [...pods].sort(byName)) {
    if (pod.metadata?.deletionTimestamp !== undefined) continue;
    const { server, reading, precision } = gatePod(pass, revision, pod);
    if (server !== undefined) ready.push(server);
    const isMismatch = reading.reason === "DigestMismatch" || reading.reason === "DeviceMismatch";
    found = {
      mismatch: found.mismatch ?? (isMismatch ? reading : undefined),
      waiting: found.waiting ?? (server === undefined ? reading : undefined),
      crashing: found.crashing ?? crashLoop(pod),
      precision: found.precision ?? precision,
    };
  }
  const gated = { ready, ...found };
  pass.gated.set(revision.hash, gated);
  return gated;
}

interface GatedPod {
  /** Where the pod counts as ready. */
  readonly server: Server | undefined;
  readonly reading: GateReading;
  readonly precision?: string | undefined;
}

function gatePod(pass: Pass, revision: Revision, pod: KubeObject): GatedPod {
  const podName = pod.metadata?.name ?? "";
  const gate = findCondition(pod, READINESS_GATE);
  const isOpen = gate?.status === "True";
  const address = stringField(pod, "status", "podIP");
  if (address === undefined || findCondition(pod, "ContainersReady")?.status !== "True") {
    const message = `the container of pod ${podName} is not up`;
    if (isOpen) setGate(pass, pod, { reason: "Starting", message });
    return { server: undefined, reading: { reason: "Starting", message } };
  }
  const server = { uid: pod.metadata?.uid ?? "", address };
  const since = changedAt(pod, "ContainersReady");
  const isCurrent = isOpen && (changedAt(pod, READINESS_GATE) ?? 0) >= (since ?? 0);
  // Without its key no server can be asked, and its gate says what was true last.
  const asked = pass.world.apiKey.state !== "unusable";
  const probed = asked
    ? probe(pass, revision, { server, podName, since, isOpen: isCurrent })
    : { reading: undefined };
  const { reading, precision } = probed;
  if (reading === undefined && !isOpen) {
    const message = gate?.message ?? `pod ${podName} was not asked yet`;
    return { server: undefined, reading: { reason: "Starting", message }, precision };
  }
  const changes =
    reading !== undefined &&
    ((reading.reason === "ModelReady") !== isOpen || reading.reason !== gate?.reason);
  if (changes) setGate(pass, pod, reading);
  if (reading !== undefined && reading.reason !== "ModelReady") {
    return { server: undefined, reading, precision };
  }
  const message = `pod ${podName} serves ${revision.model}`;
  if (isOpen && findCondition(pod, "Ready")?.status === "True") {
    return { server, reading: { reason: "ModelReady", message }, precision };
  }
  const waits = { reason: "Starting" as const, message: `pod ${podName} is not ready yet` };
  return { server: undefined, reading: waits, precision };
}

/** Sets the gate of a pod; its time changes only where its status does. */
function setGate(pass: Pass, pod: KubeObject, { reason, message }: GateReading): void {
  const status = reason === "ModelReady" ? "True" : "False";
  const before = findCondition(pod, READINESS_GATE)?.status;
  const turned = changedAt(pod, READINESS_GATE);
  const lastTransitionTime =
    before === status && turned !== undefined ? formatInstant(turned) : pass.stamp;
  const condition = { type: READINESS_GATE, status, reason, message, lastTransitionTime } as const;
  pass.followUp({ type: "SetGate", pod: targetOf(pod), condition });
}

/** When a condition of a pod last changed its status: every restart of a container changes `ContainersReady`. */
function changedAt(pod: KubeObject, type: string): Instant | undefined {
  for (const condition of listField(pod, "status", "conditions")) {
    if (stringField(condition, "type") !== type) continue;
    return parseInstant(stringField(condition, "lastTransitionTime"));
  }
  return undefined;
}

/** Says that a container of a pod fails again and again, as the kubelet does. */
function crashLoop(pod: KubeObject): string | undefined {
  for (const container of listField(pod, "status", "containerStatuses")) {
    if (!isRecord(container)) continue;
    if (stringField(container, "state", "waiting", "reason") === "CrashLoopBackOff") {
      return `container ${stringField(container, "name")} of pod ${pod.metadata?.name} is in CrashLoopBackOff`;
    }
  }
  return undefined;
}

function byName(one: KubeObject, other: KubeObject): number {
  return (one.metadata?.name ?? "") < (other.metadata?.name ?? "") ? -1 : 1;
}
