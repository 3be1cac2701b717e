import type { EngineStatus } from "../../api/gen/modelreplicas.ts";
import type { ModelAccepted, ModelReady, ModelServing } from "../../api/model-replica.ts";
import {
  type ObservedProviderObject,
  providerObjectBlocker,
  providerObjectReady,
} from "../../api/provider-object.ts";
import { type KubeObject, stringField } from "../../kube/object.ts";
import { httpRouteState } from "../builders/http-route.ts";
import { carriedHash } from "../builders/rollout.ts";
import { workloadProgress } from "./workload.ts";

/** The state of one engine's workload against the manifest that is wanted of it. */
export interface EngineState {
  readonly engine: string;
  /** Whether the cluster has taken the workload. */
  readonly accepted: boolean;
  /** Whether every copy runs this spec and is ready. */
  readonly settled: boolean;
  readonly copies: number;
  /** Copies that can serve, whichever spec they started from. */
  readonly ready: number;
  readonly updated: number;
  /** Why it is not settled: the workload and its own reason. */
  readonly blocker?: string;
}

/**
 * Assesses the workload of one engine; `observed` is the Object under its key, and `asked` tells
 * whether that Object already asks for the wanted manifest.
 */
export function engineState(
  engine: string,
  wanted: KubeObject | Readonly<Record<string, unknown>>,
  observed: ObservedProviderObject | undefined,
  asked: boolean,
): EngineState {
  const name = `${stringField(wanted, "kind")} "${stringField(wanted, "metadata", "name")}"`;
  const live = observed?.live;
  const progress = workloadProgress(wanted, live);
  const counts = { engine, copies: progress.wanted, updated: progress.updated };
  if (observed === undefined) {
    const blocker = `${name} is not on the cluster yet`;
    return { ...counts, accepted: false, settled: false, ready: 0, blocker };
  }
  const ready = observed.deleting ? 0 : progress.ready;
  const accepted = live !== undefined;
  const current = asked && carriedHash(live) === carriedHash(wanted);
  if (current && accepted && progress.settled && providerObjectReady(observed)) {
    return { ...counts, accepted, settled: true, ready };
  }
  const blocker =
    providerObjectBlocker(observed) ??
    (current
      ? (progress.blocker ?? "is waiting for its provider to see it ready")
      : "does not carry this spec yet");
  return { ...counts, accepted, settled: false, ready, blocker: `${name} ${blocker}` };
}

/** Says whether the cluster has taken every workload. */
export function modelAccepted(engines: readonly EngineState[]): ModelAccepted {
  const type = "ModelAccepted";
  const waiting = engines.filter(({ accepted }) => !accepted);
  if (engines.length > 0 && waiting.length === 0) {
    return { type, status: "True", reason: "Accepted", message: "" };
  }
  return { type, status: "False", reason: "Deploying", message: blockers(waiting) };
}

/** Says whether every engine is ready for this spec. */
export function modelReady(engines: readonly EngineState[]): ModelReady {
  const type = "ModelReady";
  const waiting = engines.filter(({ settled }) => !settled);
  if (engines.length > 0 && waiting.length === 0) {
    return { type, status: "True", reason: "Serving", message: "" };
  }
  const reason = engines.every(({ accepted }) => accepted) ? "ModelStarting" : "WaitingForModel";
  return { type, status: "False", reason, message: blockers(waiting) };
}

/**
 * Says whether requests are answered: by at least one copy of every engine, through a route that
 * the gateway accepts. `others` are objects that are not ready, to name beside it.
 */
export function modelServing(
  engines: readonly EngineState[],
  route: ObservedProviderObject | undefined,
  others: readonly string[],
): ModelServing {
  const type = "ModelServing";
  const beside = others.length === 0 ? "" : `Not ready: ${others.join("; ")}`;
  const waiting = engines.filter(({ ready }) => ready === 0);
  if (engines.length === 0 || waiting.length > 0) {
    const message = sentences(blockers(waiting), beside);
    return { type, status: "False", reason: "WaitingForModel", message };
  }
  const failed =
    route === undefined
      ? "HTTPRoute is not on the cluster yet"
      : route.live === undefined || route.deleting
        ? `HTTPRoute ${providerObjectBlocker(route)}`
        : undefined;
  if (failed !== undefined) {
    const message = sentences(failed, beside);
    return { type, status: "False", reason: "RouteNotAccepted", message };
  }
  const state = httpRouteState(route?.live);
  if (!state.accepted) {
    const message = sentences(state.message, beside);
    return { type, status: "False", reason: state.reason, message };
  }
  return { type, status: "True", reason: "Serving", message: beside };
}

/** The rows of `status.engines`. */
export function engineStatus(engines: readonly EngineState[]): readonly EngineStatus[] {
  return engines.map(({ engine, copies, ready, updated, blocker }) => ({
    name: engine,
    copies,
    readyCopies: ready,
    updatedCopies: updated,
    ...(blocker === undefined ? {} : { message: blocker }),
  }));
}

function blockers(engines: readonly EngineState[]): string {
  return engines
    .map(({ engine, blocker }) => `engine "${engine}": ${blocker ?? "no copy is ready"}`)
    .join("; ");
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(". ");
}
