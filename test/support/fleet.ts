import type { Device } from "../../cel/device.ts";
import type {
  Cluster,
  Demand,
  DemandedEngine,
  DemandedMember,
  DemandedRequest,
  DeviceProfile,
  FleetReplica,
  OwnReplica,
  Pool,
  PoolDevice,
  Snapshot,
  Taint,
  Toleration,
} from "../../functions/model-deployment/scheduling/fleet.ts";
import type {
  MoveReason,
  Schedule,
} from "../../functions/model-deployment/scheduling/placement.ts";
import { createScheduler } from "../../functions/model-deployment/scheduling/schedule.ts";

const GPU = "gpu.nvidia.com";

/** A selector for devices with at least so many GiB of memory. */
export const atLeast = (gib: number) =>
  `device.capacity["${GPU}"].memory.compareTo(quantity("${gib}Gi")) >= 0`;

/** A selector for devices with less than so many GiB of memory. */
export const below = (gib: number) =>
  `device.capacity["${GPU}"].memory.compareTo(quantity("${gib}Gi")) < 0`;

/** A selector for network devices. */
export const NIC = 'device.driver == "nic.example.org"';

/** So many GPUs with so many GiB of memory on each node. */
export function gpus(count: number, gib: number, change: Partial<Device> = {}): PoolDevice {
  const device = { driver: GPU, capacity: { memory: { value: `${gib}Gi` } }, ...change };
  return { claim: "DRA", deviceClassName: GPU, count, device };
}

/** So many network devices that are no more than declared. */
export function nics(count: number): PoolDevice {
  const device = { driver: "nic.example.org" };
  return { claim: "Synthetic", deviceClassName: "", count, device };
}

/** The profile of nodes with these devices. */
export function profile(...devices: readonly PoolDevice[]): DeviceProfile {
  const memory = devices.reduce((sum, { count, device }) => {
    const gib = /^(\d+)Gi$/.exec(device.capacity?.memory?.value ?? "")?.[1] ?? "0";
    return sum + count * Number(gib) * 2 ** 30;
  }, 0);
  return { devices, memory };
}

/** A pool of nodes; without devices each has 8 GPUs of 141 GiB. */
export function pool(name: string, nodes: number, ...devices: readonly PoolDevice[]): Pool {
  const held = devices.length === 0 ? [gpus(8, 141)] : devices;
  return { name, nodes, profile: profile(...held), costPerNodeHour: undefined };
}

/** The same pool at a price. */
export const priced = (one: Pool, costPerNodeHour: number): Pool => ({ ...one, costPerNodeHour });

/** A cluster that takes replicas; a number is that of the nodes of its one pool, `gpu`. */
export function cluster(
  name: string,
  pools: number | readonly Pool[] = 4,
  change: Partial<Cluster> = {},
): Cluster {
  return {
    name,
    ready: true,
    gatewayAddress: "203.0.113.7",
    cacheStorage: false,
    taints: [],
    pools: typeof pools === "number" ? [pool("gpu", pools)] : pools,
    ...change,
  };
}

/** A taint such as `maint:NoSchedule` or `retire=q3:NoExecute`. */
export function taint(text: string): Taint {
  const [, key = "", value = "", effect = ""] = /^([^=:]*)(?:=([^:]*))?:(.*)$/.exec(text) ?? [];
  return { key, value, effect: effect as Taint["effect"] };
}

/** A toleration; without anything it tolerates all. */
export function toleration(change: Partial<Toleration> = {}): Toleration {
  return { key: undefined, operator: "Exists", value: "", effect: undefined, ...change };
}

/** A request for so many devices that meet the selectors. */
export function request(
  name: string,
  count: number,
  ...selectors: readonly string[]
): DemandedRequest {
  return { name, count, selectors };
}

const LARGE = request("gpu", 1, atLeast(141));

/** A member; without requests it wants one GPU of 141 GiB. */
export function member(
  role: string,
  pods = 1,
  requests: readonly DemandedRequest[] = [LARGE],
): DemandedMember {
  return { role, pods, requests };
}

/** A Standalone engine. */
export function engine(
  name = "main",
  requests: readonly DemandedRequest[] = [LARGE],
  copies = 1,
): DemandedEngine {
  return { name, copies, members: [member("Standalone", 1, requests)] };
}

/** An engine of a Leader and so many Workers less one, each with a node of its own. */
export function gang(
  nodes: number,
  leader: readonly DemandedRequest[] = [LARGE],
  worker: readonly DemandedRequest[] = [LARGE],
): DemandedEngine {
  const members = [member("Leader", 1, leader), member("Worker", nodes - 1, worker)];
  return { name: "main", copies: 1, members };
}

/** What a deployment wants; without engines a Standalone one with one GPU of 141 GiB. */
export function demand(replicas: number, change: Partial<Demand> = {}): Demand {
  return { replicas, engines: [engine()], tolerations: [], cache: false, paused: false, ...change };
}

/**
 * A replica of ours at a place such as `a/0`, ready and serving: engine `main`, Standalone, on one
 * node of pool `gpu`. `on` changes the pool and its nodes.
 */
export function own(
  place: string,
  change: Partial<OwnReplica> & { readonly on?: readonly [pool: string, nodes: number] } = {},
): OwnReplica {
  const [cluster = "", index = ""] = place.split("/");
  const { on: [pool, nodes] = ["gpu", 1], ...rest } = change;
  return {
    namespace: "ml-team",
    name: `chat-${cluster}-${index}`,
    deployment: "chat",
    cluster,
    index: Number(index),
    charges: [{ pool, nodes }],
    created: "2026-01-01T00:00:00Z",
    served: true,
    deleting: false,
    engines: [{ name: "main", members: [{ role: "Standalone", pool }] }],
    ready: true,
    serving: true,
    ...rest,
  };
}

/** A replica of ours as a gang on one pool. */
export function ownGang(
  place: string,
  nodes: number,
  change: Partial<OwnReplica> = {},
): OwnReplica {
  const members = ["Leader", "Worker"].map((role) => ({ role, pool: "gpu" }));
  return own(place, { on: ["gpu", nodes], engines: [{ name: "main", members }], ...change });
}

/** Another deployment's replica, such as `ops/batch`, which holds nodes of pool `gpu`. */
export function other(
  deployment: string,
  on: string,
  nodes = 1,
  change: Partial<FleetReplica> = {},
): FleetReplica {
  const [namespace = "", name = ""] = deployment.split("/");
  return {
    namespace,
    name: `${name}-${on}-0`,
    deployment: name,
    cluster: on,
    charges: [{ pool: "gpu", nodes }],
    created: "2026-01-01T00:00:00Z",
    served: true,
    deleting: false,
    ...change,
  };
}

/** A fleet as a deployment sees it. */
export function scene(
  wanted: Demand | number,
  clusters: readonly Cluster[],
  replicas: readonly OwnReplica[] = [],
  others: readonly FleetReplica[] = [],
): Snapshot {
  const wants = typeof wanted === "number" ? demand(wanted) : wanted;
  const deployment = { namespace: "ml-team", name: "chat" };
  return { deployment, demand: wants, clusters, own: replicas, others };
}

/**
 * What a pass makes of a scene, one text each: `a/0` stays, `a/0 frozen Paused` stays as it is,
 * `a/0 moves …`, `-a/0 ScaledDown` goes, `+a/0 gpu` is placed on these pools.
 */
export function decide(snapshot: Snapshot): readonly string[] {
  return describeSchedule(createScheduler().schedule(snapshot));
}

/** A schedule in the notation of `decide`. */
export function describeSchedule({ kept, released, placed }: Schedule): readonly string[] {
  const place = ({ cluster, index }: { cluster: string; index: number }) => `${cluster}/${index}`;
  return [
    ...kept.map((one) => {
      if (one.as === "retained") return place(one.replica);
      if (one.as === "frozen") return `${place(one.replica)} frozen ${one.because}`;
      return `${place(one.replica)} moves ${describeReason(one.reason)}: ${one.progress}`;
    }),
    ...released.map(({ replica, because }) => `-${place(replica)} ${because}`),
    ...placed.map((one) => {
      const pools = one.engines.map(({ members }) => [...new Set(members.map((m) => m.pool))]);
      return `+${place(one)} ${pools.join(" ")}`;
    }),
  ];
}

function describeReason(reason: MoveReason): string {
  const { type, ...rest } = reason;
  const details = Object.values(rest).map((value) => {
    return typeof value === "object" ? value.key : String(value);
  });
  return [type, ...details].join(" ");
}
