import { describe, expect, it } from "vitest";
import { explanationLine } from "../../functions/model-deployment/scheduling/explanation-line.ts";
import type { Snapshot } from "../../functions/model-deployment/scheduling/fleet.ts";
import { createScheduler } from "../../functions/model-deployment/scheduling/schedule.ts";
import {
  cluster,
  decide,
  demand,
  engine,
  gang,
  gpus,
  nics,
  own,
  pool,
  request,
  scene,
  taint,
  toleration,
} from "../support/fleet.ts";

// What people reported of schedulers like this one.

const line = (snapshot: Snapshot) => {
  const scheduler = createScheduler();
  return explanationLine(scheduler.explain(snapshot, scheduler.schedule(snapshot)));
};

it("no nodes and no devices are no capacity", () => {
  const wanted = demand(1, { engines: [engine("main", [request("gpu", 1)])] });
  const pools = [pool("zero-nodes", 0), pool("zero-count", 4, gpus(0, 141))];
  expect(decide(scene(wanted, [cluster("a", pools)]))).toEqual([]);
  expect(line(scene(wanted, [cluster("a", pools)]))).toBe("0/1 clusters fit: 1 short of 1 node");
});

describe("placement is sticky", () => {
  const standing = [own("m-west/0"), own("m-west/1")];
  const west = cluster("m-west");
  const east = cluster("a-east");
  it.each([
    ["a cluster with an earlier name", scene(2, [west, east], standing), ["m-west/0", "m-west/1"]],
    [
      "an outage",
      scene(2, [cluster("m-west", 4, { ready: false, gatewayAddress: undefined }), east], standing),
      ["m-west/0", "m-west/1"],
    ],
    [
      "the cluster is deleted",
      scene(2, [east], standing),
      [
        "m-west/0 moves ClusterNotFound: Waiting",
        "m-west/1 moves ClusterNotFound: Replacing",
        "+a-east/0 gpu",
      ],
    ],
    [
      "the cluster is deleted, and nothing else fits",
      scene(2, [cluster("a-east", 0)], standing),
      [
        "m-west/0 moves ClusterNotFound: NothingFits",
        "m-west/1 moves ClusterNotFound: NothingFits",
      ],
    ],
    [
      "indexes are numbers",
      scene(1, [west], [own("m-west/9"), own("m-west/10")]),
      ["m-west/9", "-m-west/10 ScaledDown"],
    ],
  ] as const)("%s", (_, snapshot, expected) => {
    expect(decide(snapshot)).toEqual(expected);
  });
});

describe("taints and tolerations are those of Kubernetes", () => {
  const fleet = [
    cluster("a", 4, { taints: [taint("maint:NoSchedule")] }),
    cluster("b", 4, { taints: [taint("retire=q3:NoExecute")] }),
    cluster("c", 1),
  ];
  const full = [...fleet.slice(0, 2), cluster("c", 0)];
  const replicas = [own("a/0"), own("b/0")];
  const wants = (count: number, ...tolerations: readonly Parameters<typeof toleration>[0][]) =>
    demand(count, { tolerations: tolerations.map(toleration) });
  const drained = ["a/0", "b/0 moves Tainted retire: Replacing", "+c/0 gpu"];
  it.each([
    ["none: a stays, b goes to c", scene(wants(2), fleet, replicas), drained],
    [
      "blanket: both stay, and take new ones",
      scene(wants(4, {}), [...full], replicas),
      ["a/0", "b/0", "+a/1 gpu", "+b/1 gpu"],
    ],
    [
      "keyed: b stays, a gets no new ones",
      scene(wants(4, { key: "retire", effect: "NoExecute" }), full, replicas),
      ["a/0", "b/0", "+b/1 gpu", "+b/2 gpu"],
    ],
    [
      "wrong value: b is drained",
      scene(wants(2, { key: "retire", operator: "Equal", value: "q4" }), fleet, replicas),
      drained,
    ],
    ["c is full: below its count", scene(wants(2), full, replicas), ["a/0", "-b/0 Drained"]],
  ] as const)("%s", (_, snapshot, expected) => {
    expect(decide(snapshot)).toEqual(expected);
  });
});

describe("slices of a card", () => {
  const profiled = (count: number, profile: string) =>
    gpus(count, 10, { attributes: { profile: { string: profile } } });
  const slice = (name: string, count: number, profile: string) =>
    request(name, count, `device.attributes['gpu.nvidia.com'].profile == '${profile}'`);
  const wanted = demand(1, {
    engines: [engine("main", [slice("big", 1, "4g.40gb"), slice("small", 2, "1g.10gb")])],
  });
  const whole = gpus(8, 80);

  it("a whole card is no slice, and one small slice is not two", () => {
    const devices = [whole, profiled(1, "4g.40gb"), profiled(1, "1g.10gb")];
    const fleet = [cluster("a", [pool("mig", 4, ...devices)])];
    expect(decide(scene(wanted, fleet))).toEqual([]);
    expect(line(scene(wanted, fleet))).toBe("0/1 clusters fit: 1 with 1 of 2 devices for small");
  });

  it("enough slices fit", () => {
    const devices = [whole, profiled(1, "4g.40gb"), profiled(2, "1g.10gb")];
    expect(decide(scene(wanted, [cluster("a", [pool("mig", 4, ...devices)])]))).toEqual([
      "+a/0 mig",
    ]);
  });
});

it("a gang with a network card goes where whole nodes have both", () => {
  const product = { attributes: { productName: { string: "NVIDIA H200" } } };
  const ib = (count: number) => ({
    ...nics(count),
    device: { driver: "rdma.example.org", attributes: { linkGbps: { int: 400 } } },
  });
  const claimed = { ...ib(16), claim: "DRA", deviceClassName: "rdma.example.org" } as const;
  const requests = [
    request("gpu", 8, 'device.attributes["gpu.nvidia.com"].productName.matches("H200")'),
    request("nic", 8, 'device.attributes["rdma.example.org"].linkGbps >= 400'),
  ];
  const wanted = demand(2, { engines: [gang(2, requests, requests)], cache: true });
  const pools = [
    pool("h200-ib", 2, gpus(8, 141, product), ib(8)),
    pool("h200-eth", 8, gpus(8, 141, product)),
    pool("one-of-16", 1, gpus(16, 141, product), claimed),
  ];
  const fleet = [cluster("a", pools, { cacheStorage: true })];
  const scheduler = createScheduler();
  const schedule = scheduler.schedule(scene(wanted, fleet));
  expect(schedule.placed).toMatchObject([
    {
      cluster: "a",
      charges: [{ pool: "h200-ib", nodes: 2 }],
      engines: [
        {
          members: [
            { pool: "h200-ib", deviceClasses: ["gpu.nvidia.com", undefined] },
            { pool: "h200-ib", deviceClasses: ["gpu.nvidia.com", undefined] },
          ],
        },
      ],
    },
  ]);
  expect(schedule.missing).toBe(1);
  expect(line(scene(wanted, fleet))).toBe("0/1 clusters fit: 1 short of 1 node");
});
