import { describe, expect, test } from "vitest";
import type { Composition } from "../functions/composition/composition.ts";
import { modelDeploymentHandler } from "../functions/model-deployment/handler.ts";
import { createRefusals } from "../functions/model-replica/refusals.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import type { KubeObject } from "../kube/object.ts";
import { deployment, engine, inferenceCluster, pool } from "./support/deployment.ts";
import { DeploymentRun } from "./support/deployment-run.ts";

const handler = modelDeploymentHandler(shippedDefinitions(), createRefusals());

const one = (name: string, nodes = 1) => inferenceCluster(name, [pool("gpu", nodes)]);

function standing(replicas: number, clusters: readonly KubeObject[]): DeploymentRun {
  const run = new DeploymentRun(handler, deployment({ replicas }));
  run.settle({ clusters });
  return run;
}

function setImage(run: DeploymentRun, image: string): void {
  run.edit((spec) =>
    JSON.parse(JSON.stringify(spec).replace(/"image":"[^"]*"/g, `"image":"${image}"`)),
  );
}

/** The keys of the replicas that run an image. */
function running(run: DeploymentRun, image: string): readonly string[] {
  return run
    .replicas()
    .filter((key) => JSON.stringify(run.replica(key).spec).includes(`"image":"${image}"`));
}

function change(run: DeploymentRun, key: string, metadata: KubeObject["metadata"]): void {
  const replica = run.replica(key);
  run.objects.set(key, { ...replica, metadata: { ...replica.metadata, ...metadata } });
}

describe("a change of the template counts as unavailable", () => {
  test("a replica that is being deleted, until it is gone or another stands in for it", () => {
    const clusters = [one("a"), one("b"), one("c")];
    const run = standing(3, clusters);
    change(run, "replica-a-0", { deletionTimestamp: "2026-01-01T01:00:00Z" });
    setImage(run, "engine:2");
    const leaving = run.replica("replica-a-0");
    run.pass({ clusters });
    expect(running(run, "engine:2")).toEqual([]);
    // Its finalizers keep it, and its node, for another pass.
    run.objects.set("replica-a-0", leaving);
    run.pass({ clusters });
    expect(running(run, "engine:2")).toEqual([]);
    run.pass({ clusters });
    expect(running(run, "engine:2")).toEqual(["replica-a-0"]);
    run.serve();
    run.pass({ clusters });
    expect(running(run, "engine:2")).toEqual(["replica-a-0", "replica-b-0"]);
  });

  test("a replica that makes room for its replacement", () => {
    const pools = (p: number, q: number) => [pool("p", p), pool("q", q)];
    const fleet = (a: Record<string, unknown>[]) => [
      inferenceCluster("a", a),
      inferenceCluster("b", pools(2, 3)),
      inferenceCluster("c", pools(2, 3)),
    ];
    const engines = (copies: number) => [
      engine({ name: "first", copies: 2 }),
      engine({ name: "second", copies }),
    ];
    const run = new DeploymentRun(handler, deployment({ replicas: 3 }, { engines: engines(2) }));
    // The second engine stands on the pool of a where it can't grow; the other pool grows.
    run.settle({ clusters: fleet(pools(2, 2)) });
    const clusters = fleet(pools(3, 2));
    run.edit((spec) => ({ ...spec, template: { spec: { engines: engines(3) } } }));
    setImage(run, "engine:2");
    const before = run.replicas();
    run.pass({ clusters });
    const left = run.replicas().filter((key) => before.includes(key));
    expect(left).toHaveLength(2);
    expect(running(run, "engine:2").filter((key) => left.includes(key))).toEqual([]);
  });

  test("no replica that had no place before, or a small fleet would never roll", () => {
    const clusters = [one("a"), one("b")];
    const run = standing(3, clusters);
    setImage(run, "engine:2");
    run.settle({ clusters });
    expect(running(run, "engine:2")).toEqual(["replica-a-0", "replica-b-0"]);
  });
});

/** Takes from a replica what upstream's function does not write. */
function asUpstreamLeftIt(run: DeploymentRun, key: string): void {
  const replica = run.replica(key);
  const {
    observedSpecHash: _hash,
    served: _served,
    ...status
  } = replica.status as object & {
    observedSpecHash?: string;
    served?: boolean;
  };
  run.objects.set(key, { ...replica, status });
}

describe("replicas that serve and do not say for which spec, as after a switch from upstream,", () => {
  const clusters = [one("a"), one("b"), one("c")];

  test("are given a change one at a time, the next once the last says that it is ready for it", () => {
    const run = standing(3, clusters);
    for (const key of run.replicas()) asUpstreamLeftIt(run, key);
    setImage(run, "engine:2");
    run.pass({ clusters });
    expect(running(run, "engine:2")).toEqual(["replica-a-0"]);
    // Its own handler has not seen the change yet, so its status is still the old spec's.
    run.pass({ clusters });
    expect(running(run, "engine:2")).toEqual(["replica-a-0"]);
    run.serve("replica-a-0");
    run.pass({ clusters });
    expect(running(run, "engine:2")).toEqual(["replica-a-0", "replica-b-0"]);
  });

  test("never yield to others on an over-committed pool", () => {
    const clusters = [one("a", 2)];
    const run = standing(2, clusters);
    for (const key of run.replicas()) asUpstreamLeftIt(run, key);
    const other: KubeObject = {
      ...run.replica("replica-a-0"),
      metadata: { name: "x", namespace: "other", creationTimestamp: "2025-01-01T00:00:00Z" },
      status: { served: true },
    };
    run.pass({ clusters, others: [other] });
    expect(run.replicas()).toEqual(["replica-a-0", "replica-a-1"]);
  });
});

describe("while all is held, how far a change has come", () => {
  const clusters = [one("a"), one("b")];

  /** What a composition says of it. */
  function said({ status, conditions }: Composition) {
    const updated = conditions.find(({ type }) => type === "ReplicasUpdated");
    const placements = status.placements as readonly { readonly template: string }[];
    return [
      (status.replicas as { readonly updated: number }).updated,
      placements.map(({ template }) => template).join(" "),
      updated?.status,
      updated?.reason,
    ];
  }

  test("is said as it is", () => {
    const run = standing(2, clusters);
    expect(said(run.compose({ clusters: [] }))).toEqual([
      2,
      "Current Current",
      "True",
      "AllReplicasUpdated",
    ]);
    setImage(run, "engine:2");
    run.pass({ clusters });
    expect(said(run.compose({ clusters: [] }))).toEqual([
      1,
      "Current Outdated",
      "False",
      "NoClusters",
    ]);
  });

  test("is not at all for a template that is refused", () => {
    const run = standing(2, clusters);
    for (const template of [
      { spec: { engines: [] } },
      { spec: { engines: [engine({}, ["=="])] } },
    ]) {
      run.edit((spec) => ({ ...spec, template }));
      expect(said(run.compose({ clusters })).slice(0, 3)).toEqual([
        0,
        "Outdated Outdated",
        "False",
      ]);
    }
  });
});
