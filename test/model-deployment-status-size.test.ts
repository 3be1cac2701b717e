import { RunFunctionResponse } from "@crossplane-org/function-sdk-typescript";
import { expect, test } from "vitest";
import { createHandlers } from "../functions/handlers.ts";
import { runFunction } from "../functions/run.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import type { KubeObject } from "../kube/object.ts";
import { condition, deployment, engine, inferenceCluster, pool } from "./support/deployment.ts";
import { DeploymentRun } from "./support/deployment-run.ts";
import { encodeRequest } from "./wire-messages.ts";

const handlers = createHandlers(shippedDefinitions());

/** A deployment of so many replicas that has settled on one cluster. */
function standing(replicas: number): DeploymentRun {
  const handler = handlers.find(({ kind }) => kind === "ModelDeployment");
  if (handler === undefined) throw new Error("no handler of ModelDeployments");
  const run = new DeploymentRun(handler, deployment({ replicas }));
  run.settle({ clusters: [inferenceCluster("a", [pool("gpu", replicas)])] });
  return run;
}

/** A cluster that is not Ready and says why. */
function outOfOrder(message: string, nodes: number): KubeObject {
  const conditions = [{ type: "Ready", status: "False", reason: "Unavailable", message }];
  return inferenceCluster("a", [pool("gpu", nodes)], { status: { conditions } });
}

/** The bytes of a composition's status, conditions and results. */
function size(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

test("a status of 100 replicas stays small whatever their cluster says", () => {
  const run = standing(100);
  const composition = run.pass({ clusters: [outOfOrder("x".repeat(30_000), 100)] });
  const { status, conditions, results } = composition;
  expect(status.placements).toHaveLength(100);
  expect(condition(composition, "ReplicasReady")?.message).toContain("is not Ready: xxx");
  expect(size({ status, conditions, results })).toBeLessThan(100_000);
});

test("a status of 100 replicas stays small whatever is wrong with the spec", () => {
  const run = standing(100);
  const selectors = Array.from({ length: 5 }, (_, at) => `${"a".repeat(10_000)}${at}`);
  run.edit((spec) => ({ ...spec, template: { spec: { engines: [engine({}, selectors)] } } }));
  const composition = run.pass({ clusters: [inferenceCluster("a")] });
  const { status, conditions, results } = composition;
  expect(condition(composition, "Holding")?.reason).toBe("InvalidNodeSelector");
  expect(status.placements).toHaveLength(100);
  expect(size({ status, conditions, results })).toBeLessThan(100_000);
});

test("a server says why a cluster is not Ready, as a preview does", () => {
  const run = standing(1);
  const clusters = [outOfOrder("its provider can't reach it", 1)];
  const own = [...run.objects.values()].filter(({ kind }) => kind === "ModelReplica");
  const encoded = encodeRequest({
    composite: { ...run.composite },
    observed: Object.fromEntries([...run.objects].map(([key, object]) => [key, { ...object }])),
    required: {
      clusters: clusters.map((object) => ({ ...object })),
      "all-replicas": own.map((object) => ({ ...object })),
    },
  });
  const outcome = runFunction(handlers, encoded, "test");
  if ("invalid" in outcome) throw new Error("not composed");
  const { conditions } = RunFunctionResponse.decode(outcome.response);
  const expected = condition(run.compose({ clusters }), "ReplicasReady");
  expect(expected?.message).toContain("its provider can't reach it");
  expect(conditions.find(({ type }) => type === "ReplicasReady")?.message).toBe(expected?.message);
});
