import { describe, expect, test } from "vitest";
import { MODEL_REPLICA } from "../../api/model-replica.ts";
import type { PlannedReplica } from "./plan.ts";
import { countReplicas, replicasReady } from "./status.ts";

/** So many replicas on clusters c0, c1 …; those after the first `ready` wait for something. */
function replicas(count: number, ready: number): readonly PlannedReplica[] {
  return Array.from({ length: count }, (_, at) => ({
    key: `replica-c${at}-0`,
    identity: { namespace: "ml", deployment: "chat", cluster: `c${at}`, index: 0 },
    object: { ...MODEL_REPLICA, metadata: { name: `chat-${at}` } },
    observed: undefined,
    phase: "Starting",
    ready: at < ready,
    current: true,
    engines: [],
    message: at < ready ? "" : "starts",
    degraded: false,
  }));
}

describe("whether all replicas are ready is said", () => {
  test.each([
    ["of all", 2, replicas(2, 2), "AllReplicasReady", "2 of 2 ready"],
    [
      "where all that have a place are, of those that have none",
      3,
      replicas(2, 2),
      "PartiallyScheduled",
      "2 of 3 ready; 1 has no place, see ReplicasScheduled",
    ],
    ["of what does not", 3, replicas(2, 1), "ModelStarting", "1 of 3 ready; chat-1 on c1: starts"],
    [
      "with the one that a move needs for a while",
      2,
      replicas(3, 2),
      "ModelStarting",
      "2 of 3 ready, 1 of them beyond spec.replicas until others have gone; chat-2 on c2: starts",
    ],
    [
      "of up to five by name",
      5,
      replicas(5, 0),
      "ModelStarting",
      "0 of 5 ready; chat-0 on c0: starts; chat-1 on c1: starts; chat-2 on c2: starts; chat-3 on c3: starts; chat-4 on c4: starts",
    ],
    [
      "of more by number",
      6,
      replicas(6, 0),
      "ModelStarting",
      "0 of 6 ready; chat-0 on c0: starts; chat-1 on c1: starts; chat-2 on c2: starts; chat-3 on c3: starts; and 2 more",
    ],
  ])("%s", (_, desired, planned, reason, message) => {
    expect(replicasReady(countReplicas(desired, planned), planned)).toMatchObject({
      reason,
      message,
    });
  });
});
