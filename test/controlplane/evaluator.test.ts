import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { READINESS_GATE } from "../../api/decision-model.ts";
import { systemClock } from "../../evaluator/engine/clock.ts";
import { catalog } from "../../evaluator/engine/simulator/catalog.ts";
import { type Listening, listen } from "../../evaluator/engine/simulator/http-server.ts";
import { findCondition } from "../../kube/conditions.ts";
import { field, isRecord, type KubeObject, listField, stringField } from "../../kube/object.ts";
import { simulatedServer } from "../support/simulated-server.ts";
import { pathOf } from "./client.ts";
import { ControlPlane, until } from "./control-plane.ts";
import { root } from "./crossplane.ts";

const MODELS = "/apis/decisionmodel.io/v1alpha1/namespaces/default/decisionmodels";
const MOST_BYTES = 8_388_608;
const NOW = "2026-01-01T00:00:00Z";

let plane: ControlPlane;
let registry: Listening;
let evaluator: ChildProcess;
const engines: Listening[] = [];
const logged: string[] = [];
let failed = false;

beforeAll(async () => {
  plane = await ControlPlane.start();
  await plane.client.createNamespace("sluice-system");
  for (const object of [...shipped("crd.yaml"), ...shipped("rbac.yaml")]) {
    await plane.client.apply(pathOf(object, pluralOf(object)), object);
  }
  await until(
    "DecisionModels are served",
    async () => (await plane.client.get(MODELS)).status === 200,
  );
  const answering = simulatedServer(systemClock, {
    registry: ({ model, tag }) =>
      catalog.find(({ name }) => name.model === model && name.tag === tag),
  });
  registry = await listen(answering, { host: "127.0.0.1", port: 0 }, MOST_BYTES);
  evaluator = await startEvaluator();
});
afterEach(({ task }) => {
  failed ||= task.result?.state === "fail";
});
afterAll(async () => {
  evaluator?.kill("SIGKILL");
  for (const engine of [...engines, registry]) await engine?.close();
  if (failed) process.stderr.write(`${logged.join("\n")}\n`);
  await plane?.stop(failed);
});

function shipped(file: string): readonly KubeObject[] {
  const text = readFileSync(join(root, "package/evaluator", file), "utf8");
  return parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
}

function pluralOf({ kind }: KubeObject): string {
  return `${kind.toLowerCase()}s`;
}

/** Starts an evaluator with the permissions of its own account and no others. */
async function startEvaluator(): Promise<ChildProcess> {
  const path = "/api/v1/namespaces/sluice-system/serviceaccounts/sluice-evaluator/token";
  const asked = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const { body } = await plane.client.create(path, asked);
  const config = JSON.parse(plane.kubeconfigText) as { users: { user: object }[] };
  for (const one of config.users) one.user = { token: stringField(body, "status", "token") };
  const kubeconfig = join(plane.directory, "evaluator-kubeconfig");
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  const { http_proxy: _a, https_proxy: _b, HTTP_PROXY: _c, HTTPS_PROXY: _d, ...env } = process.env;
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--ollaya-registry=${registry.origin}`,
    "--allow-insecure-registries",
    "--health-probe-bind-address=0",
    "--leader-elect",
    "--leader-election-namespace=sluice-system",
  ];
  const child = spawn(process.execPath, [join(root, "evaluator/main.ts"), ...flags], {
    stdio: ["ignore", "ignore", "pipe"],
    env,
  });
  plane.adopt(child);
  createInterface({ input: child.stderr }).on("line", (line) => logged.push(line));
  return child;
}

async function list(path: string): Promise<readonly KubeObject[]> {
  const { body } = await plane.client.get(path);
  // Items of a list have no kind of their own.
  const { apiVersion } = body;
  const kind = body.kind.replace(/List$/, "");
  return listField(body, "items")
    .filter(isRecord)
    .map((item) => ({ apiVersion, kind, ...item }));
}

const core = "/api/v1/namespaces/default";
const apps = "/apis/apps/v1/namespaces/default";
const batch = "/apis/batch/v1/namespaces/default";

/** Stands in for the controllers of Jobs and Deployments, and for kubelets, which no process here is. */
async function standIn(): Promise<void> {
  for (const job of await list(`${batch}/jobs`)) {
    if (findCondition(job, "Complete") !== undefined) continue;
    const condition = (type: string) => ({
      type,
      status: "True",
      reason: "CompletionsReached",
      message: "",
      lastProbeTime: NOW,
      lastTransitionTime: NOW,
    });
    const first = { startTime: NOW, conditions: [condition("SuccessCriteriaMet")] };
    const path = `${batch}/jobs/${job.metadata?.name}/status`;
    await plane.client.merge(path, { status: first });
    const done = {
      succeeded: 1,
      completionTime: NOW,
      conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
    };
    await plane.client.merge(path, { status: done });
  }
  const sets = await list(`${apps}/replicasets`);
  for (const deployment of await list(`${apps}/deployments`)) {
    const set = sets.find(({ metadata }) => metadata?.name === deployment.metadata?.name);
    if (set === undefined) await makePods(deployment);
  }
  for (const pod of await list(`${core}/pods`)) {
    if (findCondition(pod, READINESS_GATE)?.status !== "True") continue;
    if (findCondition(pod, "Ready")?.status === "True") continue;
    const conditions = listField(pod.status, "conditions").map((one) =>
      stringField(one, "type") === "Ready" ? { ...(one as object), status: "True" } : one,
    );
    const path = `${core}/pods/${pod.metadata?.name}/status`;
    await plane.client.merge(path, { status: { conditions } });
  }
}

/** Makes the ReplicaSet and the one pod of a Deployment, with an engine behind the pod's address. */
async function makePods(deployment: KubeObject): Promise<void> {
  const reference = ({ apiVersion, kind, metadata }: KubeObject) => ({
    apiVersion,
    kind,
    name: metadata?.name,
    uid: metadata?.uid,
    controller: true,
  });
  const template = field(deployment.spec, "template") as Record<string, unknown>;
  const labels = field(template, "metadata", "labels");
  const name = deployment.metadata?.name;
  const made = await plane.client.create(`${apps}/replicasets`, {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, labels, ownerReferences: [reference(deployment)] },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  });
  expect(made.status, stringField(made.body, "message")).toBe(201);
  const pod = await plane.client.create(`${core}/pods`, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels, ownerReferences: [reference(made.body)] },
    spec: template.spec,
  });
  expect(pod.status, stringField(pod.body, "message")).toBe(201);
  const host = `127.78.0.${engines.length + 1}`;
  const server = simulatedServer(systemClock, {
    keepAlive: Number.POSITIVE_INFINITY,
    stored: catalog.map((model) => ({ ...model, loadMilliseconds: 10 })),
  });
  engines.push(await listen(server, { host, port: 11_435 }, MOST_BYTES));
  const condition = (type: string, status: string) => ({ type, status, lastTransitionTime: NOW });
  const status = {
    phase: "Running",
    podIP: host,
    podIPs: [{ ip: host }],
    conditions: [condition("ContainersReady", "True"), condition("Ready", "False")],
  };
  await plane.client.merge(`${core}/pods/${name}/status`, { status });
  const { generation } = deployment.metadata ?? {};
  await plane.client.merge(`${apps}/deployments/${name}/status`, {
    status: {
      observedGeneration: generation,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      conditions: [
        { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", message: "" },
      ],
    },
  });
}

/** Waits until a model serves, with the controllers stood in for. */
async function untilServes(model: string): Promise<KubeObject> {
  let seen: KubeObject | undefined;
  await until(`${model} serves`, async () => {
    await standIn();
    seen = (await plane.client.get(`${MODELS}/triage`)).body;
    return (
      stringField(seen.status, "stableRevision", "model") === model &&
      findCondition(seen, "Ready")?.status === "True"
    );
  });
  return seen as KubeObject;
}

test("a first revision is pulled, started and promoted with the evaluator's own permissions", async () => {
  await plane.client.apply(`${MODELS}/triage`, {
    apiVersion: "decisionmodel.io/v1alpha1",
    kind: "DecisionModel",
    metadata: { name: "triage", namespace: "default" },
    spec: { model: "laya:en" },
  });
  const { status } = await untilServes("laya:en");
  await until(
    "the Service is there",
    async () => (await plane.client.get(`${core}/services/triage`)).status === 200,
  );
  const { body } = await plane.client.get(`${core}/services/triage`);
  expect(stringField(body.spec, "selector", "decisionmodel.io/revision")).toBe(
    stringField(status, "stableRevision", "hash"),
  );
});

test("another one replaces it, which events tell, and nothing was forbidden or not understood", async () => {
  await plane.client.merge(`${MODELS}/triage`, { spec: { model: "nli:latest" } });
  const { status } = await untilServes("nli:latest");
  const hash = stringField(status, "stableRevision", "hash");
  await until("the Service has moved", async () => {
    const { body } = await plane.client.get(`${core}/services/triage`);
    return stringField(body.spec, "selector", "decisionmodel.io/revision") === hash;
  });
  const events = await list("/apis/events.k8s.io/v1/namespaces/default/events");
  const reasons = events.map(({ reason }) => reason);
  expect(reasons.filter((reason) => reason === "Promoted")).toHaveLength(2);
  expect(reasons).toContain("PrefetchStarted");
  expect(logged.filter((line) => /forbidden|Forbidden|Invalid/.test(line))).toEqual([]);
});

test("once all is as it should be, nothing is written any more", async () => {
  await new Promise((resolve) => setTimeout(resolve, 5000));
  const version = async () =>
    (await plane.client.get(`${MODELS}/triage`)).body.metadata?.resourceVersion;
  const before = await version();
  const objects = async () =>
    (await list(`${apps}/deployments`)).map(({ metadata }) => metadata?.resourceVersion);
  const seen = await objects();
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  expect(await version()).toBe(before);
  expect(await objects()).toEqual(seen);
});

test("it gives the Lease back to time and ends in order", async () => {
  const lease = "/apis/coordination.k8s.io/v1/namespaces/sluice-system/leases/4aba9cc6.io";
  const { body } = await plane.client.get(lease);
  expect(stringField(body.spec, "renewTime")).toMatch(/\.\d{6}Z$/);
  evaluator.kill("SIGTERM");
  const [code] = await once(evaluator, "close");
  expect(code).toBe(0);
});
