import type { MismatchReason } from "../../api/decision-model.ts";
import type { Revision } from "../../api/gen/decisionmodels.ts";
import { isSameModel } from "../../api/revision.ts";
import { after, type Instant } from "../../kube/instant.ts";
import type { Server } from "./decision.ts";
import type { Pass } from "./pass.ts";
import { timeoutsOf } from "./policy.ts";
import { hostOf } from "./preflight.ts";
import { LIMITS } from "./settings.ts";
import type { LoadedModel, RunState } from "./world.ts";

/** Why a pod's readiness gate is open (`ModelReady`) or closed. */
export type GateReason = "ModelReady" | "Starting" | MismatchReason | "ProbeError";

/** What a pod's readiness gate must say. */
export interface GateReading {
  readonly reason: GateReason;
  readonly message: string;
}

/** What is known of the model in a pod; without a reading its gate stays as it is. */
export interface Probed {
  readonly reading: GateReading | undefined;
  /** As the server gives it: `F32`. */
  readonly precision?: string | undefined;
}

/** A pod whose server is asked. */
export interface Probee {
  readonly server: Server;
  readonly podName: string;
  /** Since when its containers are as they are; results from before speak of others. */
  readonly since: Instant | undefined;
  /** Whether its gate was opened for just these containers, so that only an answer can close it. */
  readonly isOpen: boolean;
}

/**
 * Wants the model of a pod to be loaded, then looked at again and again, and says what is known of
 * it. Loading asks the server itself, so that an operator which knows nothing yet changes nothing.
 */
export function probe(pass: Pass, revision: Revision, probee: Probee): Probed {
  const { server, podName, since, isOpen } = probee;
  const { model } = revision;
  const { now, world } = pass;
  const warmUpId = `warm-up/${server.uid}`;
  const inspectId = `inspect/${server.uid}`;
  const warmed = current(world.runs.get(warmUpId), since);
  const inspected = current(world.runs.get(inspectId), since);
  const outcome = inspected?.result.type === "Inspect" ? inspected.result.outcome : undefined;
  const found =
    outcome?.state === "inspected"
      ? outcome.loaded.find((one) => isSameModel(one.model, model, hostOf(pass.settings.registry)))
      : undefined;
  // A request of somebody else may have had it unload in a while: loading it again pins it again.
  const isLoose = outcome?.state === "inspected" && found?.pinned !== true;
  const problem = warmed?.result.type === "WarmUp" ? warmed.result.problem : undefined;

  const retry = problem === undefined ? undefined : dueAfter(warmed?.at, LIMITS.probe, now);
  const warmSince = isLoose ? inspected?.at : (retry ?? since);
  const ofStart = pass.spec.rollout?.timeouts?.starting !== undefined;
  pass.want({
    id: warmUpId,
    work: {
      type: "WarmUp",
      server,
      model,
      milliseconds: ofStart ? timeoutsOf(pass.spec).starting : LIMITS.warmUp,
    },
    ...(warmSince === undefined ? {} : { since: warmSince }),
  });
  const starting = { reason: "Starting" as const, message: `pod ${podName} loads ${model}` };
  if (warmed === undefined) {
    pass.wakeAfter(LIMITS.probe);
    return { reading: isOpen ? undefined : starting };
  }
  const every = isOpen ? LIMITS.inspection : LIMITS.probe;
  const fresh = inspected !== undefined && inspected.at >= warmed.at;
  const due = fresh ? after(inspected.at, every) : now;
  const inspectSince = due <= now ? now : inspected?.at;
  pass.want({
    id: inspectId,
    work: { type: "Inspect", server, model },
    ...(inspectSince === undefined ? {} : { since: inspectSince }),
  });
  pass.wakeAt(due <= now ? after(now, LIMITS.probe) : due);
  if (outcome === undefined) return { reading: isOpen ? undefined : starting };
  if (outcome.state === "unreachable") {
    if (isOpen && (inspected?.failures ?? 0) <= LIMITS.toleratedInspections) {
      return { reading: undefined };
    }
    return { reading: { reason: "ProbeError", message: `pod ${podName}: ${outcome.message}` } };
  }
  if (found === undefined) {
    const reading =
      problem === undefined
        ? starting
        : { reason: "ProbeError" as const, message: `pod ${podName}: ${problem}` };
    return { reading };
  }
  return { reading: judge(revision, podName, found), precision: found.precision };
}

/** The latest result of work, unless it is from before the containers that are there now. */
function current(state: RunState | undefined, since: Instant | undefined) {
  const latest = state?.latest;
  return latest === undefined || (since !== undefined && latest.at < since) ? undefined : latest;
}

/** Now, if so many milliseconds have passed; else that moment. */
function dueAfter(
  at: Instant | undefined,
  milliseconds: number,
  now: Instant,
): Instant | undefined {
  if (at === undefined) return undefined;
  return after(at, milliseconds) <= now ? now : at;
}

function judge(revision: Revision, podName: string, found: LoadedModel): GateReading {
  const { model, digest, device } = revision;
  const pod = `pod ${podName}`;
  const seen = found.digest.replace(/^sha256:/, "");
  if (seen !== digest) {
    const digests = `${seen.slice(0, 12)} instead of ${digest.slice(0, 12)}`;
    return { reason: "DigestMismatch", message: `${pod} serves ${model} with digest ${digests}` };
  }
  if (found.device.replace(/^cuda:\d+$/, "cuda") !== device) {
    const message = `${pod} runs ${model} on ${found.device} instead of ${device}`;
    return { reason: "DeviceMismatch", message };
  }
  if (!found.pinned) {
    const message = `${pod} may unload ${model} when nobody asks: its keep-alive is not -1`;
    return { reason: "NotPinned", message };
  }
  return { reason: "ModelReady", message: `${pod} serves ${model}` };
}
