import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  Cluster,
  DemandedEngine,
  FleetReplica,
  OwnReplica,
  Snapshot,
} from "../../functions/model-deployment/scheduling/fleet.ts";
import { createScheduler } from "../../functions/model-deployment/scheduling/schedule.ts";
import {
  atLeast,
  cluster,
  decide,
  demand,
  engine,
  gang,
  gpus,
  other,
  own,
  pool,
  priced,
  request,
  scene,
  taint,
  toleration,
} from "../support/fleet.ts";

const RUNS = { seed: 20_261_201, numRuns: 400 };

const devices = fc.constantFrom(
  gpus(8, 141),
  gpus(8, 200),
  gpus(1, 141),
  gpus(8, 24),
  gpus(0, 141),
);
const pools = fc
  .array(
    fc.record({
      name: fc.constantFrom("gpu", "alt"),
      nodes: fc.integer({ min: 0, max: 4 }),
      held: devices,
      price: fc.option(fc.integer({ min: 0, max: 3 })),
    }),
    { maxLength: 2 },
  )
  .map((list) =>
    [...new Map(list.map((one) => [one.name, one])).values()].map(
      ({ name, nodes, held, price }) => {
        const made = pool(name, nodes, held);
        return price === null ? made : priced(made, price);
      },
    ),
  );
const aCluster = (name: string): fc.Arbitrary<Cluster> =>
  fc
    .record({
      pools: fc.oneof(
        { weight: 9, arbitrary: pools },
        { weight: 1, arbitrary: fc.constant(undefined) },
      ),
      ready: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
      cacheStorage: fc.boolean(),
      taints: fc.oneof(
        { weight: 6, arbitrary: fc.constant([]) },
        fc.constantFrom([taint("maint:NoSchedule")], [taint("retire:NoExecute")]),
      ),
    })
    .map((change) => ({ ...cluster(name, 0), ...change }));
const fleet = fc
  .tuple(...["a", "b", "c", "d"].map(aCluster))
  .chain((all) => fc.shuffledSubarray(all, { minLength: 1 }));

const engines: fc.Arbitrary<readonly DemandedEngine[]> = fc.constantFrom(
  [engine()],
  [engine("main", [request("gpu", 1)])],
  [engine("main", [request("gpu", 1, atLeast(200))])],
  [engine("main", [request("gpu", 4)], 2)],
  [engine(), engine("other")],
  [gang(2)],
);
const wanted = fc
  .record({
    replicas: fc.integer({ min: 0, max: 6 }),
    engines,
    tolerations: fc.constantFrom([], [toleration({ key: "maint" })], [toleration()]),
    cache: fc.boolean(),
    paused: fc.boolean(),
  })
  .map(({ replicas, ...change }) => demand(replicas, change));
const state = {
  pool: fc.constantFrom("gpu", "gpu", "gpu", "alt", "gone"),
  nodes: fc.integer({ min: 0, max: 2 }),
  created: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
  served: fc.boolean(),
  ready: fc.boolean(),
  deleting: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
};
const places = ["a/0", "a/1", "a/3", "b/0", "b/1", "c/0", "d/0", "d/1"];
const owned = fc
  .tuple(
    fc.subarray(places),
    fc.array(fc.record(state), { minLength: places.length, maxLength: places.length }),
  )
  .map(([chosen, states]) =>
    chosen.map((place, at): OwnReplica => {
      const { pool: name, nodes, ...change } = states[at] as NonNullable<(typeof states)[0]>;
      return own(place, { on: [name, nodes], ...change, serving: change.ready });
    }),
  );
const others = fc
  .array(fc.record({ ...state, cluster: fc.constantFrom("a", "b", "c", "d") }), { maxLength: 6 })
  .map((list) =>
    list.map(({ cluster: on, nodes, pool: name, ready: _, ...change }, at): FleetReplica => {
      const named = { name: `batch-${at}`, charges: [{ pool: name, nodes }] };
      return other("ops/batch", on, nodes, { ...change, ...named });
    }),
  );
const scenes: fc.Arbitrary<Snapshot> = fc
  .tuple(wanted, fleet, owned, others)
  .map((parts) => scene(...parts));

describe("a pass, whatever the fleet", () => {
  it("places only on nodes that are there, each for one replica", () => {
    let placements = 0;
    check(scenes, (snapshot) => {
      const { placed, released } = createScheduler().schedule(snapshot);
      placements += placed.length;
      const gone = new Set(
        released.flatMap(({ replica, because }) => (because === "Yielded" ? [replica] : [])),
      );
      const standing = snapshot.own.filter((replica) => !gone.has(replica));
      for (const { cluster: name, charges } of placed) {
        for (const charge of charges) {
          const taken = [...snapshot.others, ...standing, ...placed].flatMap((one) =>
            one.cluster === name ? one.charges.filter((held) => held.pool === charge.pool) : [],
          );
          const there = snapshot.clusters
            .find((one) => one.name === name)
            ?.pools?.find((one) => one.name === charge.pool);
          expect(taken.reduce((sum, { nodes }) => sum + nodes, 0)).toBeLessThanOrEqual(
            there?.nodes ?? 0,
          );
        }
      }
    });
    expect(placements).toBeGreaterThan(RUNS.numRuns / 4);
  });

  it("says of every replica once what becomes of it, and uses no identity twice", () => {
    check(scenes, (snapshot) => {
      const { kept, released, placed, missing } = createScheduler().schedule(snapshot);
      const told = [...kept, ...released].map(({ replica }) => replica.name).sort();
      const present = snapshot.own.filter(({ deleting }) => !deleting).map(({ name }) => name);
      expect(told).toEqual(present.sort());
      const identities = [...snapshot.own, ...placed].map((one) => `${one.cluster}/${one.index}`);
      expect(new Set(identities).size).toBe(identities.length);
      const wants = snapshot.demand.replicas;
      expect(missing).toBe(Math.max(0, wants - kept.length - placed.length));
      expect(kept.length + placed.length - missing).toBeLessThanOrEqual(
        wants + kept.filter((one) => one.as === "moving").length,
      );
    });
  });

  it("never moves what still fits", () => {
    check(scenes, (snapshot) => {
      const pinned = engine("main", [request("gpu", 1)]);
      const simple = { ...snapshot.demand, engines: [pinned], cache: false };
      const { kept, released } = createScheduler().schedule({ ...snapshot, demand: simple });
      const stays = new Set(kept.flatMap((one) => (one.as === "retained" ? [one.replica] : [])));
      const gone = new Map(released.map(({ replica, because }) => [replica, because]));
      for (const replica of snapshot.own) {
        const home = snapshot.clusters.find(({ name }) => name === replica.cluster);
        const [{ pool: at, nodes } = { pool: "", nodes: 0 }] = replica.charges;
        const held = home?.pools?.find(({ name }) => name === at);
        const isDrained = home?.taints.some(({ effect }) => effect === "NoExecute") ?? true;
        const suits = held?.profile.devices.some(({ count }) => count > 0) ?? false;
        if (replica.deleting || isDrained || !suits || nodes === 0) continue;
        expect(
          stays.has(replica) || ["ScaledDown", "Yielded"].includes(gone.get(replica) ?? ""),
        ).toBe(true);
      }
    });
  });

  it("does not care in which order clusters and replicas come", () => {
    const shuffled = scenes.chain((snapshot) =>
      fc.record({
        snapshot: fc.constant(snapshot),
        clusters: shuffle(snapshot.clusters),
        own: shuffle(snapshot.own),
        others: shuffle(snapshot.others),
      }),
    );
    check(shuffled, ({ snapshot, ...order }) => {
      expect(decide({ ...snapshot, ...order })).toEqual(decide(snapshot));
      const scheduler = createScheduler();
      const explain = (one: Snapshot) => scheduler.explain(one, scheduler.schedule(one));
      expect(explain({ ...snapshot, ...order })).toEqual(explain(snapshot));
    });
  });

  it("remembers nothing that changes an answer", () => {
    const scheduler = createScheduler();
    check(scenes, (snapshot) => {
      const { ledger: _, ...first } = scheduler.schedule(snapshot);
      const { ledger: __, ...second } = scheduler.schedule(snapshot);
      const { ledger: ___, ...fresh } = createScheduler().schedule(snapshot);
      expect(second).toEqual(first);
      expect(fresh).toEqual(first);
    });
  });

  it("places no fewer replicas when a cluster is added", () => {
    check(fc.tuple(scenes, aCluster("e")), ([snapshot, added]) => {
      const { clusters } = snapshot;
      const before = createScheduler().schedule(snapshot);
      const after = createScheduler().schedule({ ...snapshot, clusters: [...clusters, added] });
      expect(after.missing).toBeLessThanOrEqual(before.missing);
    });
  });

  it("lets go only what is not wanted, replaced, drained, or younger than others on its nodes", () => {
    check(scenes, (snapshot) => {
      const { kept, released, placed } = createScheduler().schedule(snapshot);
      for (const { replica, because } of released) {
        if (because === "Yielded") expect(replica.served).toBe(false);
        if (because === "ScaledDown") expect(placed).toEqual([]);
        if (because === "Moved") {
          expect(kept.length + placed.length).toBeGreaterThanOrEqual(snapshot.demand.replicas);
        }
      }
      const rooms = released.filter(({ because }) => because === "MadeRoom");
      expect(rooms.length).toBeLessThanOrEqual(1);
      if (rooms.length === 1) expect(kept.every(({ replica }) => replica.ready)).toBe(true);
    });
  });

  it("explains what it can't place, and nothing else", () => {
    const scheduler = createScheduler();
    check(scenes, (snapshot) => {
      const schedule = scheduler.schedule(snapshot);
      const { clusters } = scheduler.explain(snapshot, schedule);
      if (
        schedule.missing > 0 &&
        !schedule.released.some(({ because }) => because === "MadeRoom")
      ) {
        expect(clusters.filter(({ problem }) => problem === undefined)).toEqual([]);
      }
      for (const { problem, pools } of clusters) {
        if (problem !== undefined || snapshot.demand.engines.length > 1) continue;
        expect(pools.some(({ engines: [only] }) => only?.problem === undefined)).toBe(true);
      }
    });
  });
});

function check<Value>(arbitrary: fc.Arbitrary<Value>, property: (value: Value) => void): void {
  fc.assert(fc.property(arbitrary, property), RUNS);
}

function shuffle<Item>(items: readonly Item[]): fc.Arbitrary<readonly Item[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length });
}
