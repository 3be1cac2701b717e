import type {
  ClusterExplanation,
  EngineExplanation,
  EngineProblem,
  Explanation,
  Holder,
  MemberExplanation,
  PoolExplanation,
} from "./explanation.ts";
import { ruledOut } from "./filling.ts";
import {
  type EngineFit,
  fitCluster,
  fitEngine,
  type WantedEngine,
  wantedEngines,
} from "./fitting.ts";
import type { Cluster, FleetReplica, Pool, Snapshot } from "./fleet.ts";
import type { Matcher } from "./matcher.ts";
import type { MemberExplainer } from "./nearest.ts";
import { ascending } from "./order.ts";
import type { PlacedReplica, Schedule } from "./placement.ts";

/** Explains for every cluster why one more replica would fit there or not, after a pass. */
export function explainPlacement(
  snapshot: Snapshot,
  schedule: Schedule,
  matcher: Matcher,
  explainMember: MemberExplainer,
): Explanation {
  const engines = wantedEngines(snapshot.demand.engines, matcher);
  const holders = findHolders(snapshot, schedule);
  const explainEngine = createEngineExplainer(explainMember);
  const explainCluster = (cluster: Cluster): ClusterExplanation => {
    const { name, pools = [] } = cluster;
    const free = schedule.ledger.free(name);
    const fits = engines.map((engine) => fitEngine(engine, pools));
    const explained = pools.map((pool, at): PoolExplanation => {
      const left = free[at] ?? 0;
      const held = () => holders(name, pool.name);
      return {
        pool: pool.name,
        nodes: pool.nodes,
        free: left,
        ...(pool.costPerNodeHour === undefined
          ? {}
          : { costPerNodeHour: decimal(pool.costPerNodeHour) }),
        engines: engines.map((engine, e) =>
          explainEngine(engine, e, fits[e] as EngineFit, pool, left, held),
        ),
      };
    });
    const out = ruledOut(cluster, snapshot.demand);
    if (out !== undefined) return { cluster: name, problem: out, pools: explained };
    return fitCluster(engines, pools, free) === undefined
      ? { cluster: name, problem: { type: "NothingFits" }, pools: explained }
      : { cluster: name, pools: explained };
  };
  return {
    clusters: snapshot.clusters
      .toSorted((left, right) => ascending(left.name, right.name))
      .map(explainCluster),
  };
}

/** Writes ten-thousandths as a decimal of at least two places. */
function decimal(tenThousandths: number): string {
  const [whole, rest] = [Math.floor(tenThousandths / 10_000), tenThousandths % 10_000];
  return `${whole}.${String(rest)
    .padStart(4, "0")
    .replace(/0{1,2}$/, "")}`;
}

type ExplainEngine = (
  engine: WantedEngine,
  at: number,
  fit: EngineFit,
  pool: Pool,
  free: number,
  holders: () => readonly Holder[],
) => EngineExplanation;

/** Explains engines on pools. */
function createEngineExplainer(explainMember: MemberExplainer): ExplainEngine {
  return (engine, e, fit, pool, free, holders) => {
    const members = engine.members.map((member, m): MemberExplanation => {
      const explained = explainMember(member, { engine: e, member: m }, pool.profile);
      const outcome = member.match(pool.profile);
      // What could claim devices on another pool of the cluster does not run without them here.
      const stranded = typeof outcome !== "string" && !outcome.claims && fit.claimable[m] === true;
      return stranded ? { ...explained, problem: { type: "SyntheticOnly" } } : explained;
    });
    const problem = engineProblem(members, fit, free, holders);
    const { nodes } = fit;
    return { engine: engine.name, nodes, ...(problem === undefined ? {} : { problem }), members };
  };
}

function engineProblem(
  members: readonly MemberExplanation[],
  { nodes, claimable }: EngineFit,
  free: number,
  holders: () => readonly Holder[],
): EngineProblem | undefined {
  const unmet = members.find(({ problem }) => problem !== undefined);
  if (unmet?.problem !== undefined) return unmet.problem;
  if (!claimable.includes(true)) return { type: "SyntheticOnly" };
  return nodes > free ? { type: "NodesShort", needed: nodes, free, holders: holders() } : undefined;
}

/** Sums up who holds the nodes of a pool, what is only just placed included. */
function findHolders(
  snapshot: Snapshot,
  schedule: Schedule,
): (cluster: string, pool: string) => readonly Holder[] {
  // Most explanations name no holder, and the fleet may be large.
  let shares: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined;
  return (cluster, pool) => {
    shares ??= sumShares(snapshot, schedule);
    return [...(shares.get(`${cluster}/${pool}`) ?? [])]
      .map(([holder, nodes]) => ({ holder, nodes }))
      .sort((left, right) => right.nodes - left.nodes || ascending(left.holder, right.holder));
  };
}

/** The nodes of each pool by who holds them. */
function sumShares(
  { own, others }: Snapshot,
  { placed, released }: Schedule,
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const yielded = new Set(
    released.flatMap(({ replica, because }) => (because === "Yielded" ? [replica] : [])),
  );
  const held = new Map<string, Map<string, number>>();
  const add = (holder: string, { cluster, charges }: FleetReplica | PlacedReplica) => {
    for (const { pool, nodes } of charges) {
      const key = `${cluster}/${pool}`;
      const shares = held.get(key) ?? new Map<string, number>();
      held.set(key, shares);
      shares.set(holder, (shares.get(holder) ?? 0) + nodes);
    }
  };
  for (const replica of others) {
    const { namespace, deployment, name } = replica;
    add(`${namespace}/${deployment === "" ? name : deployment}`, replica);
  }
  for (const replica of [...own.filter((one) => !yielded.has(one)), ...placed]) {
    add("this deployment", replica);
  }
  return held;
}
