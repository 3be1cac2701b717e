import { describe, expect, it } from "vitest";
import {
  atLeast,
  below,
  cluster,
  demand,
  engine,
  gang,
  gpus,
  NIC,
  nics,
  other,
  own,
  pool,
  priced,
  request,
  scene,
  taint,
} from "../../../test/support/fleet.ts";
import { explanationLine } from "./explanation-line.ts";
import type { Cluster, Demand, PoolDevice, Snapshot } from "./fleet.ts";
import { mostThat } from "./matcher.ts";
import { createScheduler } from "./schedule.ts";

const scheduler = createScheduler();
const explain = (snapshot: Snapshot) => scheduler.explain(snapshot, scheduler.schedule(snapshot));
const line = (snapshot: Snapshot) => explanationLine(explain(snapshot));
const wants = (...requests: readonly ReturnType<typeof request>[]) =>
  demand(1, { engines: [engine("main", requests)] });

/** The explanation of the only engine on the only pool of a cluster. */
const onPool = (wanted: Demand, ...devices: readonly PoolDevice[]) => {
  const { clusters } = explain(scene(wanted, [cluster("a", [pool("gpu", 4, ...devices)])]));
  return clusters[0]?.pools[0]?.engines[0];
};

it("finds the largest number within a few tries", () => {
  for (const held of [0, 1, 7, 99, 100]) {
    const tried: number[] = [];
    const most = mostThat(100, (number) => {
      tried.push(number);
      return number <= held;
    });
    expect(most).toBe(held);
    expect(tried.length).toBeLessThan(8);
  }
});

it("explains a member once for each kind of node, also in later passes", () => {
  const wanted = demand(1, { engines: [engine("main", [request("gpu", 9)])] });
  const snapshot = scene(wanted, [cluster("a")]);
  const [before, after] = [
    explain(snapshot),
    explain({ ...snapshot, demand: structuredClone(wanted) }),
  ];
  const member = (one: typeof before) => one.clusters[0]?.pools[0]?.engines[0]?.members[0];
  expect(member(before)?.problem).toMatchObject({ type: "CountShort", have: 8 });
  expect(member(after)).toBe(member(before));
});

describe("a cluster", () => {
  it.each([
    [{ ready: false }, { type: "NotReady" }],
    [{ gatewayAddress: undefined }, { type: "NoGateway" }],
    [{ taints: [taint("x:NoSchedule")] }, { type: "Tainted", taint: taint("x:NoSchedule") }],
    [{ pools: undefined }, { type: "NoPools" }],
    [{ pools: [] }, { type: "NoPools" }],
    [{ cacheStorage: false }, { type: "CacheNotStored" }],
    [{ pools: [pool("gpu", 0)] }, { type: "NothingFits" }],
    [{}, undefined],
  ] as readonly [Partial<Cluster>, unknown][])("%j: %j", (change, expected) => {
    const [only] = explain(
      scene(demand(0, { cache: true }), [cluster("a", 1, { cacheStorage: true, ...change })]),
    ).clusters;
    expect(only?.problem).toEqual(expected);
  });

  it("is explained down to its pools even where it is ruled out", () => {
    const [only] = explain(scene(1, [cluster("a", 0, { ready: false })])).clusters;
    expect(only?.pools).toMatchObject([{ pool: "gpu", free: 0, engines: [{ engine: "main" }] }]);
  });
});

describe("a request", () => {
  it("names the device that comes nearest, and the first selector that it does not meet", () => {
    const wanted = wants(
      request("gpu", 1, 'device.driver == "gpu.nvidia.com"', atLeast(200), below(150)),
    );
    expect(onPool(wanted, nics(8), gpus(8, 141), gpus(8, 24))?.problem).toEqual({
      type: "NoDevice",
      request: "gpu",
      best: {
        index: 1,
        driver: "gpu.nvidia.com",
        has: "memory=141Gi",
        selector: 1,
        path: "spec.template.spec.engines[0].members[0].nodeSelector.devices[0].selectors[1].cel",
        text: atLeast(200),
      },
    });
  });

  it("tells what the device has where the selector names nothing of it", () => {
    const misspelt = wants(request("gpu", 1, 'device.capacity["gpu.nvidia.com"].memry == 1'));
    const attributes = { productName: { string: "H200" }, "x.org/numa": { ints: [0, 1] } };
    const best = { has: "memory=141Gi, productName=H200, x.org/numa=0,1" };
    expect(onPool(misspelt, gpus(8, 141, { ...gpus(8, 141).device, attributes }))).toMatchObject({
      problem: { type: "NoDevice", best },
    });
    expect(line(scene(misspelt, [cluster("a")]))).toMatch(
      /1 where gpu selector 1 fails on the nearest device \(.*\)$/,
    );
  });

  it("tells what a node of a pool costs, where it is known", () => {
    const prices = [983_200, 8_125, 50_000, 0].map((cost, at) => priced(pool(`p${at}`, 1), cost));
    const [only] = explain(scene(1, [cluster("a", [...prices, pool("free", 1)])])).clusters;
    expect(only?.pools.map(({ costPerNodeHour }) => costPerNodeHour)).toEqual([
      "98.32",
      "0.8125",
      "5.00",
      "0.00",
      undefined,
    ]);
  });

  it("tells why a cluster is not ready, in its own words", () => {
    const notReady = "Unavailable: its provider can't reach it";
    const [only] = explain(scene(1, [cluster("a", 4, { ready: false, notReady })])).clusters;
    expect(only?.problem).toEqual({ type: "NotReady", why: notReady });
  });

  it("tells why a selector can't be evaluated on a device", () => {
    const broken = gpus(8, 141, { capacity: { memory: { value: "10Mo" } } });
    expect(onPool(wants(request("gpu", 1, atLeast(80))), broken)?.problem).toMatchObject({
      best: { index: 0, error: expect.stringContaining("capacity memory: quantities must match") },
    });
    const reads = 'device.attributes["gpu.nvidia.com"].sharing == "mps"';
    expect(onPool(wants(request("gpu", 1, reads)), gpus(8, 141))?.problem).toMatchObject({
      best: { error: "no such key: sharing" },
    });
    // The next device is tried all the same.
    const shared = gpus(8, 141, { attributes: { sharing: { string: "mps" } } });
    expect(onPool(wants(request("gpu", 1, reads)), gpus(8, 141), shared)).not.toHaveProperty(
      "problem",
    );
  });

  it.each([
    [
      "no devices at all",
      wants(request("gpu", 1)),
      [gpus(0, 1)].slice(1),
      { type: "NoDevice", request: "gpu" },
    ],
    [
      "too few",
      wants(request("gpu", 8)),
      [gpus(4, 141)],
      { type: "CountShort", request: "gpu", needed: 8, have: 4 },
    ],
    [
      "none of what suits",
      wants(request("gpu", 1)),
      [gpus(0, 141)],
      { type: "CountShort", request: "gpu", needed: 1, have: 0 },
    ],
    [
      "too few of one class",
      wants(request("gpu", 4)),
      [gpus(3, 141), { ...gpus(2, 141), deviceClassName: "other" }],
      { type: "CountShort", request: "gpu", needed: 4, have: 3 },
    ],
    [
      "too few beside the request before it",
      wants(request("one", 5), request("two", 5)),
      [gpus(8, 141)],
      { type: "CountShort", request: "two", needed: 5, have: 3 },
    ],
    ["only synthetic devices", wants(request("nic", 1, NIC)), [nics(8)], { type: "SyntheticOnly" }],
    [
      "too many ways",
      wants(...Array.from({ length: 16 }, (_, at) => request(`r${at}`, 2))),
      Array.from({ length: 15 }, (_, at) => ({ ...gpus(3, 141), deviceClassName: `c${at}` })),
      { type: "TooManyWays", steps: 1_000 },
    ],
  ])("%s", (_, wanted, devices, expected) => {
    const { profile: __, ...bare } = pool("gpu", 4);
    const made = { ...bare, profile: { devices, memory: 0 } };
    const [only] = explain(scene(wanted, [cluster("a", [made])])).clusters;
    expect(only?.pools[0]?.engines[0]?.problem).toEqual(expected);
  });

  it("is told from those of the same member that are met", () => {
    const wanted = wants(request("one", 5), request("two", 5));
    expect(onPool(wanted, gpus(8, 141))?.members).toEqual([
      {
        member: "Standalone",
        problem: { type: "CountShort", request: "two", needed: 5, have: 3 },
        requests: [
          { request: "one" },
          { request: "two", problem: { type: "CountShort", request: "two", needed: 5, have: 3 } },
        ],
      },
    ]);
  });

  it("that could be claimed on another pool is not met by synthetic devices", () => {
    const wanted = demand(1, { engines: [gang(2, [request("nic", 1, NIC)], [request("gpu", 1)])] });
    const claimed = { ...nics(8), claim: "DRA", deviceClassName: "nic" } as const;
    const pools = [pool("one", 4, gpus(8, 141), nics(8)), pool("two", 0, gpus(8, 141), claimed)];
    const [only] = explain(scene(wanted, [cluster("a", pools)])).clusters;
    expect(only?.pools.map(({ engines }) => engines[0]?.problem?.type)).toEqual([
      "SyntheticOnly",
      "NodesShort",
    ]);
  });
});

it("who holds the nodes is summed up, ourselves too, the largest first", () => {
  const others = [
    other("ops/batch", "a", 1),
    other("ops/batch", "a", 2, { name: "batch-a-1" }),
    other("ml/by-hand", "a", 1, { deployment: "", name: "by-hand" }),
    other("ops/elsewhere", "b", 9),
  ];
  const [only] = explain(scene(2, [cluster("a", 5)], [own("a/0")], others)).clusters;
  expect(only?.pools[0]?.engines[0]?.problem).toEqual({
    type: "NodesShort",
    needed: 1,
    free: 0,
    holders: [
      { holder: "ops/batch", nodes: 3 },
      { holder: "ml/by-hand", nodes: 1 },
      { holder: "this deployment", nodes: 1 },
    ],
  });
});

describe("the line", () => {
  const big = demand(1, {
    engines: [gang(4, [request("gpu", 1, atLeast(141))], [request("gpu", 1)])],
  });
  it.each([
    ["no clusters", scene(1, []), "0/0 clusters fit"],
    ["all fit", scene(0, [cluster("a")]), "1/1 clusters fit"],
    [
      "as the scheduler of Kubernetes says it",
      scene(
        big,
        [
          cluster("a", 4, { ready: false }),
          cluster("b", 4, { ready: false }),
          cluster("c", [pool("gpu", 9, gpus(8, 24))]),
          cluster("d", [pool("gpu", 9, gpus(8, 80)), pool("none", 9, nics(1))]),
          cluster("e", 4),
        ],
        [],
        [other("ns/other", "e", 3)],
      ),
      "0/5 clusters fit: 2 no device that meets gpu selector 1, 2 not ready, 1 short of 3 nodes (held by ns/other)",
    ],
    [
      "shortages together, the largest holders by name",
      scene(
        big,
        [cluster("a", 3), cluster("b", 3), cluster("c", 3)],
        [],
        [
          other("ns/x", "a", 3),
          other("ns/y", "b", 2),
          other("ns/z", "b", 1),
          other("ns/w", "a", 9),
        ],
      ),
      "0/3 clusters fit: 3 short of 1 to 13 nodes (held by ns/w, ns/x and 2 more)",
    ],
    [
      "the pool that comes nearest counts",
      scene(1, [
        cluster("a", [
          pool("small", 9, gpus(8, 24)),
          pool("empty", 0),
          pool("few", 9, gpus(0, 141)),
        ]),
      ]),
      "0/1 clusters fit: 1 short of 1 node",
    ],
    [
      "an engine is named where there are several",
      scene(demand(1, { engines: [engine("one"), engine("two", [request("gpu", 9)])] }), [
        cluster("a"),
      ]),
      "0/1 clusters fit: 1 with 8 of 9 devices for gpu for engine two",
    ],
    [
      "engines that fit alone and not together",
      scene(demand(1, { engines: [engine("one"), engine("two")] }), [cluster("a", 1)]),
      "0/1 clusters fit: 1 without room for all engines at once",
    ],
    [
      "the rest of what rules clusters out",
      scene(demand(1, { cache: true }), [
        cluster("a", 4, { taints: [taint("x=y:NoExecute")] }),
        cluster("b", 4, { gatewayAddress: undefined }),
        cluster("c", []),
        cluster("d", 4),
        cluster("e", [{ ...pool("gpu", 4), profile: { devices: [], memory: 0 } }], {
          cacheStorage: true,
        }),
        cluster("f", [pool("gpu", 4, nics(1))], { cacheStorage: true }),
      ]),
      "0/6 clusters fit: 1 tainted x:NoExecute, 1 where gpu selector 1 fails on the nearest device (no such key: memory), 1 without a gateway address, 1 without devices for gpu, 1 without node pools, 1 without storage for the model cache",
    ],
  ])("%s", (_, snapshot, expected) => {
    expect(line(snapshot)).toBe(expected);
  });

  it("stays short however many reasons there are", () => {
    const fleet = Array.from({ length: 200 }, (_, at) =>
      cluster(`c${at}`, 4, { taints: [taint(`${"k".repeat(60)}${at}:NoSchedule`)] }),
    );
    const text = line(scene(1, fleet));
    expect(text.length).toBeLessThan(500);
    expect(text).toMatch(
      /^0\/200 clusters fit: 1 tainted k+0:NoSchedule, .*, \d+ for other reasons$/,
    );
  });
});
