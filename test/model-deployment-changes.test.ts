import { describe, expect, test } from "vitest";
import { modelDeploymentHandler } from "../functions/model-deployment/handler.ts";
import { createRefusals } from "../functions/model-replica/refusals.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import type { KubeObject } from "../kube/object.ts";
import {
  condition,
  deployment,
  engine,
  gpus,
  inferenceCluster,
  keys,
  memoryAtLeast,
  pool,
} from "./support/deployment.ts";
import { DeploymentRun } from "./support/deployment-run.ts";

const handler = modelDeploymentHandler(shippedDefinitions(), createRefusals());

/** A deployment of so many replicas that has settled on the clusters. */
function standing(
  replicas: number,
  clusters: readonly KubeObject[],
  template: Record<string, unknown> = {},
): DeploymentRun {
  const run = new DeploymentRun(handler, deployment({ replicas }, template));
  run.settle({ clusters });
  return run;
}

const one = (name: string, nodes = 1, more: Parameters<typeof inferenceCluster>[2] = {}) =>
  inferenceCluster(name, [pool("gpu", nodes)], more);

const tainted = (name: string, effect: string, nodes = 1) =>
  one(name, nodes, { spec: { taints: [{ key: "retire", effect }] } });

/** Which replicas run an image, by key. */
function images(run: DeploymentRun): Record<string, string> {
  return Object.fromEntries(
    run
      .replicas()
      .map((key) => [key, /"image":"([^"]*)"/.exec(JSON.stringify(run.replica(key)))?.[1] ?? ""]),
  );
}

function setImage(run: DeploymentRun, image: string): void {
  run.edit((spec) =>
    JSON.parse(JSON.stringify(spec).replace(/"image":"[^"]*"/, `"image":"${image}"`)),
  );
}

describe("a change of the template", () => {
  const clusters = [one("a"), one("b"), one("c")];

  test("reaches one replica after the other, ready before next", () => {
    const run = standing(3, clusters);
    setImage(run, "engine:2");
    const story: string[] = [];
    for (let pass = 0; pass < 5; pass++) {
      const composition = run.pass({ clusters });
      story.push(
        `${Object.values(images(run))
          .map((image) => image.slice(-1))
          .join("")} ${condition(composition, "ReplicasUpdated")?.reason}`,
      );
      run.serve();
    }
    expect(story).toEqual([
      "211 RollingOut",
      "221 RollingOut",
      "222 AllReplicasUpdated",
      "222 AllReplicasUpdated",
      "222 AllReplicasUpdated",
    ]);
  });

  test("stops at maxUnavailable when it is bad, and says where", () => {
    const run = standing(3, clusters);
    setImage(run, "engine:bad");
    for (let pass = 0; pass < 4; pass++) {
      run.pass({ clusters });
      for (const [key, image] of Object.entries(images(run))) {
        if (image === "engine:bad") run.fail(key);
      }
    }
    const composition = run.pass({ clusters });
    expect(Object.values(images(run)).filter((image) => image === "engine:bad")).toHaveLength(1);
    expect(condition(composition, "ReplicasUpdated")).toMatchObject({
      status: "False",
      reason: "RollingOut",
    });
    expect(condition(composition, "ReplicasUpdated")?.message).toMatch(
      /^1 of 3 replicas have the current template; waiting for chat-\w{5} on a/,
    );
    expect(composition.ready).toBe(false);
    // The replica that fails serves no more; the other two go on.
    expect(run.endpoints()).toEqual(["endpoint-b-0", "endpoint-c-0"]);
    setImage(run, "engine:3");
    run.settle({ clusters });
    expect(new Set(Object.values(images(run)))).toEqual(new Set(["engine:3"]));
  });

  test("waits while paused, and Ready may be True meanwhile", () => {
    const run = standing(2, clusters);
    setImage(run, "engine:2");
    run.edit((spec) => ({ ...spec, rollout: { pause: true } }));
    const composition = run.settle({ clusters });
    expect(Object.values(images(run))).toEqual([
      "registry.example/engine:1",
      "registry.example/engine:1",
    ]);
    expect(condition(composition, "ReplicasUpdated")).toMatchObject({ reason: "Paused" });
    expect(composition.ready).toBeUndefined();
  });

  test("of labels alone is made on all at once and rolls nothing", () => {
    const run = standing(3, clusters);
    run.edit((spec) => ({
      ...spec,
      template: { ...(spec.template as object), metadata: { labels: { tier: "gold" } } },
    }));
    const composition = run.pass({ clusters });
    for (const key of [...run.replicas(), ...run.endpoints()]) {
      expect(run.replica(key).metadata?.labels).toMatchObject({ tier: "gold" });
    }
    expect(condition(composition, "ReplicasUpdated")?.status).toBe("True");
  });

  test("is none after a switch from upstream, whose replicas lack the hash", () => {
    const run = standing(1, clusters);
    const replica = run.replica("replica-a-0");
    const { "modelplane.ai/template-hash": hash, ...labels } = replica.metadata?.labels ?? {};
    const bare: KubeObject = { ...replica, metadata: { ...replica.metadata, labels } };
    run.objects.set("replica-a-0", bare);
    run.pass({ clusters });
    expect(run.replica("replica-a-0").metadata?.labels?.["modelplane.ai/template-hash"]).toBe(hash);
    expect(run.replica("replica-a-0").spec).toEqual(bare.spec);
    // One whose spec differs too is outdated and keeps both until its turn.
    run.objects.set("replica-a-0", {
      ...bare,
      spec: JSON.parse(JSON.stringify(bare.spec).replace("engine:1", "engine:0")),
    });
    run.fail("replica-a-0");
    run.edit((spec) => ({ ...spec, rollout: { pause: true } }));
    run.pass({ clusters });
    expect(images(run)).toEqual({ "replica-a-0": "registry.example/engine:0" });
  });

  test("that no longer fits where replicas stand is rolled by replacement", () => {
    const clusters = [one("a", 2), one("b", 3)];
    const run = standing(1, clusters);
    expect(run.replicas()).toEqual(["replica-a-0"]);
    run.edit((spec) => ({ ...spec, template: { spec: { engines: [engine({ copies: 3 })] } } }));
    run.pass({ clusters });
    expect(run.replicas()).toEqual(["replica-a-0", "replica-b-0"]);
    run.settle({ clusters });
    expect(run.replicas()).toEqual(["replica-b-0"]);
  });

  test("that fits nowhere leaves what serves alone and says what is short", () => {
    const clusters = [one("a", 2)];
    const run = standing(1, clusters);
    run.edit((spec) => ({ ...spec, template: { spec: { engines: [engine({ copies: 5 })] } } }));
    const composition = run.settle({ clusters });
    expect(keys(composition)).toEqual(["endpoint-a-0", "replica-a-0"]);
    expect(run.replica("replica-a-0").spec).toMatchObject({ engines: [{ copies: 1 }] });
    expect(condition(composition, "Holding")).toMatchObject({
      status: "True",
      reason: "GrowthDoesNotFit",
    });
    expect(condition(composition, "ReplicasUpdated")).toMatchObject({
      reason: "WaitingForCapacity",
    });
    expect(composition.ready).toBe(false);
  });
});

describe("when a cluster", () => {
  test("is not Ready, its replica stays, served as before, and counts as degraded", () => {
    const run = standing(2, [one("a"), one("b"), one("c")]);
    const composition = run.pass({
      clusters: [one("a", 1, { ready: "False" }), one("b"), one("c")],
    });
    // Requests reach it as before: its own conditions decide about traffic.
    expect(keys(composition)).toEqual([
      "endpoint-a-0",
      "endpoint-b-0",
      "replica-a-0",
      "replica-b-0",
    ]);
    expect(condition(composition, "ReplicasReady")).toMatchObject({
      status: "False",
      reason: "Degraded",
    });
    expect(condition(composition, "ReplicasReady")?.message).toContain(
      'InferenceCluster "a" is not Ready',
    );
  });

  test("loses its gateway address, its endpoint is withdrawn and comes back", () => {
    const run = standing(2, [one("a"), one("b")]);
    const lost = run.pass({ clusters: [one("a", 1, { status: { gateway: {} } }), one("b")] });
    expect(keys(lost)).toEqual(["endpoint-b-0", "replica-a-0", "replica-b-0"]);
    expect(condition(lost, "ReplicasReady")).toMatchObject({ reason: "Degraded" });
    const back = run.pass({ clusters: [one("a"), one("b")] });
    expect(keys(back)).toEqual(["endpoint-a-0", "endpoint-b-0", "replica-a-0", "replica-b-0"]);
  });

  test("is tainted NoSchedule, what stands there stays", () => {
    const run = standing(1, [one("a")]);
    run.settle({ clusters: [tainted("a", "NoSchedule"), one("b")] });
    expect(run.replicas()).toEqual(["replica-a-0"]);
  });

  test("is tainted NoExecute, its replicas are replaced one at a time before they go", () => {
    const run = standing(3, [one("a", 3)]);
    const clusters = [tainted("a", "NoExecute", 3), one("b", 3)];
    const story: string[] = [];
    for (let pass = 0; pass < 8; pass++) {
      run.pass({ clusters });
      story.push(
        run
          .replicas()
          .map((key) => key.slice("replica-".length))
          .join(" "),
      );
      run.serve();
    }
    expect(story).toEqual([
      "a-0 a-1 a-2 b-0",
      "a-0 a-1 b-0",
      "a-0 a-1 b-0 b-1",
      "a-0 b-0 b-1",
      "a-0 b-0 b-1 b-2",
      "b-0 b-1 b-2",
      "b-0 b-1 b-2",
      "b-0 b-1 b-2",
    ]);
  });

  test("is tainted NoExecute and nothing else fits, its replicas go and the rest says so", () => {
    const run = standing(2, [one("a"), one("b")]);
    const clusters = [one("a"), tainted("b", "NoExecute")];
    const composition = run.settle({ clusters });
    expect(run.replicas()).toEqual(["replica-a-0"]);
    expect(condition(composition, "ReplicasScheduled")).toMatchObject({
      reason: "PartiallyScheduled",
    });
    expect(composition.ready).toBe(false);
  });

  test("is deleted or loses its label, its replicas are replaced first, with their endpoints", () => {
    const run = standing(2, [one("m-west", 2)]);
    const clusters = [one("a-east", 2)];
    const first = run.pass({ clusters });
    expect(keys(first)).toEqual([
      "endpoint-m-west-0",
      "endpoint-m-west-1",
      "replica-a-east-0",
      "replica-m-west-0",
      "replica-m-west-1",
    ]);
    expect(condition(first, "Holding")).toBeUndefined();
    run.serve();
    run.settle({ clusters });
    expect(run.replicas()).toEqual(["replica-a-east-0", "replica-a-east-1"]);
  });

  test("is deleted and nothing else fits, they are held and endpoints stay", () => {
    const run = standing(2, [one("m-west", 2)]);
    const composition = run.settle({ clusters: [one("a-east", 0)] });
    expect(keys(composition)).toEqual([
      "endpoint-m-west-0",
      "endpoint-m-west-1",
      "replica-m-west-0",
      "replica-m-west-1",
    ]);
    expect(condition(composition, "Holding")).toMatchObject({
      status: "True",
      reason: "ClusterNotFound",
    });
    expect(condition(composition, "Holding")?.message).toMatch(
      /chat-\w{5} on m-west: InferenceCluster "m-west" is gone or no longer matches the selectors/,
    );
    // Held replicas are as ready as they are observed.
    expect(composition.resources.every(({ ready }) => ready)).toBe(true);
  });

  test("shrinks, to nothing too, its replicas stay", () => {
    const run = standing(2, [one("a", 2)]);
    run.settle({ clusters: [one("a", 0), one("b", 2)] });
    expect(run.replicas()).toEqual(["replica-a-0", "replica-a-1"]);
  });

  test("publishes no pools for a while, its replica stays as it is", () => {
    const run = standing(1, [one("a")]);
    setImage(run, "engine:2");
    run.settle({ clusters: [inferenceCluster("a", "unknown"), one("b")] });
    expect(images(run)).toEqual({ "replica-a-0": "registry.example/engine:1" });
  });

  test("is added, nothing moves", () => {
    const run = standing(2, [one("m-west", 2)]);
    run.settle({ clusters: [one("a-east", 2), one("m-west", 2)] });
    expect(run.replicas()).toEqual(["replica-m-west-0", "replica-m-west-1"]);
  });
});

describe("when devices change", () => {
  test("so that a valid selector is met by none, replicas move or are held", () => {
    const big = [engine({}, [memoryAtLeast(100)])];
    const fits = (name: string, gib: number) =>
      inferenceCluster(name, [pool("gpu", 1, [gpus(8, gib)])]);
    const run = standing(1, [fits("a", 141)], { engines: big });
    const held = run.settle({ clusters: [fits("a", 80)] });
    expect(run.replicas()).toEqual(["replica-a-0"]);
    expect(condition(held, "Holding")).toMatchObject({ reason: "NodeSelectorUnmet" });
    run.settle({ clusters: [fits("a", 80), fits("b", 141)] });
    expect(run.replicas()).toEqual(["replica-b-0"]);
  });
});

describe("contention", () => {
  test("the youngest replica that never served yields, one that served never does", () => {
    const clusters = [one("a", 2)];
    const run = new DeploymentRun(handler, deployment({ replicas: 2 }));
    run.pass({ clusters });
    run.serve("replica-a-0");
    const other: KubeObject = {
      ...run.replica("replica-a-0"),
      metadata: { name: "x", namespace: "other", creationTimestamp: "2025-01-01T00:00:00Z" },
      status: { served: true },
    };
    const composition = run.pass({ clusters, others: [other] });
    expect(run.replicas()).toEqual(["replica-a-0"]);
    expect(composition.results.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^Released chat-\w{5} on a: its node pool is over-committed/),
    );
  });

  test("a deployment of the same name in another namespace is another one", () => {
    const clusters = [one("a"), one("b")];
    const run = standing(1, clusters);
    const twin: KubeObject = {
      ...run.replica("replica-a-0"),
      metadata: { ...run.replica("replica-a-0").metadata, namespace: "other", name: "chat-twin" },
      spec: JSON.parse(JSON.stringify(run.replica("replica-a-0").spec).replace('"a"', '"b"')),
    };
    const composition = run.settle({ clusters });
    run.pass({ clusters, others: [twin] });
    expect(run.replicas()).toEqual(["replica-a-0"]);
    expect(condition(composition, "ReplicasScheduled")?.status).toBe("True");
  });
});

describe("deleting by hand", () => {
  test("lets a replica go, whose place is taken by another", () => {
    const clusters = [one("a", 2)];
    const run = standing(1, clusters);
    const replica = run.replica("replica-a-0");
    run.objects.set("replica-a-0", {
      ...replica,
      metadata: { ...replica.metadata, deletionTimestamp: "2026-01-01T01:00:00Z" },
    });
    const composition = run.compose({ clusters });
    expect(keys(composition)).toEqual(["replica-a-1"]);
  });
});

describe("labels edited by hand", () => {
  test("never move a replica, whose key is its identity, and are put right", () => {
    const clusters = [one("a", 2)];
    const run = standing(2, clusters);
    const replica = run.replica("replica-a-1");
    const labels = { ...replica.metadata?.labels, "modelplane.ai/replica-index": "zero" };
    run.objects.set("replica-a-1", { ...replica, metadata: { ...replica.metadata, labels } });
    run.pass({ clusters });
    expect(run.replicas()).toEqual(["replica-a-0", "replica-a-1"]);
    expect(run.replica("replica-a-1").metadata?.labels?.["modelplane.ai/replica-index"]).toBe("1");
  });
});
