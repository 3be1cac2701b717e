import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { assumeReady } from "../../cli/simulation/healthy.ts";
import { findCondition } from "../../kube/conditions.ts";
import { field, isRecord, type KubeObject, listField, numberField } from "../../kube/object.ts";
import { deployment, engine, gpus } from "../support/deployment.ts";
import { ControlPlane, until } from "./control-plane.ts";
import { type FunctionProcess, installApis, startCrossplane, startFunction } from "./crossplane.ts";

const MODELPLANE = "/apis/modelplane.ai/v1alpha1";
const IN_TEAM = `${MODELPLANE}/namespaces/ml-team`;
const OBJECTS = "/apis/kubernetes.m.crossplane.io/v1alpha1";

let plane: ControlPlane;
let server: FunctionProcess;
let failed = false;
beforeAll(async () => {
  plane = await ControlPlane.start();
  await startCrossplane(plane);
  await installApis(plane);
  await plane.client.createNamespace("ml-team");
  await plane.client.createNamespace("modelplane-system");
  server = await startFunction(plane);
});
afterEach(({ task }) => {
  failed ||= task.result?.state === "fail";
});
afterAll(() => plane?.stop(failed));

/** The objects of a list, by name. */
async function list(path: string): Promise<ReadonlyMap<string, KubeObject>> {
  const { body } = await plane.client.get(path);
  const items = listField(body, "items").filter(isRecord) as unknown as KubeObject[];
  return new Map(items.map((item) => [item.metadata?.name ?? "", item]));
}

async function get(path: string): Promise<KubeObject> {
  return (await plane.client.get(path)).body;
}

/** Does for every Object what its provider does once the remote object is applied and healthy. */
async function provide(): Promise<void> {
  for (const object of (await list(`${OBJECTS}/objects`)).values()) {
    const { namespace, name } = object.metadata ?? {};
    const { status } = assumeReady(object);
    const same = JSON.stringify(field(object, "status", "atProvider", "manifest", "spec"));
    const wanted = JSON.stringify(field(object, "spec", "forProvider", "manifest", "spec"));
    if (same === wanted && findCondition(object, "Ready")?.status === "True") continue;
    await plane.client.merge(`${OBJECTS}/namespaces/${namespace}/objects/${name}/status`, {
      status,
    });
  }
}

const xr = (name: string, change: Partial<KubeObject>): KubeObject => ({
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "InferenceCluster",
  metadata: { name },
  ...change,
});

const cluster = (name: string) =>
  xr(name, {
    spec: {
      cluster: {
        source: "Existing",
        existing: { components: "Provided", secretRef: { name: `${name}-kubeconfig` } },
      },
      nodePools: [{ name: "gpu", className: "h200", nodeCount: 2 }],
    },
  });

describe("a fleet under a real Crossplane", () => {
  test("clusters publish what their class says, once their gateway is seen", async () => {
    await plane.client.apply(`${MODELPLANE}/inferenceclasses/h200`, {
      apiVersion: "modelplane.ai/v1alpha1",
      kind: "InferenceClass",
      metadata: { name: "h200" },
      spec: { devices: [{ name: "gpu", ...gpus(8, 141) }] },
    });
    for (const name of ["paris", "rome"]) {
      await plane.client.apply(`${MODELPLANE}/inferenceclusters/${name}`, cluster(name));
    }
    await until("both clusters are Ready", async () => {
      await provide();
      const clusters = [...(await list(`${MODELPLANE}/inferenceclusters`)).values()];
      return clusters.every((one) => findCondition(one, "Ready")?.status === "True");
    });
    const paris = await get(`${MODELPLANE}/inferenceclusters/paris`);
    expect(field(paris, "status", "gpuPools")).toMatchObject([{ name: "gpu", nodes: 2 }]);
    const usages = await list("/apis/protection.crossplane.io/v1beta1/clusterusages");
    expect([...usages.values()].map((one) => field(one, "spec", "of", "kind"))).toEqual([
      "InferenceClass",
    ]);
  });

  test("a deployment is placed, composed, served and reached through endpoints", async () => {
    const { metadata, ...chat } = deployment({ replicas: 2 });
    await plane.client.apply(`${IN_TEAM}/modeldeployments/chat`, {
      ...chat,
      metadata: { name: "chat", namespace: "ml-team" },
    });
    expect(metadata?.name).toBe("chat");
    await until(
      "both replicas serve",
      async () => {
        await provide();
        return (await list(`${IN_TEAM}/modelendpoints`)).size === 2;
      },
      240_000,
    );
    const replicas = [...(await list(`${IN_TEAM}/modelreplicas`)).values()];
    expect(replicas.map((one) => field(one, "spec", "clusterName")).sort()).toEqual([
      "paris",
      "rome",
    ]);
    for (const replica of replicas) {
      expect(replica.metadata?.labels).toMatchObject({
        "modelplane.ai/deployment": "chat",
        "crossplane.io/composite": "chat",
      });
      expect(listField(replica, "metadata", "ownerReferences")).toMatchObject([
        { kind: "ModelDeployment", name: "chat", controller: true },
      ]);
    }
  });

  test("a deployment scales by its scale subresource", async () => {
    const path = `${IN_TEAM}/modeldeployments/chat/scale`;
    const scale = await get(path);
    expect(field(scale, "spec", "replicas")).toBe(2);
    expect(numberField(scale, "status", "replicas")).toBe(2);
  });
});

describe("nothing that serves is lost", () => {
  const names = async () => [...(await list(`${IN_TEAM}/modelreplicas`)).keys()].sort();

  test("when a cluster is gone and nothing else fits", async () => {
    const before = await names();
    await plane.client.delete(`${MODELPLANE}/inferenceclusters/rome`);
    await plane.client.merge(`${IN_TEAM}/modeldeployments/chat`, {
      metadata: { labels: { touched: "1" } },
    });
    await until(
      "the replica on rome says that its cluster is gone",
      async () => {
        const replicas = [...(await list(`${IN_TEAM}/modelreplicas`)).values()];
        return replicas.some((one) => findCondition(one, "Holding")?.reason === "ClusterNotFound");
      },
      240_000,
    );
    expect((await names()).filter((name) => before.includes(name))).toEqual(before);
  });

  test("when an edit is malformed", async () => {
    const before = await names();
    const { spec } = deployment({ replicas: 2 }, { engines: [engine({}, ["device.driver =="])] });
    await plane.client.merge(`${IN_TEAM}/modeldeployments/chat`, { spec });
    await until(
      "the deployment is held",
      async () => {
        const chat = await get(`${IN_TEAM}/modeldeployments/chat`);
        return findCondition(chat, "Holding")?.reason === "InvalidNodeSelector";
      },
      240_000,
    );
    expect((await names()).filter((name) => before.includes(name))).toEqual(before);
  });

  test("when the function is killed and started again", async () => {
    const before = await names();
    await server.kill("SIGKILL");
    await plane.client.merge(`${IN_TEAM}/modeldeployments/chat`, {
      metadata: { labels: { touched: "2" } },
    });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await names()).toEqual(before);
    server = await startFunction(plane, server.port);
    await plane.client.merge(`${IN_TEAM}/modeldeployments/chat`, {
      spec: deployment({ replicas: 1 }).spec,
    });
    await until(
      "the scale-down is carried out",
      async () => {
        const chat = await get(`${IN_TEAM}/modeldeployments/chat`);
        return numberField(chat, "status", "replicas", "desired") === 1;
      },
      240_000,
    );
  });
});
