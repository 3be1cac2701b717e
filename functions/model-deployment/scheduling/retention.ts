import { resolveOn, type WantedEngine } from "./fitting.ts";
import type { Cluster, Demand, OwnReplica, Pool, StampedEngine } from "./fleet.ts";
import type { Ledger } from "./ledger.ts";
import type { Matcher } from "./matcher.ts";
import type { FrozenReplica, MoveReason, RetainedReplica } from "./placement.ts";
import { findUntolerated } from "./taints.ts";

/** A replica that can't stay, before it is known how its move goes. */
export interface UnplacedReplica {
  readonly as: "moving";
  readonly replica: OwnReplica;
  readonly reason: MoveReason;
}

/** What is looked at to judge a replica that stands. */
export interface RetentionContext {
  readonly demand: Demand;
  readonly engines: readonly WantedEngine[];
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly ledger: Ledger;
  readonly matcher: Matcher;
}

/**
 * Decides whether a replica stays where it is. What the cluster does not say moves nothing: a
 * replica stays as it is while the cluster's pools or its cache storage are not known. Whether the
 * cluster is Ready, has a gateway or has lost nodes is no reason to move either.
 */
export function retain(
  replica: OwnReplica,
  context: RetentionContext,
): RetainedReplica | FrozenReplica | UnplacedReplica {
  const { demand, clusters } = context;
  const moving = (reason: MoveReason) => ({ as: "moving", replica, reason }) as const;
  const frozen = (because: FrozenReplica["because"]) =>
    ({ as: "frozen", replica, because }) as const;
  const cluster = clusters.get(replica.cluster);
  if (cluster === undefined) return moving({ type: "ClusterNotFound" });
  const taint = findUntolerated(cluster.taints, demand.tolerations, "NoExecute");
  if (taint !== undefined) return moving({ type: "Tainted", taint });
  if (cluster.pools === undefined) return frozen("PoolsUnknown");
  if (demand.cache && !cluster.cacheStorage) return frozen("CacheNotStored");
  const pools = new Map(cluster.pools.map((pool) => [pool.name, pool]));
  const stamped = replica.engines.flatMap(({ members }) => members.map(({ pool }) => pool));
  const gone = stamped.find((pool) => !pools.has(pool));
  if (gone !== undefined) return moving({ type: "PoolNotFound", pool: gone });
  const judged = judgeTemplate(replica, pools, context);
  return judged.as === "moving" && demand.paused ? frozen("Paused") : judged;
}

/** Judges what depends on the template: the shape, the selectors and the nodes that it takes. */
function judgeTemplate(
  replica: OwnReplica,
  pools: ReadonlyMap<string, Pool>,
  { engines, ledger, matcher }: RetentionContext,
): RetainedReplica | UnplacedReplica {
  const moving = (reason: MoveReason) => ({ as: "moving", replica, reason }) as const;
  const stamped = new Map(replica.engines.map((engine) => [engine.name, engine]));
  if (stamped.size !== engines.length || !engines.every((one) => hasShape(one, stamped))) {
    return moving({ type: "ShapeChanged" });
  }
  const poolOf = (engine: WantedEngine | undefined, member: number) =>
    pools.get(stamped.get(engine?.name ?? "")?.members[member]?.pool ?? "");
  for (const engine of engines) {
    const unmet = findUnmet(engine, (member) => poolOf(engine, member), matcher);
    if (unmet !== undefined) {
      return moving({ type: "NodeSelectorUnmet", engine: engine.name, ...unmet });
    }
  }
  const resolution = resolveOn(engines, (engine, member) => poolOf(engines[engine], member));
  const short = ledger.shortage(replica.cluster, replica.charges, resolution.charges);
  if (short !== undefined) return moving({ type: "GrowthDoesNotFit", ...short });
  return { as: "retained", replica, ...resolution };
}

/** Whether a stamped engine has the members that are wanted, in their order. */
function hasShape(
  { name, members }: WantedEngine,
  stamped: ReadonlyMap<string, StampedEngine>,
): boolean {
  const before = stamped.get(name)?.members;
  return (
    before?.length === members.length && members.every(({ role }, at) => role === before[at]?.role)
  );
}

/** The first request of an engine that its pools don't meet; the first of all where nothing is claimed. */
function findUnmet(
  engine: WantedEngine,
  poolOf: (member: number) => Pool | undefined,
  matcher: Matcher,
): { readonly member: string; readonly request: string } | undefined {
  let claims = false;
  for (const [at, { role, requests, match }] of engine.members.entries()) {
    const pool = poolOf(at);
    const outcome = pool === undefined ? "none" : match(pool.profile);
    if (pool !== undefined && typeof outcome === "string") {
      const request = requests[matcher.firstUnmet(requests, pool.profile)];
      return { member: role, request: request?.name ?? "" };
    }
    claims ||= typeof outcome !== "string" && outcome.claims;
  }
  if (claims) return undefined;
  const first = engine.members.find(({ requests }) => requests.length > 0);
  return { member: first?.role ?? "", request: first?.requests[0]?.name ?? "" };
}
