/** An engine to be put on one pool. */
export interface EngineToPlace {
  /** The nodes that it takes there. */
  readonly nodes: number;
  /** The pools whose devices suit it, as indexes in ascending order. */
  readonly pools: readonly number[];
}

/** A pool as a place for engines. */
export interface PoolToFill {
  readonly free: number;
  /** The price of a node, `undefined` if unknown. */
  readonly cost: number | undefined;
  /** Its place in the order of preference, a different one for each pool. */
  readonly rank: number;
}

/** Where engines go and what that costs. */
export interface Assignment {
  /** The pool of each engine, as an index. */
  readonly pools: readonly number[];
  readonly value: Value;
}

/** What an assignment is judged by, in this order; less is better. */
export interface Value {
  /** Nodes whose price is unknown. */
  readonly unpriced: number;
  /** The price of all other nodes. */
  readonly cost: number;
  /** The ranks of the engines' pools, as the digits of one number. */
  readonly ranks: number;
}

/** Orders values of assignments, the better one first. */
export function compareValues(left: Value, right: Value): number {
  return left.unpriced - right.unpriced || left.cost - right.cost || left.ranks - right.ranks;
}

/**
 * Puts every engine on a pool that suits it and has the nodes, or none at all; of all ways the best.
 * Where the best pools of the engines have room for all of them that is it. Else it goes through the
 * pools and keeps for every set of engines the best way to have placed it so far.
 */
export function assignEngines(
  engines: readonly EngineToPlace[],
  pools: readonly PoolToFill[],
): Assignment | undefined {
  const best: number[] = [];
  const left = pools.map(({ free }) => free);
  let value: Value = { unpriced: 0, cost: 0, ranks: 0 };
  let contested = false;
  for (const [at, engine] of engines.entries()) {
    const weight = pools.length ** (engines.length - 1 - at);
    let chosen: { pool: number; value: Value } | undefined;
    for (const pool of engine.pools) {
      const candidate = pools[pool];
      if (candidate === undefined || candidate.free < engine.nodes) continue;
      const own = valueOn(candidate, engine.nodes, weight);
      if (chosen === undefined || compareValues(own, chosen.value) < 0) {
        chosen = { pool, value: own };
      }
    }
    if (chosen === undefined) return undefined;
    best.push(chosen.pool);
    value = sum(value, chosen.value);
    const remaining = (left[chosen.pool] ?? 0) - engine.nodes;
    left[chosen.pool] = remaining;
    contested ||= remaining < 0;
  }
  return contested ? assignContested(engines, pools) : { pools: best, value };
}

function assignContested(
  engines: readonly EngineToPlace[],
  pools: readonly PoolToFill[],
): Assignment | undefined {
  // Sets of engines are bit masks; what stands at a mask is the best way to place exactly that set.
  const all = 2 ** engines.length - 1;
  let placed: (Placed | undefined)[] = Array.from({ length: all + 1 });
  placed[0] = { value: { unpriced: 0, cost: 0, ranks: 0 }, before: undefined, pool: -1, added: 0 };
  for (const [pool, candidate] of pools.entries()) {
    const before = placed;
    placed = [...before];
    for (const [added, value] of setsThatFit(engines, pools.length, pool, candidate)) {
      const rest = all & ~added;
      // All subsets of the rest, the empty one last.
      for (let set = rest; ; set = (set - 1) & rest) {
        const from = before[set];
        if (from !== undefined) {
          const total = sum(from.value, value);
          const known = placed[set | added];
          if (known === undefined || compareValues(total, known.value) < 0) {
            placed[set | added] = { value: total, before: from, pool, added };
          }
        }
        if (set === 0) break;
      }
    }
  }
  const found = placed[all];
  if (found === undefined) return undefined;
  const chosen = engines.map(() => -1);
  for (let step: Placed | undefined = found; step !== undefined; step = step.before) {
    for (const at of engines.keys()) if ((step.added >> at) & 1) chosen[at] = step.pool;
  }
  return { pools: chosen, value: found.value };
}

/** The last step of placing a set of engines: which of them went on which pool. */
interface Placed {
  readonly value: Value;
  readonly before: Placed | undefined;
  readonly pool: number;
  readonly added: number;
}

/** The sets of one or more engines that a pool suits and has the nodes for together. */
function setsThatFit(
  engines: readonly EngineToPlace[],
  poolCount: number,
  pool: number,
  candidate: PoolToFill,
): readonly (readonly [set: number, value: Value])[] {
  let sets: { set: number; nodes: number; value: Value }[] = [
    { set: 0, nodes: 0, value: { unpriced: 0, cost: 0, ranks: 0 } },
  ];
  for (const [at, engine] of engines.entries()) {
    if (!engine.pools.includes(pool)) continue;
    const own = valueOn(candidate, engine.nodes, poolCount ** (engines.length - 1 - at));
    const larger = sets.flatMap(({ set, nodes, value }) =>
      nodes + engine.nodes <= candidate.free
        ? [{ set: set | (1 << at), nodes: nodes + engine.nodes, value: sum(value, own) }]
        : [],
    );
    sets = [...sets, ...larger];
  }
  return sets.slice(1).map(({ set, value }) => [set, value]);
}

function valueOn({ cost, rank }: PoolToFill, nodes: number, weight: number): Value {
  return {
    unpriced: cost === undefined ? nodes : 0,
    cost: cost === undefined ? 0 : cost * nodes,
    ranks: rank * weight,
  };
}

function sum(left: Value, right: Value): Value {
  return {
    unpriced: left.unpriced + right.unpriced,
    cost: left.cost + right.cost,
    ranks: left.ranks + right.ranks,
  };
}
