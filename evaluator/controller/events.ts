import type { DecisionModel } from "../../api/gen/decisionmodels.ts";
import { sha256Hex } from "../../kube/canonical.ts";
import { formatMicroTime, type Instant } from "../../kube/instant.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Notice } from "../rollout/decision.ts";

/** The controller that events name. */
const CONTROLLER = "decisionmodel-controller";

/** The API takes no longer note. */
const MOST_BYTES = 1024;

/**
 * Builds the event that tells people of a DecisionModel's roll-out. Its name says what it tells and
 * when, so that the same one can't be made twice.
 */
export function buildEvent(
  { apiVersion, kind, metadata }: DecisionModel,
  { type, reason, message }: Notice,
  { now, instance }: { readonly now: Instant; readonly instance: string },
): KubeObject {
  const { namespace = "", name = "", uid, resourceVersion } = metadata;
  const eventTime = formatMicroTime(now);
  const id = sha256Hex(`${uid} ${reason} ${message} ${eventTime}`, 16);
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    // Names of DecisionModels are at most 43 characters long, so this is a name too.
    metadata: { name: `${name}.${id}`, namespace },
    eventTime,
    reportingController: CONTROLLER,
    reportingInstance: instance,
    action: reason,
    reason,
    type,
    note: shortened(message),
    regarding: { apiVersion, kind, name, namespace, uid, resourceVersion },
  };
}

function shortened(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= MOST_BYTES) return message;
  // What is cut off may begin in the middle of a character.
  const kept = bytes.subarray(0, MOST_BYTES - 3).toString("utf8");
  return `${kept.replace(/\uFFFD+$/, "")}…`;
}
