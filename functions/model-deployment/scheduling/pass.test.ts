import { describe, expect, it } from "vitest";
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
  ownGang,
  pool,
  request,
  scene,
  taint,
} from "../../../test/support/fleet.ts";
import type { Snapshot } from "./fleet.ts";
import { createScheduler } from "./schedule.ts";

const cases = (
  table: readonly (readonly [name: string, snapshot: Snapshot, expected: readonly string[]])[],
) => it.each(table)("%s", (_, snapshot, expected) => expect(decide(snapshot)).toEqual(expected));

const later = { created: "2026-01-02T00:00:00Z" };
const latest = { created: "2026-01-03T00:00:00Z" };
const unready = { ready: false };
const silent = { ready: false, serving: false };
const drained = (name: string, nodes = 4) =>
  cluster(name, nodes, { taints: [taint("retire:NoExecute")] });
const gone = "moves ClusterNotFound";

describe("a name that ends in the same five digits", () => {
  // The name of the first replica on c1184 and of that on c2125.
  const name = "chat-4ed7a";
  cases([
    [
      "is not taken from a replica of ours",
      scene(2, [cluster("c2125", 1)], [own("c1184/0", { name, deleting: true })]),
      ["+c2125/1 gpu"],
    ],
    [
      "is not given twice in a pass",
      scene(2, [cluster("c1184", 1), cluster("c2125", 1)]),
      ["+c1184/0 gpu", "+c2125/1 gpu"],
    ],
    [
      "is not taken from a replica that somebody else made in the namespace",
      scene(1, [cluster("c2125")], [], [other("ml-team/x", "c9", 1, { name })]),
      ["+c2125/1 gpu"],
    ],
    [
      "means nothing in another namespace",
      scene(1, [cluster("c2125")], [], [other("ops/x", "c9", 1, { name })]),
      ["+c2125/0 gpu"],
    ],
    [
      "of a replica of ours that is not observed yet is given to it again",
      scene(1, [cluster("c2125")], [], [other("ml-team/chat", "c2125", 1, { name })]),
      ["+c2125/0 gpu"],
    ],
  ]);
});

describe("a move, pass by pass", () => {
  const b = cluster("b");
  cases([
    [
      "a missing replica comes before a replacement",
      scene(3, [b], [own("a/0")]),
      [`a/0 ${gone}: Replacing`, "+b/0 gpu", "+b/1 gpu", "+b/2 gpu"],
    ],
    [
      "no second replacement is started before the first is ready",
      scene(2, [b], [own("a/0"), own("a/1"), own("b/0", { ...later, ...unready })]),
      [`a/0 ${gone}: Waiting`, `a/1 ${gone}: Replacing`, "b/0"],
    ],
    [
      "one that is ready lets one go, and nothing new is started in that pass",
      scene(2, [b], [own("a/0"), own("a/1"), own("b/0", later)]),
      [`a/0 ${gone}: Waiting`, "b/0", "-a/1 Moved"],
    ],
    [
      "the newest are the replacements, whether older ones are ready or not",
      scene(2, [b], [own("a/0"), own("b/0", unready), own("b/1", later)]),
      ["b/0", "b/1", "-a/0 Moved"],
    ],
    [
      "what does not serve goes first",
      scene(2, [b], [own("a/0", silent), own("a/1"), own("b/0", later)]),
      [`a/1 ${gone}: Waiting`, "b/0", "-a/0 Moved"],
    ],
    [
      "then the highest index, as a number",
      scene(2, [b], [own("a/9"), own("a/10"), own("b/0", later)]),
      [`a/9 ${gone}: Waiting`, "b/0", "-a/10 Moved"],
    ],
    [
      "scaled down meanwhile: what stands stays, what moves goes",
      scene(1, [b], [own("a/0"), own("a/1"), own("b/0", later)]),
      ["b/0", "-a/0 Moved", "-a/1 ScaledDown"],
    ],
    [
      "scaled down meanwhile, and the replacement is not ready",
      scene(1, [b], [own("a/0"), own("a/1"), own("b/0", { ...later, ...unready })]),
      [`a/0 ${gone}: Replacing`, "b/0", "-a/1 ScaledDown"],
    ],
    [
      "fewer wanted than move, with no replacement yet: first the others go",
      scene(1, [b], [own("a/0"), own("a/1"), own("a/2")]),
      [`a/0 ${gone}: Waiting`, "-a/1 ScaledDown", "-a/2 ScaledDown"],
    ],
    ["scaled to 0: all go", scene(0, [b], [own("a/0")]), ["-a/0 ScaledDown"]],
    [
      "deleted by hand: it is absent, and its index is not used before it is gone",
      scene(1, [cluster("a")], [own("a/0", { deleting: true })]),
      ["+a/1 gpu"],
    ],
    [
      "two shortages: what is missing fits nowhere, so nor does a replacement",
      scene(3, [cluster("b", 1)], [own("a/0")], [other("ops/batch", "b")]),
      [`a/0 ${gone}: NothingFits`],
    ],
  ]);
});

describe("a full fleet", () => {
  const full = [cluster("a", 4)];
  const shape = demand(2, { engines: [gang(2)] });
  const pair = [ownGang("a/0", 2), own("a/1", { on: ["gpu", 2] })];
  cases([
    [
      "one makes room where only its own place would do",
      scene(shape, full, pair),
      ["a/0", "-a/1 MadeRoom"],
    ],
    [
      "not while another is not ready",
      scene(shape, full, [ownGang("a/0", 2, unready), own("a/1", { on: ["gpu", 2] })]),
      ["a/0", "a/1 moves ShapeChanged: NothingFits"],
    ],
    [
      "not while one is missing",
      scene({ ...shape, replicas: 3 }, full, pair),
      ["a/0", "a/1 moves ShapeChanged: NothingFits"],
    ],
    [
      "not where its own place is too small",
      scene(shape, full, [ownGang("a/0", 2), own("a/1")], [other("ops/batch", "a")]),
      ["a/0", "a/1 moves ShapeChanged: NothingFits"],
    ],
    [
      "not for a cluster that is gone",
      scene(2, [cluster("a", 1)], [own("a/0"), own("x/0")]),
      ["a/0", `x/0 ${gone}: NothingFits`],
    ],
    [
      "not for a cluster that takes no new replicas",
      scene(shape, [cluster("a", 4, { ready: false })], pair),
      ["a/0", "a/1 moves ShapeChanged: NothingFits"],
    ],
    [
      "of two only one, the one that does not serve",
      scene(shape, full, [
        own("a/0", { on: ["gpu", 2], serving: false }),
        own("a/1", { on: ["gpu", 2] }),
      ]),
      ["a/1 moves ShapeChanged: NothingFits", "-a/0 MadeRoom"],
    ],
    [
      "growth that has room is no reason to move",
      scene(demand(1, { engines: [gang(3)] }), [cluster("a", 3)], [ownGang("a/0", 2)], []),
      ["a/0"],
    ],
    [
      "growth beyond the pool is held",
      scene(demand(1, { engines: [gang(4)] }), [cluster("a", 3)], [ownGang("a/0", 2)]),
      ["a/0 moves GrowthDoesNotFit gpu 2 1: NothingFits"],
    ],
    [
      "what an operator drains goes without a replacement, all of it",
      scene(3, [drained("a"), cluster("b", 1)], [own("a/0"), own("a/1"), own("b/0")]),
      ["b/0", "-a/0 Drained", "-a/1 Drained"],
    ],
    [
      "what else must move is held beside it",
      scene(3, [drained("a"), cluster("b", 1)], [own("a/0"), own("b/0"), own("x/0")]),
      ["b/0", `x/0 ${gone}: NothingFits`, "-a/0 Drained"],
    ],
  ]);

  it("leaves the ledger as it stands when one makes room: its nodes are free once it is gone", () => {
    const { ledger } = createScheduler().schedule(scene(shape, full, pair));
    expect(ledger.free("a")).toEqual([0]);
  });
});

describe("while the roll-out is paused", () => {
  const paused = { paused: true };
  cases([
    [
      "another shape moves nothing",
      scene(demand(1, { ...paused, engines: [gang(2)] }), [cluster("a")], [own("a/0")]),
      ["a/0 frozen Paused"],
    ],
    [
      "nor another selector",
      scene(
        demand(1, { ...paused, engines: [engine("main", [request("gpu", 1, atLeast(999))])] }),
        [cluster("a")],
        [own("a/0")],
      ),
      ["a/0 frozen Paused"],
    ],
    [
      "nor growth",
      scene(
        demand(1, { ...paused, engines: [engine("main", [], 9)] }),
        [cluster("a")],
        [own("a/0")],
      ),
      ["a/0 frozen Paused"],
    ],
    [
      "a pool that is gone does, whatever the shape",
      scene(
        demand(1, { ...paused, engines: [gang(2)] }),
        [cluster("a")],
        [own("a/0", { on: ["old", 1] })],
      ),
      ["a/0 moves PoolNotFound old: Replacing", "+a/1 gpu"],
    ],
    [
      "and so does a drain",
      scene(demand(1, paused), [drained("a"), cluster("b")], [own("a/0")]),
      ["a/0 moves Tainted retire: Replacing", "+b/0 gpu"],
    ],
    [
      "a drain comes before what is not known of the cluster",
      scene(1, [{ ...drained("a"), pools: undefined }, cluster("b")], [own("a/0")]),
      ["a/0 moves Tainted retire: Replacing", "+b/0 gpu"],
    ],
  ]);
});

describe("a replica that stays", () => {
  it("is resolved on the pools that it is pinned to, by today's demand", () => {
    const pools = [pool("gpu", 4), pool("cheap", 4, gpus(1, 141))];
    const wanted = demand(1, { engines: [engine("main", [request("gpu", 1)], 3)] });
    const { kept } = createScheduler().schedule(scene(wanted, [cluster("a", pools)], [own("a/0")]));
    expect(kept).toMatchObject([
      {
        as: "retained",
        engines: [{ name: "main", members: [{ pool: "gpu", deviceClasses: ["gpu.nvidia.com"] }] }],
        charges: [{ pool: "gpu", nodes: 3 }],
      },
    ]);
  });

  it("has no engine that is not wanted any more", () => {
    const engines = ["main", "old"].map((name) => ({
      name,
      members: [{ role: "Standalone", pool: "gpu" }],
    }));
    expect(decide(scene(1, [cluster("a")], [own("a/0", { engines })]))).toEqual([
      "a/0 moves ShapeChanged: Replacing",
      "+a/1 gpu",
    ]);
  });

  it("is told by its engines' names, not their order", () => {
    const engines = ["two", "one"].map((name) => ({
      name,
      members: [{ role: "Standalone", pool: "gpu" }],
    }));
    const wanted = demand(1, { engines: [engine("one"), engine("two")] });
    const standing = own("a/0", { engines, on: ["gpu", 2] });
    expect(decide(scene(wanted, [cluster("a")], [standing]))).toEqual(["a/0"]);
  });
});

describe("contention and the ledger", () => {
  const fresh = { served: false, ...silent };
  cases([
    [
      "the nodes of one that yields are free for itself",
      scene(
        1,
        [cluster("a", 2)],
        [own("a/0", { ...fresh, on: ["gpu", 2], ...latest })],
        [other("ops/batch", "a", 1)],
      ),
      ["-a/0 Yielded", "+a/1 gpu"],
    ],
    [
      "others that will yield are charged until they have",
      scene(
        2,
        [cluster("a", 1)],
        [own("a/0", fresh)],
        [other("ops/batch", "a", 1, { served: false, ...later })],
      ),
      ["a/0"],
    ],
    [
      "only as many yield as must, the youngest first",
      scene(
        3,
        [cluster("a", 2)],
        [
          own("a/0", fresh),
          own("a/1", { ...fresh, ...latest }),
          own("a/2", { ...fresh, ...later }),
        ],
      ),
      ["a/0", "a/2", "-a/1 Yielded"],
    ],
    [
      "scaling down looks at the load anew each time",
      scene(
        3,
        [cluster("a", 9), cluster("b", 9)],
        ["a/0", "a/1", "a/2", "b/0", "b/1"].map((at) => own(at)),
      ),
      ["a/0", "a/1", "b/0", "-a/2 ScaledDown", "-b/1 ScaledDown"],
    ],
  ]);

  it("reports what is over-committed, by others too", () => {
    const snapshot = scene(
      0,
      [cluster("b", 1), cluster("a", 1)],
      [],
      [other("ops/x", "a", 3), other("ops/y", "b", 1)],
    );
    expect(createScheduler().schedule(snapshot).overCommitted).toEqual([
      { cluster: "a", pool: "gpu", nodes: 1, charged: 3 },
    ]);
  });

  it("lets replicas grow while there are nodes, each charged for what it adds", () => {
    const wanted = demand(2, { engines: [gang(3)] });
    const snapshot = scene(wanted, [cluster("a", 5)], [ownGang("a/0", 2), ownGang("a/1", 2)]);
    const { kept, ledger } = createScheduler().schedule(snapshot);
    const grown = kept.map((one) => {
      if (one.as !== "retained") return one.as;
      return ledger.grow("a", one.replica.charges, one.charges);
    });
    expect(grown).toEqual([true, false]);
    expect(ledger.free("a")).toEqual([0]);
    expect(ledger.grow("a", [{ pool: "gpu", nodes: 3 }], [{ pool: "gpu", nodes: 1 }])).toBe(true);
    expect(ledger.free("a")).toEqual([0]);
    expect(ledger.grow("elsewhere", [], [{ pool: "gpu", nodes: 1 }])).toBe(true);
  });
});
