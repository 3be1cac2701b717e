import { CACHE_PATH, type EnvironmentVariable } from "../builders/pod.ts";
import type { Stack } from "./plan.ts";

/** The Dynamo stack's server that hands weights from pod to pod. */
const MODEL_EXPRESS = "modelexpress-server.default.svc:8001";

/**
 * The variables that point an engine at its cache: the hub's folder, so that a model is found by
 * its repository's name, and on the Dynamo stack ModelExpress, which LeaderWorkerSets do not use.
 */
export function cacheEnvironment(
  claim: string | undefined,
  backend: string,
  stack: Stack,
): readonly EnvironmentVariable[] {
  if (claim === undefined) return [];
  const hub = { name: "HF_HUB_CACHE", value: CACHE_PATH };
  if (!usesModelExpress(backend, stack)) return [hub];
  return [
    hub,
    { name: "MX_SERVER_ADDRESS", value: MODEL_EXPRESS },
    { name: "MODEL_EXPRESS_URL", value: MODEL_EXPRESS },
    { name: "MX_MODEL_REVISION", value: claim },
    { name: "MX_P2P_METADATA", value: "1" },
    fromField("POD_NAME", "metadata.name"),
    fromField("POD_UID", "metadata.uid"),
    fromField("POD_NAMESPACE", "metadata.namespace"),
  ];
}

/** Tells whether an engine must pin memory for ModelExpress to write weights into. */
export function needsIpcLock(claim: string | undefined, backend: string, stack: Stack): boolean {
  return claim !== undefined && usesModelExpress(backend, stack);
}

function usesModelExpress(backend: string, stack: Stack): boolean {
  return stack === "Dynamo" && backend !== "LeaderWorkerSet";
}

function fromField(name: string, fieldPath: string): EnvironmentVariable {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
