import { LABEL } from "../../api/labels.ts";
import { currentSpecHash } from "../../api/model-replica.ts";
import { findCondition } from "../../kube/conditions.ts";
import { field, type KubeObject, listField, stringField } from "../../kube/object.ts";
import { excerpt } from "../composition/findings.ts";
import type { FieldTree } from "../composition/requirement.ts";
import { type DeviceCatalogue, wholeNumber } from "./devices.ts";
import type {
  Charge,
  Cluster,
  FleetReplica,
  OwnReplica,
  Pool,
  StampedEngine,
  Taint,
} from "./scheduling/fleet.ts";

/** What is read of every InferenceCluster: by `decodeCluster`, to select, to stamp and for endpoints. */
export const CLUSTER_FIELDS = {
  metadata: { labels: true },
  spec: { taints: true, placement: { metadata: { labels: true } } },
  status: {
    conditions: { type: true, status: true, reason: true, message: true },
    gateway: { address: true, hostname: true },
    cache: { storageClassName: true },
    gpuPools: { name: true, nodes: true, costPerNodeHour: true, devices: true },
  },
} as const satisfies FieldTree;

/** What `decodeFleetReplica` reads of every ModelReplica; of its device requests, that there are some. */
export const FLEET_REPLICA_FIELDS = {
  metadata: {
    creationTimestamp: true,
    deletionTimestamp: true,
    labels: { [LABEL.deployment]: true },
  },
  spec: {
    clusterName: true,
    engines: {
      copies: true,
      members: { role: true, nodePoolName: true, worker: { nodes: true }, deviceRequests: {} },
    },
  },
  status: { served: true, conditions: { type: true, status: true } },
} as const satisfies FieldTree;

/**
 * Reads an InferenceCluster. What is missing or malformed counts as not there: such a taint repels
 * nobody, such a pool or device takes nobody in.
 */
export function decodeCluster(object: KubeObject, catalogue: DeviceCatalogue): Cluster {
  const pools = field(object, "status", "gpuPools");
  return {
    name: object.metadata?.name ?? "",
    ...readiness(object),
    gatewayAddress: gatewayAddress(object),
    cacheStorage: (stringField(object, "status", "cache", "storageClassName") ?? "") !== "",
    taints: listField(object, "spec", "taints").flatMap(decodeTaint),
    pools: Array.isArray(pools) ? decodePools(pools, catalogue) : undefined,
  };
}

/** Most characters of what a cluster says of itself. */
const MOST_SAID = 300;

function readiness(object: KubeObject): Pick<Cluster, "ready" | "notReady"> {
  const condition = findCondition(object, "Ready");
  if (condition?.status === "True") return { ready: true };
  if (condition === undefined) return { ready: false, notReady: "it has no condition Ready" };
  const said = [condition.reason, condition.message].filter((text) => text !== "").join(": ");
  return { ready: false, notReady: excerpt(said, MOST_SAID) };
}

function gatewayAddress(object: KubeObject): string | undefined {
  return ["address", "hostname"]
    .map((name) => stringField(object, "status", "gateway", name))
    .find((text) => text !== undefined && text !== "");
}

function decodeTaint(taint: unknown): readonly Taint[] {
  const key = stringField(taint, "key");
  const effect = stringField(taint, "effect");
  if (key === undefined || (effect !== "NoSchedule" && effect !== "NoExecute")) return [];
  return [{ key, value: stringField(taint, "value") ?? "", effect }];
}

/** Of pools that share a name the first counts, as its nodes are what the name stands for. */
function decodePools(list: readonly unknown[], catalogue: DeviceCatalogue): readonly Pool[] {
  const pools = new Map<string, Pool>();
  for (const entry of list) {
    const name = stringField(entry, "name");
    if (name === undefined || name === "" || pools.has(name)) continue;
    pools.set(name, {
      name,
      nodes: wholeNumber(field(entry, "nodes")),
      profile: catalogue.profile(field(entry, "devices")),
      costPerNodeHour: decodeCost(stringField(entry, "costPerNodeHour")),
    });
  }
  return [...pools.values()];
}

/** Reads a decimal of at most four places as ten-thousandths. */
function decodeCost(text: string | undefined): number | undefined {
  const match = /^(0|[1-9][0-9]{0,5})(?:\.([0-9]{1,4}))?$/.exec(text ?? "");
  if (match === null) return undefined;
  const [, whole = "", fraction = ""] = match;
  return Number(whole + fraction.padEnd(4, "0"));
}

/** Reads a ModelReplica of the fleet, whoever made it. */
export function decodeFleetReplica(object: KubeObject): FleetReplica {
  const { metadata } = object;
  return {
    namespace: metadata?.namespace ?? "",
    name: metadata?.name ?? "",
    deployment: stringField(metadata, "labels", LABEL.deployment) ?? "",
    cluster: stringField(object, "spec", "clusterName") ?? "",
    charges: decodeCharges(listField(object, "spec", "engines")),
    created: metadata?.creationTimestamp ?? "",
    // What another program composed may serve without saying that it has.
    served: field(object, "status", "served") === true || isServing(object),
    deleting: metadata?.deletionTimestamp !== undefined,
  };
}

/**
 * Reads a replica that the deployment composed, from its resource key and what is observed under it;
 * `undefined` when the key is no replica's. The key alone is its identity.
 */
export function decodeOwnReplica(key: string, object: KubeObject): OwnReplica | undefined {
  const match = /^replica-(.+)-(0|[1-9][0-9]{0,8})$/.exec(key);
  if (match === null) return undefined;
  const [, cluster = "", index] = match;
  return {
    ...decodeFleetReplica(object),
    cluster,
    index: Number(index),
    engines: listField(object, "spec", "engines").map(decodeEngine),
    ready:
      findCondition(object, "ModelReady")?.status === "True" &&
      stringField(object, "status", "observedSpecHash") === currentSpecHash(object),
    serving: isServing(object),
  };
}

const isServing = (replica: KubeObject) =>
  findCondition(replica, "ModelServing")?.status === "True";

function decodeEngine(engine: unknown): StampedEngine {
  return {
    name: stringField(engine, "name") ?? "",
    members: listField(engine, "members").map((member) => ({
      role: stringField(member, "role") ?? "",
      pool: stringField(member, "nodePoolName") ?? "",
    })),
  };
}

/** A member takes whole nodes, one for each of its pods, if it claims any device; else none. */
function decodeCharges(engines: readonly unknown[]): readonly Charge[] {
  const nodes = new Map<string, number>();
  for (const engine of engines) {
    const copies = wholeNumber(field(engine, "copies") ?? 1);
    for (const member of listField(engine, "members")) {
      const pool = stringField(member, "nodePoolName") ?? "";
      if (pool === "" || listField(member, "deviceRequests").length === 0) continue;
      const worker = stringField(member, "role") === "Worker";
      const pods = worker ? wholeNumber(field(member, "worker", "nodes") ?? 1) : 1;
      if (pods * copies > 0) nodes.set(pool, (nodes.get(pool) ?? 0) + pods * copies);
    }
  }
  return [...nodes].map(([pool, count]) => ({ pool, nodes: count }));
}
