import { describe, expect, it } from "vitest";
import type { Snapshot } from "../../functions/model-deployment/scheduling/fleet.ts";
import { createScheduler } from "../../functions/model-deployment/scheduling/schedule.ts";
import {
  atLeast,
  below,
  cluster,
  decide,
  demand,
  engine,
  gang,
  gpus,
  member,
  NIC,
  nics,
  other,
  own,
  ownGang,
  pool,
  priced,
  request,
  scene,
  taint,
  toleration,
} from "../support/fleet.ts";

// The numbers are those of the list of edge cases that upstream's scheduler was asked; where ours
// answers differently on purpose, the case says so.
type Case = readonly [name: string, snapshot: Snapshot, expected: readonly string[]];

const cases = (table: readonly Case[]) =>
  it.each(table)("%s", (_, snapshot, expected) => {
    expect(decide(snapshot)).toEqual(expected);
  });

const any = (count = 1) => request("gpu", count);
const big = (count = 1) => request("gpu", count, atLeast(200));
const small = (count = 1) => request("gpu", count, below(200));
const nic = (count = 1) => request("nic", count, NIC);
const wants = (...requests: Parameters<typeof engine>[1] & object) =>
  demand(1, { engines: [engine("main", requests)] });

describe("placing", () => {
  cases([
    ["1 no clusters: none", scene(1, []), []],
    ["2 one ready cluster: its first replica", scene(1, [cluster("a")]), ["+a/0 gpu"]],
    ["3 not ready: none", scene(1, [cluster("a", 4, { ready: false })]), []],
    ["4 no gateway address: none", scene(1, [cluster("a", 4, { gatewayAddress: undefined })]), []],
    [
      "5 a gang of 4 on a pool of 2: none",
      scene(demand(1, { engines: [gang(4)] }), [cluster("a", 2)]),
      [],
    ],
    [
      "11 one cluster of 2 nodes, want 2: both there",
      scene(2, [cluster("a", 2)]),
      ["+a/0 gpu", "+a/1 gpu"],
    ],
    [
      "12 two roomy clusters, want 2: one each",
      scene(2, [cluster("a"), cluster("b")]),
      ["+a/0 gpu", "+b/0 gpu"],
    ],
    [
      "13 want 3: the first cluster takes two",
      scene(3, [cluster("a"), cluster("b")]),
      ["+a/0 gpu", "+a/1 gpu", "+b/0 gpu"],
    ],
    [
      "14 b holds one, want 3: a twice, b once",
      scene(3, [cluster("a"), cluster("b", 1)]),
      ["+a/0 gpu", "+a/1 gpu", "+b/0 gpu"],
    ],
    [
      "22 unsorted clusters, want 2: the first two by name",
      scene(2, [cluster("c"), cluster("b"), cluster("a")]),
      ["+a/0 gpu", "+b/0 gpu"],
    ],
    [
      "23 another deployment fills the node: none",
      scene(1, [cluster("a", 1)], [], [other("ops/batch", "a")]),
      [],
    ],
    [
      "25 another's replica on a pool that is gone costs nothing",
      scene(
        1,
        [cluster("a", 1)],
        [],
        [other("ops/batch", "a", 1, { charges: [{ pool: "old", nodes: 1 }] })],
      ),
      ["+a/0 gpu"],
    ],
    ["29 200Gi wanted, 141Gi there: none", scene(wants(big()), [cluster("a")]), []],
    [
      "30 8 wanted, 4 on a node: none",
      scene(wants(any(8)), [cluster("a", [pool("gpu", 4, gpus(4, 141))])]),
      [],
    ],
    ["31 a count of 0: none", scene(1, [cluster("a", [pool("gpu", 4, gpus(0, 141))])]), []],
    ["32 a pool of 0 nodes: none", scene(1, [cluster("a", 0)]), []],
    ["34 a network device is missing: none", scene(wants(any(), nic()), [cluster("a")]), []],
    [
      "35 two requests, one device: none",
      scene(wants(request("one", 1), request("two", 1)), [
        cluster("a", [pool("gpu", 4, gpus(1, 141))]),
      ]),
      [],
    ],
    [
      "36 5 and 5 of 8: none",
      scene(wants(request("one", 5), request("two", 5)), [cluster("a")]),
      [],
    ],
    [
      "38 only the second pool has the network device: there",
      scene(wants(any(), nic()), [
        cluster("a", [pool("plain", 4), pool("fast", 4, gpus(8, 141), nics(8))]),
      ]),
      ["+a/0 fast"],
    ],
    [
      "39 a selector that only synthetic devices meet: none",
      scene(wants(nic()), [cluster("a", [pool("gpu", 4, nics(8))])]),
      [],
    ],
    [
      "45 8 wanted of pools with 4 and 8: the second",
      scene(wants(any(8)), [cluster("a", [pool("four", 4, gpus(4, 141)), pool("eight", 4)])]),
      ["+a/0 eight"],
    ],
    ["68 a ready cluster without pools: none", scene(1, [cluster("a", [])]), []],
    [
      "69 the first pool is full: the second",
      scene(2, [cluster("a", [pool("one", 1), pool("two", 1)])]),
      ["+a/0 one", "+a/1 two"],
    ],
    [
      "70 3 copies on pools of 2 and 2: none",
      scene(demand(1, { engines: [engine("main", [any()], 3)] }), [
        cluster("a", [pool("one", 2), pool("two", 2)]),
      ]),
      [],
    ],
    [
      "78 z has 100 free nodes, a has 1: a, by name",
      scene(1, [cluster("a", 1), cluster("z", 100)]),
      ["+a/0 gpu"],
    ],
  ]);

  it("33 a network device that is synthetic: only the GPU is claimed", () => {
    const devices = [gpus(8, 141), nics(8)];
    const snapshot = scene(wants(any(), nic()), [cluster("a", [pool("gpu", 4, ...devices)])]);
    const [placed] = createScheduler().schedule(snapshot).placed;
    expect(placed?.engines[0]?.members[0]?.deviceClasses).toEqual(["gpu.nvidia.com", undefined]);
  });

  it("37 4 and 4 of 8: both are claimed", () => {
    const snapshot = scene(wants(request("one", 4), request("two", 4)), [cluster("a")]);
    const [placed] = createScheduler().schedule(snapshot).placed;
    const gpu = "gpu.nvidia.com";
    expect(placed?.engines[0]?.members[0]?.deviceClasses).toEqual([gpu, gpu]);
  });

  // The deployment's handler refuses such a selector before it gets here, and holds what stands.
  it("46 a selector that does not compile is met by nothing", () => {
    const wanted = wants(request("gpu", 1, "device.driver =="));
    expect(createScheduler().schedule(scene(wanted, [cluster("a")])).placed).toEqual([]);
  });
});

describe("gangs", () => {
  const leaderAndWorker = (leader: readonly ReturnType<typeof any>[], worker = [any()]) =>
    demand(1, { engines: [gang(2, leader, worker)] });
  const pools = [pool("small", 4), pool("big", 4, gpus(8, 200))];
  cases([
    [
      "47 leader any, worker big: both on big",
      scene(leaderAndWorker([any()], [big()]), [cluster("a", pools)]),
      ["+a/0 big"],
    ],
    [
      "48 leader big, worker small: none, never split",
      scene(leaderAndWorker([big()], [small()]), [cluster("a", pools)]),
      [],
    ],
    ["49 a gang of 2 on a pool of 1: none", scene(leaderAndWorker([any()]), [cluster("a", 1)]), []],
    [
      "50 it lands whole on b",
      scene(leaderAndWorker([any()]), [cluster("a", 1), cluster("b", 2)]),
      ["+b/0 gpu"],
    ],
    [
      "51 a member that could claim elsewhere is not stranded on synthetic devices",
      scene(leaderAndWorker([nic()], [any()]), [
        cluster("a", [
          pool("synthetic", 4, gpus(8, 141), nics(8)),
          pool("real", 4, gpus(8, 141), { ...nics(8), claim: "DRA", deviceClassName: "nic" }),
        ]),
      ]),
      ["+a/0 real"],
    ],
    [
      "52 a member that is synthetic everywhere goes with its gang",
      scene(leaderAndWorker([nic()], [any()]), [
        cluster("a", [pool("synthetic", 1, gpus(8, 141), nics(8))]),
      ]),
      ["+a/0 synthetic"],
    ],
    [
      "53 a member that fits nowhere: none",
      scene(leaderAndWorker([any()], [request("gpu", 1, atLeast(999))]), [cluster("a", pools)]),
      [],
    ],
    [
      "54 a leader without requests takes no node",
      scene(leaderAndWorker([]), [cluster("a", 1)]),
      ["+a/0 gpu"],
    ],
    [
      "55 another's leader that claims nothing costs nothing",
      scene(1, [cluster("a", 2)], [], [other("ops/batch", "a", 1)]),
      ["+a/0 gpu"],
    ],
  ]);
});

describe("exact assignments", () => {
  const pools = [pool("big", 1, gpus(8, 200)), pool("small", 1, gpus(8, 141))];
  const two = (first: ReturnType<typeof any>, second: ReturnType<typeof any>) =>
    demand(1, { engines: [engine("one", [first]), engine("two", [second])] });
  cases([
    [
      "71 pools zz, aa: the one with fewer nodes left, not the first (differs: pool choice)",
      scene(1, [cluster("a", [pool("zz", 3), pool("aa", 2)])]),
      ["+a/0 aa"],
    ],
    [
      "72 engines any and big on big(1), small(1): placed (differs: exact)",
      scene(two(any(), big()), [cluster("a", pools)]),
      ["+a/0 small big"],
    ],
    ["72 reversed: placed", scene(two(big(), any()), [cluster("a", pools)]), ["+a/0 big small"]],
    [
      "73 requests any and big over one big, one small device: placed (differs: exact)",
      scene(wants(request("any", 1), request("big", 1, atLeast(200))), [
        cluster("a", [pool("gpu", 1, gpus(1, 200), gpus(1, 141))]),
      ]),
      ["+a/0 gpu"],
    ],
    [
      "74 count 2 over two entries of one device each: placed (differs: one claim can span both)",
      scene(wants(any(2)), [cluster("a", [pool("gpu", 1, gpus(1, 200), gpus(1, 141))])]),
      ["+a/0 gpu"],
    ],
    [
      "77 pools H200, L4, any GPU: the L4 (differs: the least memory)",
      scene(wants(any()), [
        cluster("a", [pool("h200", 4, gpus(8, 141)), pool("l4", 4, gpus(1, 24))]),
      ]),
      ["+a/0 l4"],
    ],
    [
      "77 with prices: the cheapest whatever its memory",
      scene(wants(any()), [
        cluster("a", [priced(pool("h200", 4), 10), priced(pool("l4", 4, gpus(1, 24)), 20)]),
      ]),
      ["+a/0 h200"],
    ],
  ]);
});

describe("replicas that stand", () => {
  const grown = (nodes: number) => demand(2, { engines: [gang(nodes)] });
  cases([
    ["6 on a, b is free: stays", scene(1, [cluster("a"), cluster("b")], [own("a/0")]), ["a/0"]],
    [
      "7 a is degraded: stays",
      scene(
        1,
        [cluster("a", 4, { ready: false, gatewayAddress: undefined }), cluster("b")],
        [own("a/0")],
      ),
      ["a/0"],
    ],
    [
      "9 scale 1 to 2: the second on b",
      scene(2, [cluster("a"), cluster("b")], [own("a/0")]),
      ["a/0", "+b/0 gpu"],
    ],
    ["10 the only node is taken, want 2: one", scene(2, [cluster("a", 1)], [own("a/0")]), ["a/0"]],
    [
      "15 a has one, b none, want 2: b",
      scene(2, [cluster("a"), cluster("b")], [own("a/0")]),
      ["a/0", "+b/0 gpu"],
    ],
    [
      "16 indexes 0 and 2, want 3: 1",
      scene(3, [cluster("a")], [own("a/0"), own("a/2")]),
      ["a/0", "a/2", "+a/1 gpu"],
    ],
    [
      "21 the shape grew from 2 to 4 nodes on a pool of 6, want 2: charged 2, so the second fits",
      scene(grown(4), [cluster("a", 6)], [ownGang("a/0", 2)]),
      ["a/0", "+a/1 gpu"],
    ],
    ["24 an own replica is not in its own way", scene(1, [cluster("a", 1)], [own("a/0")]), ["a/0"]],
    [
      "26 two replicas can't have one identity: it is their key's (differs), whatever their names",
      scene(2, [cluster("a")], [own("a/0", { name: "zz" }), own("a/1", { name: "zz" })]),
      ["a/0", "a/1"],
    ],
    [
      "41 pools of a and b both suit: stays",
      scene(1, [cluster("b"), cluster("a")], [own("b/0")]),
      ["b/0"],
    ],
    [
      "75 copies 1 to 5 on a pool of 2: not over-committed (differs), held as nothing else fits",
      scene(demand(1, { engines: [engine("main", [any()], 5)] }), [cluster("a", 2)], [own("a/0")]),
      ["a/0 moves GrowthDoesNotFit gpu 4 1: NothingFits"],
    ],
    [
      "80 a twin in another namespace fills b, want 2: one (differs: not over-committed)",
      scene(2, [cluster("a", 1), cluster("b", 1)], [own("a/0")], [other("twin/chat", "b")]),
      ["a/0"],
    ],
    [
      "79 a twin in another namespace on b is not ours (differs), want 1: our own stays",
      scene(1, [cluster("b"), cluster("c")], [own("c/0")], [other("twin/chat", "b")]),
      ["c/0"],
    ],
  ]);
});

describe("scaling down", () => {
  const fleet = [cluster("a"), cluster("b")];
  cases([
    [
      "17 a/0 a/1 b/0 to 2: a/1 goes",
      scene(2, fleet, [own("a/0"), own("a/1"), own("b/0")]),
      ["a/0", "b/0", "-a/1 ScaledDown"],
    ],
    [
      "18 a/0 a/1 b/3 to 2: a/1, not b/3",
      scene(2, fleet, [own("a/0"), own("a/1"), own("b/3")]),
      ["a/0", "b/3", "-a/1 ScaledDown"],
    ],
    ["19 a/0 b/0 to 1: b/0", scene(1, fleet, [own("a/0"), own("b/0")]), ["a/0", "-b/0 ScaledDown"]],
    [
      "20 a/0 a/1 b/0 b/1 to 3: b/1",
      scene(3, fleet, [own("a/0"), own("a/1"), own("b/0"), own("b/1")]),
      ["a/0", "a/1", "b/0", "-b/1 ScaledDown"],
    ],
    [
      "76 a is not Ready, 2 to 1: a goes (differs)",
      scene(1, [cluster("a", 4, { ready: false }), cluster("b")], [own("a/0"), own("b/0")]),
      ["b/0", "-a/0 ScaledDown"],
    ],
    [
      "76 an unready replica goes before one on an unready cluster",
      scene(
        1,
        [cluster("a", 4, { ready: false }), cluster("b")],
        [own("a/0"), own("b/0", { ready: false })],
      ),
      ["a/0", "-b/0 ScaledDown"],
    ],
    [
      "to 0: all go",
      scene(0, fleet, [own("a/0"), own("b/0")]),
      ["-a/0 ScaledDown", "-b/0 ScaledDown"],
    ],
  ]);
});

describe("without a place", () => {
  const noStorage = demand(3, { cache: true });
  cases([
    ["27 no cluster stores the cache, none yet: none", scene(noStorage, [cluster("a")]), []],
    [
      "28 one stands, want 3: that one, as it is",
      scene(noStorage, [cluster("a")], [own("a/0")]),
      ["a/0 frozen CacheNotStored"],
    ],
    [
      "pools are not known: stays as it is",
      scene(1, [cluster("a", 4, { pools: undefined }), cluster("b")], [own("a/0")]),
      ["a/0 frozen PoolsUnknown"],
    ],
  ]);
});

describe("moving", () => {
  const b = cluster("b");
  cases([
    [
      "8 a is gone: replaced on b (differs: kept until that one is ready)",
      scene(1, [b], [own("a/0")]),
      ["a/0 moves ClusterNotFound: Replacing", "+b/0 gpu"],
    ],
    [
      "40 the selector fails on a, b fits: replaced on b",
      scene(
        demand(1, { engines: [engine("main", [big()])] }),
        [cluster("a"), cluster("b", [pool("gpu", 1, gpus(8, 200))])],
        [own("a/0")],
      ),
      ["a/0 moves NodeSelectorUnmet main Standalone gpu: Replacing", "+b/0 gpu"],
    ],
    [
      "42 it fails everywhere: held (differs)",
      scene(demand(1, { engines: [engine("main", [big()])] }), [cluster("a"), b], [own("a/0")]),
      ["a/0 moves NodeSelectorUnmet main Standalone gpu: NothingFits"],
    ],
    [
      "43 the pinned pool is unknown: replaced",
      scene(1, [cluster("a"), b], [own("a/0", { on: ["old", 1] })]),
      ["a/0 moves PoolNotFound old: Replacing", "+b/0 gpu"],
    ],
    [
      "44 one of two is pinned to a gone pool: another index (differs)",
      scene(2, [cluster("a", 2)], [own("a/0"), own("a/1", { on: ["old", 1] })]),
      ["a/0", "a/1 moves PoolNotFound old: Replacing", "+a/2 gpu"],
    ],
    [
      "56 Standalone to gang: another index (differs)",
      scene(demand(1, { engines: [gang(2)] }), [cluster("a", 4)], [own("a/0")]),
      ["a/0 moves ShapeChanged: Replacing", "+a/1 gpu"],
    ],
    [
      "67 the index is the key's, whatever a label says (differs)",
      scene(2, [cluster("a")], [own("a/7")]),
      ["a/7", "+a/0 gpu"],
    ],
  ]);
});

describe("taints", () => {
  const tainted = (text: string) => cluster("a", 4, { taints: [taint(text)] });
  const noSchedule = tainted("maint:NoSchedule");
  const noExecute = tainted("retire=q3:NoExecute");
  const b = cluster("b");
  const tolerates = (...tolerations: readonly Parameters<typeof toleration>[0][]) =>
    demand(1, { tolerations: tolerations.map(toleration) });
  cases([
    ["57 NoSchedule on a: b", scene(1, [noSchedule, b]), ["+b/0 gpu"]],
    ["58 what stands there stays", scene(1, [noSchedule, b], [own("a/0")]), ["a/0"]],
    ["59 tolerated: a", scene(tolerates({ key: "maint" }), [noSchedule, b]), ["+a/0 gpu"]],
    [
      "60 NoExecute on a: replaced on b before it goes (differs)",
      scene(1, [noExecute, b], [own("a/0")]),
      ["a/0 moves Tainted retire: Replacing", "+b/0 gpu"],
    ],
    [
      "61 tolerated: stays",
      scene(tolerates({ key: "retire" }), [noExecute, b], [own("a/0")]),
      ["a/0"],
    ],
    ["62 nowhere else: goes all the same", scene(1, [noExecute], [own("a/0")]), ["-a/0 Drained"]],
    [
      "63 a toleration of NoSchedule only: drained",
      scene(tolerates({ key: "retire", effect: "NoSchedule" }), [noExecute], [own("a/0")]),
      ["-a/0 Drained"],
    ],
    [
      "64 a second taint that is not tolerated repels",
      scene(tolerates({ key: "maint" }), [
        cluster("a", 4, { taints: [taint("maint:NoSchedule"), taint("other:NoSchedule")] }),
        b,
      ]),
      ["+b/0 gpu"],
    ],
    [
      "65 Equal needs the value",
      scene(
        tolerates({ key: "retire", operator: "Equal", value: "q4" }),
        [noExecute],
        [own("a/0")],
      ),
      ["-a/0 Drained"],
    ],
    [
      "65 Equal with the value",
      scene(
        tolerates({ key: "retire", operator: "Equal", value: "q3" }),
        [noExecute],
        [own("a/0")],
      ),
      ["a/0"],
    ],
    ["66 Exists without a key tolerates all", scene(tolerates({}), [noExecute, b]), ["+a/0 gpu"]],
    [
      "82 three on a cluster that is drained: one at a time (differs)",
      scene(3, [noExecute, b], [own("a/0"), own("a/1"), own("a/2")]),
      [
        "a/0 moves Tainted retire: Waiting",
        "a/1 moves Tainted retire: Waiting",
        "a/2 moves Tainted retire: Replacing",
        "+b/0 gpu",
      ],
    ],
  ]);
});

describe("contention", () => {
  const fresh = { served: false, ready: false, serving: false };
  const later = { created: "2026-01-02T00:00:00Z" };
  cases([
    [
      "81 two took the last node: the youngest yields (differs), and is placed elsewhere",
      scene(
        1,
        [cluster("a", 1), cluster("b", 1)],
        [own("a/0", { ...fresh, ...later })],
        [other("ops/batch", "a", 1, { served: false })],
      ),
      ["-a/0 Yielded", "+b/0 gpu"],
    ],
    [
      "81 the elder stays",
      scene(
        1,
        [cluster("a", 1)],
        [own("a/0", fresh)],
        [other("ops/batch", "a", 1, { served: false, ...later })],
      ),
      ["a/0"],
    ],
    [
      "81 of two that were made at once the last by name yields",
      scene(
        1,
        [cluster("a", 1)],
        [own("a/0", fresh)],
        [other("ops/batch", "a", 1, { served: false })],
      ),
      ["a/0"],
    ],
    [
      "one that has served never yields",
      scene(1, [cluster("a", 1)], [own("a/0", later)], [other("ops/batch", "a", 1)]),
      ["a/0"],
    ],
    [
      "one that is being deleted is gone for contention, and still takes its node",
      scene(
        2,
        [cluster("a", 1)],
        [own("a/0", fresh)],
        [other("ops/batch", "a", 1, { deleting: true })],
      ),
      ["a/0"],
    ],
  ]);
});

it("members without any request are matched by every pool", () => {
  const members = [member("Leader", 1, []), member("Worker", 1)];
  const engines = [{ name: "main", copies: 1, members }];
  expect(decide(scene(demand(1, { engines }), [cluster("a", 1)]))).toEqual(["+a/0 gpu"]);
});
