import fc from "fast-check";
import { expect, test } from "vitest";
import { modelDeploymentHandler } from "../functions/model-deployment/handler.ts";
import { createRefusals } from "../functions/model-replica/refusals.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import type { KubeObject } from "../kube/object.ts";
import { deployment, inferenceCluster, pool } from "./support/deployment.ts";
import { DeploymentRun, serving } from "./support/deployment-run.ts";

const handler = modelDeploymentHandler(shippedDefinitions(), createRefusals());

/** One thing that happens to a deployment or its fleet between two passes. */
type Happening =
  | { readonly type: "image" | "pause" | "resume" | "empty" | "unresolved" }
  | { readonly type: "scale"; readonly to: number }
  | { readonly type: "drain" | "undrain" | "outage" | "back" | "vanish"; readonly cluster: number }
  | { readonly type: "resize"; readonly cluster: number; readonly nodes: number }
  | { readonly type: "fail" | "serve"; readonly replica: number };

const clusterAt = fc.nat({ max: 3 });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ type: fc.constantFrom("image", "pause", "resume", "empty", "unresolved") }),
  fc.record({ type: fc.constant("scale"), to: fc.nat({ max: 4 }) }),
  fc.record({
    type: fc.constantFrom("drain", "undrain", "outage", "back", "vanish"),
    cluster: clusterAt,
  }),
  fc.record({ type: fc.constant("resize"), cluster: clusterAt, nodes: fc.nat({ max: 3 }) }),
  fc.record({
    type: fc.constantFrom("fail", "serve", "serve", "serve"),
    replica: fc.nat({ max: 4 }),
  }),
) as fc.Arbitrary<Happening>;

/** A fleet of four clusters that can be drained, lost, resized and brought back. */
class Clusters {
  readonly nodes = [1, 2, 1, 0];
  readonly drained = new Set<number>();
  readonly out = new Set<number>();
  readonly gone = new Set<number>();

  objects(): readonly KubeObject[] {
    return this.nodes.flatMap((nodes, at) => {
      if (this.gone.has(at)) return [];
      const taints = this.drained.has(at) ? [{ key: "retire", effect: "NoExecute" }] : [];
      return [
        inferenceCluster(`c${at}`, [pool("gpu", nodes)], {
          spec: { taints },
          ready: this.out.has(at) ? "False" : "True",
        }),
      ];
    });
  }

  happen(what: Happening): void {
    if (what.type === "drain") this.drained.add(what.cluster);
    if (what.type === "undrain") this.drained.delete(what.cluster);
    if (what.type === "outage") this.out.add(what.cluster);
    if (what.type === "back") {
      this.out.delete(what.cluster);
      this.gone.delete(what.cluster);
    }
    if (what.type === "vanish") this.gone.add(what.cluster);
    if (what.type === "resize") this.nodes[what.cluster] = what.nodes;
  }
}

const spec = (object: KubeObject | undefined) => JSON.stringify(object?.spec);
const isReady = (object: KubeObject) =>
  JSON.stringify(object.status ?? {}).includes('"type":"ModelReady","status":"True"');

test("whatever happens, a pass takes no more from what is ready than it may", () => {
  fc.assert(
    fc.property(fc.array(happening, { minLength: 1, maxLength: 40 }), (story) => {
      const clusters = new Clusters();
      const run = new DeploymentRun(handler, deployment({ replicas: 2 }));
      run.settle({ clusters: clusters.objects() });
      let image = 1;
      for (const what of story) {
        clusters.happen(what);
        if (what.type === "image") {
          const next = `engine:${++image}`;
          run.edit((old) =>
            JSON.parse(JSON.stringify(old).replace(/"image":"[^"]*"/, `"image":"${next}"`)),
          );
        }
        if (what.type === "pause" || what.type === "resume") {
          run.edit((old) => ({ ...old, rollout: { pause: what.type === "pause" } }));
        }
        if (what.type === "scale") run.edit((old) => ({ ...old, replicas: what.to }));
        const keys = run.replicas();
        if ((what.type === "fail" || what.type === "serve") && keys.length > 0) {
          const key = keys[what.replica % keys.length] as string;
          if (what.type === "fail") run.fail(key);
          else run.objects.set(key, serving(run.replica(key)));
        }
        const before = new Map(keys.map((key) => [key, run.replica(key)]));
        const objects = clusters.objects();
        run.pass(
          what.type === "unresolved" ? {} : { clusters: what.type === "empty" ? [] : objects },
        );
        const desired = (run.composite.spec as { replicas: number }).replicas;
        const blind = what.type === "unresolved" || what.type === "empty" || objects.length === 0;

        const lost = [...before].filter(([key]) => !run.objects.has(key));
        const wasReady = [...before.values()].filter(isReady).length;
        const readyLost = lost.filter(([, object]) => isReady(object));
        const changed = [...before].filter(
          ([key, object]) => run.objects.has(key) && spec(run.objects.get(key)) !== spec(object),
        );
        // Blind, nothing but a scale-down takes anything, and nothing changes.
        if (blind) {
          expect(run.replicas().length).toBe(Math.min(before.size, desired));
          expect(changed).toEqual([]);
        }
        // What is ready and can stay goes by a scale-down, a finished move, a swap or a drain alone.
        const drained = readyLost.filter(([key]) =>
          clusters.drained.has(Number(key.at("replica-c".length))),
        );
        const remaining = wasReady - readyLost.length;
        expect(remaining + drained.length + 1).toBeGreaterThanOrEqual(Math.min(wasReady, desired));
        // One replica at a time is changed while it is ready.
        const readyChanged = changed.filter(([, object]) => isReady(object));
        expect(readyChanged.length).toBeLessThanOrEqual(1);
        // Nor is one changed while another, on a cluster that is Ready, makes room.
        const onReady = readyChanged.filter(([key]) => {
          return !clusters.out.has(Number(key.at("replica-c".length)));
        });
        expect(remaining - onReady.length + drained.length + 1).toBeGreaterThanOrEqual(
          Math.min(wasReady, desired),
        );
        for (const key of run.replicas().filter((one) => !before.has(one))) {
          const at = Number(key.at("replica-c".length));
          expect(clusters.drained.has(at) || clusters.out.has(at) || clusters.gone.has(at)).toBe(
            false,
          );
        }
        // No pool is given more than it has by what is placed.
        for (const [at, nodes] of clusters.nodes.entries()) {
          const there = run.replicas().filter((key) => key.startsWith(`replica-c${at}-`));
          const fresh = there.filter((key) => !before.has(key));
          if (fresh.length > 0) expect(there.length).toBeLessThanOrEqual(nodes);
        }
      }
      // Left alone, with all that runs becoming ready, it comes to rest.
      run.edit((old) => ({ ...old, rollout: { pause: false } }));
      run.settle({ clusters: clusters.objects() }, 40);
    }),
    { numRuns: 300, seed: 20261201 },
  );
});
