import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { findCondition } from "../../kube/conditions.ts";
import { field, isRecord, type KubeObject, listField, numberField } from "../../kube/object.ts";
import { createAuthority } from "../server-certificates.ts";
import { deployment, gpus } from "../support/deployment.ts";
import { accepts, ControlPlane, freePorts, until } from "./control-plane.ts";
import { installApis, startCrossplane, startFunction } from "./crossplane.ts";

const MODELPLANE = "/apis/modelplane.ai/v1alpha1";
const IN_TEAM = `${MODELPLANE}/namespaces/ml-team`;

/** Where this version of the provider has its webhooks and metrics, whatever it is told. */
const PROVIDER_PORTS = [9443, 8080];

let plane: ControlPlane;
let remote: ControlPlane;
let failed = false;
beforeAll(async () => {
  remote = await ControlPlane.start();
  await remote.applyDefinitions("gateway-api");
  await remote.applyDefinitions("inference-extension");
  plane = await ControlPlane.start();
  await startCrossplane(plane);
  await installApis(plane);
  await startFunction(plane);
  await startProvider(plane);
  await plane.client.createNamespace("ml-team");
  await plane.client.createNamespace("modelplane-system");
});
afterEach(({ task }) => {
  failed ||= task.result?.state === "fail";
});
afterAll(async () => {
  await plane?.stop(failed);
  await remote?.stop(failed);
});

/** Starts the provider that carries Objects to remote clusters; it looks at each every few seconds. */
async function startProvider(control: ControlPlane): Promise<void> {
  for (const port of PROVIDER_PORTS) {
    if (!(await accepts(port))) continue;
    throw new Error(`provider-kubernetes listens on port ${port} and no other: stop what is there`);
  }
  const certificates = join(control.directory, "provider-certificates");
  mkdirSync(certificates);
  const authority = await createAuthority("provider");
  const { certificate, key } = await authority.issue("provider-kubernetes");
  writeFileSync(join(certificates, "ca.crt"), authority.certificate);
  writeFileSync(join(certificates, "tls.crt"), certificate);
  writeFileSync(join(certificates, "tls.key"), key, { mode: 0o600 });
  const [health] = await freePorts(1);
  control.launch(
    "provider-kubernetes",
    ["--poll=3s", "--debug", `--health-probe-bind-addr=127.0.0.1:${health}`],
    { TLS_SERVER_CERTS_DIR: certificates },
  );
}

async function list(of: ControlPlane, path: string): Promise<readonly KubeObject[]> {
  const { body } = await of.client.get(path);
  return listField(body, "items").filter(isRecord) as unknown as KubeObject[];
}

/**
 * Stands in for the gateway's controller and for kubelets: gives the gateway an address, accepts
 * routes, and has the pods of Deployments running.
 */
async function standIn(): Promise<void> {
  const gateways = "/apis/gateway.networking.k8s.io/v1";
  for (const { metadata, spec } of await list(remote, "/apis/apps/v1/deployments")) {
    const replicas = Number(field(spec, "replicas") ?? 1);
    await remote.client.merge(
      `/apis/apps/v1/namespaces/${metadata?.namespace}/deployments/${metadata?.name}/status`,
      {
        status: {
          observedGeneration: metadata?.generation,
          replicas,
          updatedReplicas: replicas,
          readyReplicas: replicas,
          availableReplicas: replicas,
        },
      },
    );
  }
  for (const { metadata, spec } of await list(remote, `${gateways}/httproutes`)) {
    const condition = (type: string) => ({
      type,
      status: "True",
      reason: type,
      message: "",
      observedGeneration: metadata?.generation,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
    await remote.client.merge(
      `${gateways}/namespaces/${metadata?.namespace}/httproutes/${metadata?.name}/status`,
      {
        status: {
          parents: listField(spec, "parentRefs").map((parentRef) => ({
            parentRef,
            controllerName: "example.org/stand-in",
            conditions: [condition("Accepted"), condition("ResolvedRefs")],
          })),
        },
      },
    );
  }
}

test("the provider reaches the cluster, and its gateway's address is published", async () => {
  await remote.client.createNamespace("modelplane-system");
  const gateway =
    "/apis/gateway.networking.k8s.io/v1/namespaces/modelplane-system/gateways/cluster-gateway";
  await remote.client.apply(gateway, {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { name: "cluster-gateway", namespace: "modelplane-system" },
    spec: {
      gatewayClassName: "stand-in",
      listeners: [
        {
          name: "http",
          port: 80,
          protocol: "HTTP",
          allowedRoutes: { namespaces: { from: "All" } },
        },
      ],
    },
  });
  await remote.client.merge(`${gateway}/status`, {
    status: { addresses: [{ type: "IPAddress", value: "203.0.113.7" }] },
  });
  const kubeconfig = Buffer.from(remote.kubeconfigText).toString("base64");
  await plane.client.apply("/api/v1/namespaces/modelplane-system/secrets/paris-kubeconfig", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "paris-kubeconfig", namespace: "modelplane-system" },
    data: { kubeconfig },
  });
  await plane.client.apply(`${MODELPLANE}/inferenceclasses/h200`, {
    apiVersion: "modelplane.ai/v1alpha1",
    kind: "InferenceClass",
    metadata: { name: "h200" },
    spec: { devices: [{ name: "gpu", ...gpus(8, 141) }] },
  });
  await plane.client.apply(`${MODELPLANE}/inferenceclusters/paris`, {
    apiVersion: "modelplane.ai/v1alpha1",
    kind: "InferenceCluster",
    metadata: { name: "paris" },
    spec: {
      cluster: {
        source: "Existing",
        existing: { components: "Provided", secretRef: { name: "paris-kubeconfig" } },
      },
      nodePools: [{ name: "gpu", className: "h200", nodeCount: 2 }],
    },
  });
  await until("the cluster is Ready", async () => {
    const { body } = await plane.client.get(`${MODELPLANE}/inferenceclusters/paris`);
    return findCondition(body, "Ready")?.status === "True";
  });
  const { body } = await plane.client.get(`${MODELPLANE}/inferenceclusters/paris`);
  expect(field(body, "status", "gateway", "address")).toBe("203.0.113.7");
});

test("a deployment's manifests are applied there, and its readiness flows back", async () => {
  const { spec } = deployment({ replicas: 1 });
  await plane.client.apply(`${IN_TEAM}/modeldeployments/chat`, {
    apiVersion: "modelplane.ai/v1alpha1",
    kind: "ModelDeployment",
    metadata: { name: "chat", namespace: "ml-team" },
    spec,
  });
  await until("the engine's Deployment is on the cluster", async () => {
    return (await list(remote, "/apis/apps/v1/deployments")).length >= 2;
  });
  // Applied is not serving: without a ready pod nothing says so.
  const [early] = await list(plane, `${IN_TEAM}/modelreplicas`);
  expect(findCondition(early, "ModelServing")?.status).toBe("False");
  await until(
    "the deployment is Ready",
    async () => {
      await standIn();
      const { body } = await plane.client.get(`${IN_TEAM}/modeldeployments/chat`);
      return findCondition(body, "Ready")?.status === "True";
    },
    240_000,
  );
  const { body } = await plane.client.get(`${IN_TEAM}/modeldeployments/chat`);
  expect(numberField(body, "status", "replicas", "ready")).toBe(1);
  const endpoints = await list(plane, `${IN_TEAM}/modelendpoints`);
  expect(endpoints.map(({ spec: own }) => field(own, "origin"))).toEqual(["http://203.0.113.7"]);
  const claims = await list(remote, "/apis/resource.k8s.io/v1/resourceclaimtemplates");
  expect(claims.length).toBe(1);
});
