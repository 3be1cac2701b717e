import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  Cluster,
  Demand,
  OwnReplica,
} from "../../functions/model-deployment/scheduling/fleet.ts";
import {
  atLeast,
  cluster,
  demand,
  engine,
  gang,
  gpus,
  pool,
  request,
  taint,
} from "../support/fleet.ts";
import { type Actor, type Pass, World } from "../support/world.ts";

// Several deployments schedule at the same time, from what they read up to two passes ago; whatever
// happens to the fleet, all of it comes to rest.

const RUNS = { seed: 20_261_201, numRuns: 150 };
const MOST_PASSES = 80;

const nodes = fc.integer({ min: 0, max: 4 });
const clusters = fc
  .tuple(nodes, nodes, nodes, nodes)
  .map(([a, b, c, large]) => [
    cluster("a", a),
    cluster("b", [pool("gpu", b), pool("alt", large, gpus(8, 200))]),
    cluster("c", c),
  ]);
const actors = (replicas: fc.Arbitrary<number>) =>
  fc
    .array(fc.record({ replicas, staleness: fc.integer({ min: 0, max: 2 }) }), {
      minLength: 2,
      maxLength: 3,
    })
    .map((list) =>
      list.map(({ replicas: count, staleness }, at): Actor => {
        return { name: `d${at}`, demand: demand(count), replicas: [], staleness };
      }),
    );

/** What may happen to a fleet that is at rest. */
const events: Readonly<Record<string, (world: World) => void>> = {
  "a cluster is gone": (world) => {
    world.replaceClusters(world.clusters.filter(({ name }) => name !== "a"));
  },
  "a pool is renamed": (world) => {
    const renamed = (name: string) => (name === "gpu" ? "new" : name);
    const pools = world.clusters.find(({ name }) => name === "b")?.pools ?? [];
    change(world, "b", { pools: pools.map((one) => ({ ...one, name: renamed(one.name) })) });
  },
  "a cluster is not Ready": (world) => change(world, "a", { ready: false }),
  "another device is wanted": (world) => {
    want(world, { engines: [engine("main", [request("gpu", 1, atLeast(200))])] });
  },
  "the shape changes": (world) => want(world, { engines: [gang(2)] }),
  "fewer are wanted": (world) => want(world, { replicas: 1 }),
  "a pool shrinks": (world) => change(world, "c", { pools: [pool("gpu", 1)] }),
};

function change(world: World, name: string, to: Partial<Cluster>): void {
  world.replaceClusters(world.clusters.map((one) => (one.name === name ? { ...one, ...to } : one)));
}

function want(world: World, to: Partial<Demand>): void {
  for (const actor of world.actors) actor.demand = { ...actor.demand, ...to };
}

describe("a fleet of several deployments", () => {
  it("comes to rest with all its nodes, and fills them, from nothing", () => {
    let yields = 0;
    check(fc.tuple(clusters, actors(fc.integer({ min: 1, max: 4 }))), ([fleet, deployments]) => {
      const world = new World(fleet, copy(deployments));
      for (const { released } of untilRest(world)) {
        for (const { replica, because } of released) {
          expect(because).toBe("Yielded");
          expect(replica.serving || replica.served).toBe(false);
          yields++;
        }
      }
      expect(world.overCommitment()).toBe(0);
      const standing = world.actors.flatMap(({ replicas }) => replicas);
      expect(standing.every(({ ready }) => ready)).toBe(true);
      const all = world.clusters.flatMap(({ pools = [] }) => pools.map((one) => one.nodes));
      const wanted = world.actors.reduce((sum, one) => sum + one.demand.replicas, 0);
      expect(standing.length).toBe(
        Math.min(
          wanted,
          all.reduce((sum, one) => sum + one, 0),
        ),
      );
    });
    // The simulation is worth something only if deployments do get in each other's way.
    expect(yields).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it.each(Object.keys(events))("comes to rest, and serves on meanwhile, when %s", (name) => {
    let moves = 0;
    check(fc.tuple(clusters, actors(fc.integer({ min: 1, max: 3 }))), ([fleet, deployments]) => {
      const world = new World(fleet, copy(deployments));
      untilRest(world);
      events[name]?.(world);
      const stood = new Map(world.actors.map((actor) => [actor.name, serving(actor)]));
      const swapped = new Set<string>();
      untilRest(world, ({ released }) => {
        moves += released.length;
        for (const { replica, because } of released) {
          if (because === "MadeRoom") swapped.add(replica.deployment);
          if (because === "Yielded") expect(replica.served).toBe(false);
        }
        for (const actor of world.actors) {
          const least = Math.min(stood.get(actor.name) ?? 0, actor.demand.replicas);
          const swap = swapped.has(actor.name) ? 1 : 0;
          expect(serving(actor)).toBeGreaterThanOrEqual(least - swap);
        }
      });
      if (name !== "a pool shrinks") expect(world.overCommitment()).toBe(0);
    });
    const isStill = ["a cluster is not Ready", "a pool shrinks"].includes(name);
    expect(moves > RUNS.numRuns / 10).toBe(!isStill);
  });

  it("drains a cluster though nothing else fits, and loses nothing else", () => {
    check(fc.tuple(clusters, actors(fc.integer({ min: 1, max: 3 }))), ([fleet, deployments]) => {
      const world = new World(fleet, copy(deployments));
      untilRest(world);
      change(world, "a", { taints: [taint("retire:NoExecute")] });
      const isElsewhere = ({ serving: runs, cluster: on }: OwnReplica) => runs && on !== "a";
      const elsewhere = (actor: Actor) => actor.replicas.filter(isElsewhere).length;
      const stood = new Map(world.actors.map((actor) => [actor.name, elsewhere(actor)]));
      untilRest(world, () => {
        for (const actor of world.actors) {
          expect(elsewhere(actor)).toBeGreaterThanOrEqual(stood.get(actor.name) ?? 0);
        }
      });
      const left = world.actors.flatMap(({ replicas }) => replicas);
      expect(left.filter(({ cluster: on }) => on === "a")).toEqual([]);
      expect(world.overCommitment()).toBe(0);
    });
  });
});

function check<Value>(arbitrary: fc.Arbitrary<Value>, property: (value: Value) => void): void {
  fc.assert(fc.property(arbitrary, property), RUNS);
}

/** Passes until nothing has changed for as long as anything could still be read late. */
function untilRest(world: World, look: (pass: Pass) => void = () => {}): readonly Pass[] {
  const passes: Pass[] = [];
  for (let quiet = 0; quiet < 5; ) {
    if (passes.length > MOST_PASSES) throw new Error("it does not come to rest");
    const pass = world.step();
    passes.push(pass);
    look(pass);
    const isQuiet = pass.placed === 0 && pass.released.length === 0 && !world.isDeleting();
    quiet = isQuiet ? quiet + 1 : 0;
  }
  return passes;
}

const serving = ({ replicas }: Actor) => replicas.filter((one) => one.serving).length;

/** Property tests run a scene again to make it smaller, so a world gets its own. */
const copy = (deployments: readonly Actor[]) => deployments.map((actor) => ({ ...actor }));
