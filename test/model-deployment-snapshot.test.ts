import { RunFunctionResponse } from "@crossplane-org/function-sdk-typescript";
import { expect, test } from "vitest";
import { createHandlers } from "../functions/handlers.ts";
import { createDeviceCatalogue } from "../functions/model-deployment/devices.ts";
import {
  CLUSTER_FIELDS,
  decodeCluster,
  decodeFleetReplica,
  FLEET_REPLICA_FIELDS,
} from "../functions/model-deployment/snapshot.ts";
import { runFunction } from "../functions/run.ts";
import { shippedDefinitions } from "../functions/shipped.ts";
import { decodeRequest } from "../functions/wire/request.ts";
import type { KubeObject } from "../kube/object.ts";
import { deployment, engine, observed, required } from "./support/deployment.ts";
import { generateFleet, seeded, shuffleFields } from "./support/fleet-generate.ts";
import { encodeRequest } from "./wire-messages.ts";

const fleet = generateFleet({ clusters: 30, poolsPerCluster: 4, devicesPerPool: 2, replicas: 60 });

/** The fleet as Crossplane sends it, each object's fields in an order of their own. */
function received() {
  const { clusters, replicas } = shuffleFields(fleet, seeded(2));
  const composite = { apiVersion: "modelplane.ai/v1alpha1", kind: "ModelDeployment" };
  const decoded = decodeRequest(encodeRequest({ composite, required: { clusters, replicas } }));
  if ("problem" in decoded) throw new Error(decoded.problem);
  return decoded.request.required;
}

test("what is read of a fleet's objects says all that a placement depends on", () => {
  const required = received();
  const catalogue = createDeviceCatalogue();
  const clusters = required("clusters", CLUSTER_FIELDS);
  const replicas = required("replicas", FLEET_REPLICA_FIELDS);
  if (clusters.state !== "present" || replicas.state !== "present") throw new Error("not there");
  const byName = <Named extends { readonly name: string }>(list: readonly Named[]) =>
    list.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  expect(byName(clusters.value.map((object) => decodeCluster(object, catalogue)))).toStrictEqual(
    byName(fleet.clusters.map((object) => decodeCluster(object, createDeviceCatalogue()))),
  );
  expect(byName(replicas.value.map(decodeFleetReplica))).toStrictEqual(
    byName(fleet.replicas.map(decodeFleetReplica)),
  );
  const labels = (objects: readonly KubeObject[]) =>
    objects.map(({ metadata }) => JSON.stringify(metadata?.labels)).sort();
  expect(labels(clusters.value)).toEqual(labels(fleet.clusters));
});

test("a fleet's pools share the profiles of its few kinds of node", () => {
  const clusters = received()("clusters", CLUSTER_FIELDS);
  if (clusters.state !== "present") throw new Error("not there");
  const catalogue = createDeviceCatalogue();
  const pools = clusters.value.flatMap((object) => decodeCluster(object, catalogue).pools ?? []);
  expect(pools).toHaveLength(120);
  expect(new Set(pools.map(({ profile }) => profile)).size).toBe(6);
});

test("a deployment is composed the same from what is read as from whole objects", () => {
  const handlers = createHandlers(shippedDefinitions());
  const composite = deployment(
    { replicas: 3 },
    { clusterSelector: { matchLabels: { region: "oslo" } }, engines: [engine({ copies: 2 })] },
  );
  const found = { clusters: fleet.clusters, "all-replicas": fleet.replicas };
  const composition = handlers
    .find(({ kind }) => kind === "ModelDeployment")
    ?.compose({ composite, observed: observed({}), required: required(found), input: undefined });
  const encoded = encodeRequest({ composite: { ...composite }, required: found });
  const outcome = runFunction(handlers, encoded, "test");
  if ("invalid" in outcome || composition === undefined) throw new Error("not composed");
  const { desired, conditions } = RunFunctionResponse.decode(outcome.response);
  const objects = Object.entries(desired?.resources ?? {}).map(([key, { resource }]) => [
    key,
    resource,
  ]);
  expect(objects.length).toBeGreaterThan(0);
  expect(Object.fromEntries(objects)).toEqual(
    Object.fromEntries(composition.resources.map(({ key, object }) => [key, object])),
  );
  expect(conditions.map(({ message }) => message)).toEqual(
    composition.conditions.map(({ message }) => message),
  );
});
