import { type Assignment, assignEngines } from "./assignment.ts";
import type { Charge, DemandedEngine, DemandedMember, Pool } from "./fleet.ts";
import type { Matcher, MemberMatcher } from "./matcher.ts";
import type { EnginePlacement, MemberPlacement } from "./placement.ts";

/** A member of an engine, with the function that matches it. */
export interface WantedMember extends DemandedMember {
  readonly match: MemberMatcher;
}

/** An engine that the deployment wants, ready to be matched. */
export interface WantedEngine extends DemandedEngine {
  readonly members: readonly WantedMember[];
}

/** The pools of a cluster that suit an engine, whatever is free there. */
export interface EngineFit {
  /** The nodes that the engine takes: one for each pod that claims devices. */
  readonly nodes: number;
  /** The suitable pools, as indexes. */
  readonly pools: readonly number[];
  /** Whether each member could claim devices on some pool of the cluster. */
  readonly claimable: readonly boolean[];
}

/** A replica as placed on a cluster. */
export interface Resolution {
  readonly engines: readonly EnginePlacement[];
  /** One entry per pool, pools in order of first use. */
  readonly charges: readonly Charge[];
}

/** Prepares the engines of a demand for matching. */
export function wantedEngines(
  engines: readonly DemandedEngine[],
  matcher: Matcher,
): readonly WantedEngine[] {
  return engines.map((engine) => ({
    ...engine,
    members: engine.members.map((member) => ({
      ...member,
      match: matcher.member(member.requests),
    })),
  }));
}

/**
 * Finds the pools of a cluster that suit an engine. All members go on one pool, which must meet the
 * requests of each. Something must be claimed there, and a member that could claim devices on some
 * pool of the cluster must not end without.
 */
export function fitEngine(engine: WantedEngine, pools: readonly Pool[]): EngineFit {
  const claimable = engine.members.map(({ match }) => {
    return pools.some(({ profile }) => claims(match, profile));
  });
  const suitable: number[] = [];
  let nodes = 0;
  for (const [at, { pods }] of engine.members.entries()) {
    if (claimable[at] === true) nodes += pods * engine.copies;
  }
  for (const [at, { profile }] of pools.entries()) {
    const isSuitable = engine.members.every(({ match }, member) => {
      const outcome = match(profile);
      return typeof outcome !== "string" && outcome.claims === claimable[member];
    });
    if (isSuitable && nodes > 0) suitable.push(at);
  }
  return { nodes, pools: suitable, claimable };
}

/** Finds the best pools of a cluster for all engines of a replica, with the nodes that are free. */
export function fitCluster(
  engines: readonly WantedEngine[],
  pools: readonly Pool[],
  free: readonly number[],
): Assignment | undefined {
  const fits: EngineFit[] = [];
  for (const engine of engines) {
    const fit = fitEngine(engine, pools);
    if (!fit.pools.some((pool) => (free[pool] ?? 0) >= fit.nodes)) return undefined;
    fits.push(fit);
  }
  const ranks = rankPools(pools, free);
  const candidates = pools.map(({ costPerNodeHour }, at) => ({
    free: free[at] ?? 0,
    cost: costPerNodeHour,
    rank: ranks[at] ?? 0,
  }));
  return assignEngines(fits, candidates);
}

/** The place of each pool in the order of preference among equally dear ones. */
function rankPools(pools: readonly Pool[], free: readonly number[]): readonly number[] {
  const order = [...pools.keys()].sort((left, right) => {
    const memory = (at: number) => pools[at]?.profile.memory ?? 0;
    return memory(left) - memory(right) || (free[left] ?? 0) - (free[right] ?? 0) || left - right;
  });
  const ranks: number[] = [];
  for (const [rank, pool] of order.entries()) ranks[pool] = rank;
  return ranks;
}

/**
 * Writes down what the members of a replica claim on the pools they are given. Every pool must meet
 * its member; one that does not is a bug of the caller.
 */
export function resolveOn(
  engines: readonly WantedEngine[],
  poolOf: (engine: number, member: number) => Pool | undefined,
): Resolution {
  const charges = new Map<string, number>();
  const placed = engines.map((engine, e): EnginePlacement => {
    const members = engine.members.map((member, m): MemberPlacement => {
      const pool = poolOf(e, m);
      const match = pool === undefined ? "none" : member.match(pool.profile);
      if (pool === undefined || typeof match === "string") {
        throw new Error(`engine ${engine.name} was put where it does not fit`);
      }
      if (match.claims) {
        const nodes = member.pods * engine.copies;
        charges.set(pool.name, (charges.get(pool.name) ?? 0) + nodes);
      }
      return { pool: pool.name, deviceClasses: match.deviceClasses };
    });
    return { name: engine.name, members };
  });
  return { engines: placed, charges: [...charges].map(([pool, nodes]) => ({ pool, nodes })) };
}

function claims(match: MemberMatcher, profile: Pool["profile"]): boolean {
  const outcome = match(profile);
  return typeof outcome !== "string" && outcome.claims;
}
