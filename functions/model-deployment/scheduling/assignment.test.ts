import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  assignEngines,
  compareValues,
  type EngineToPlace,
  type PoolToFill,
  type Value,
} from "./assignment.ts";

const pool = (free: number, cost?: number) => ({ free, cost });
const ranked = (
  pools: readonly { free: number; cost: number | undefined }[],
): readonly PoolToFill[] => pools.map((one, rank) => ({ ...one, rank }));
const engine = (nodes: number, ...pools: readonly number[]) => ({ nodes, pools });

describe("assignEngines", () => {
  it.each([
    ["none to place", [], [pool(1)], []],
    ["no pool suits", [engine(1)], [pool(1)], undefined],
    ["no nodes", [engine(2, 0)], [pool(1)], undefined],
    ["the preferred pool", [engine(1, 0, 1)], [pool(1), pool(1)], [0]],
    ["the cheaper pool", [engine(1, 0, 1)], [pool(1, 5), pool(1, 4)], [1]],
    ["a price before none, however high", [engine(1, 0, 1)], [pool(1), pool(1, 9_000_000)], [1]],
    ["both on one", [engine(1, 0, 1), engine(1, 0, 1)], [pool(2), pool(2)], [0, 0]],
    ["one gives way to the other", [engine(1, 0, 1), engine(1, 0)], [pool(1), pool(1)], [1, 0]],
    [
      "the first in spec order gets the preferred one",
      [engine(1, 0, 1), engine(1, 0, 1)],
      [pool(1), pool(1)],
      [0, 1],
    ],
    [
      "the whole is cheapest, not each",
      [engine(1, 0, 1), engine(3, 0, 1)],
      [pool(3, 1), pool(9, 2)],
      [1, 0],
    ],
    ["not enough for all", [engine(1, 0), engine(1, 0)], [pool(1), pool(9)], undefined],
  ] as const)("%s", (_, engines, pools, expected) => {
    expect(assignEngines(engines, ranked(pools))?.pools).toEqual(expected);
  });

  it("finds the best of all ways", () => {
    const pools = fc.array(
      fc.record({
        free: fc.integer({ min: -1, max: 6 }),
        cost: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 4 },
    );
    const engines = fc.array(
      fc.record({
        nodes: fc.integer({ min: 1, max: 4 }),
        pools: fc.subarray([0, 1, 2, 3]),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(engines, pools, (wanted, held) => {
        const fill = ranked(held);
        const suited = wanted.map(({ nodes, pools }) => {
          return engine(nodes, ...pools.filter((at) => at < fill.length));
        });
        expect(assignEngines(suited, fill)).toEqual(bestByTrying(suited, fill));
      }),
      { seed: 5, numRuns: 1_000 },
    );
  });

  it("takes eight engines on eight pools that all compete", () => {
    const pools = ranked(Array.from({ length: 8 }, () => pool(1)));
    const engines = Array.from({ length: 8 }, () => engine(1, 0, 1, 2, 3, 4, 5, 6, 7));
    expect(assignEngines(engines, pools)?.pools).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

function bestByTrying(engines: readonly EngineToPlace[], pools: readonly PoolToFill[]) {
  let best: { pools: readonly number[]; value: Value } | undefined;
  const attempt = (chosen: readonly number[]) => {
    const next = engines[chosen.length];
    if (next !== undefined) {
      for (const at of next.pools) attempt([...chosen, at]);
      return;
    }
    const used = pools.map((_, at) =>
      engines.reduce((sum, { nodes }, e) => sum + (chosen[e] === at ? nodes : 0), 0),
    );
    if (pools.some(({ free }, at) => (used[at] ?? 0) > 0 && (used[at] ?? 0) > free)) return;
    const value = chosen.reduce<Value>(
      (sum, at, e) => {
        const { cost, rank } = pools[at] as PoolToFill;
        const { nodes } = engines[e] as EngineToPlace;
        return {
          unpriced: sum.unpriced + (cost === undefined ? nodes : 0),
          cost: sum.cost + (cost ?? 0) * nodes,
          ranks: sum.ranks * pools.length + rank,
        };
      },
      { unpriced: 0, cost: 0, ranks: 0 },
    );
    if (best === undefined || compareValues(value, best.value) < 0) best = { pools: chosen, value };
  };
  attempt([]);
  return best;
}
