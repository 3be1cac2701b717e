import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { loadCommand, runSluice } from "../cli/dispatch.ts";
import type { KubeObject } from "../kube/object.ts";
import {
  type ApiServer,
  kubeconfigOf,
  type Served,
  serveApi,
  statusOf,
} from "./support/api-server.ts";
import { deployment, inferenceCluster, pool } from "./support/deployment.ts";
import { recorded } from "./support/terminal.ts";

let cwd = "";
let api: ApiServer | undefined;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "sluice-explain-"));
});
afterEach(async () => {
  await api?.close();
  api = undefined;
});
afterAll(() => rmSync(cwd, { recursive: true }));

const clusters = ["oslo", "lima", "paris", "quito", "delhi"].map((name) =>
  inferenceCluster(name, [pool("gpu", 1)]),
);
const others: readonly KubeObject[] = [1, 2, 3].map((at) => ({
  apiVersion: "modelplane.ai/v1alpha1",
  kind: "ModelReplica",
  metadata: {
    name: `batch-${at}`,
    namespace: "ops",
    labels: { "modelplane.ai/deployment": "batch" },
    managedFields: [{ manager: "crossplane" }],
  },
  spec: {
    clusterName: ["oslo", "lima", "paris"][at - 1],
    engines: [
      { name: "main", copies: 1, members: [{ nodePoolName: "gpu", deviceRequests: [{}] }] },
    ],
  },
}));

const fleet = {
  modeldeployments: [deployment({ replicas: 3 })],
  inferenceclusters: clusters,
  inferenceclasses: [],
  modelreplicas: others,
  modelcaches: [],
};

async function explain(kinds: Readonly<Record<string, Served>>, ...argv: readonly string[]) {
  api = await serveApi(kinds);
  writeFileSync(join(cwd, "kubeconfig"), api.kubeconfig);
  return run(...(argv.length === 0 ? ["ml-team/chat"] : argv));
}

function run(...argv: readonly string[]) {
  const all = ["explain", ...argv, "--kubeconfig", "kubeconfig"];
  return recorded((terminal) => runSluice(all, ["explain"], loadCommand, () => "0", terminal), {
    cwd,
  });
}

describe("a control plane's fleet", () => {
  test("is read page by page", async () => {
    const { code, out, err } = await explain(fleet);
    expect(err).toBe("");
    expect(out).toContain("ModelDeployment ml-team/chat: 2 of 3 replicas have a place");
    expect(out).toContain("held by ops/batch (1)");
    expect(code).toBe(1);
    const pages = (api?.asked ?? []).filter((path) => path.includes("/inferenceclusters?"));
    expect(pages).toEqual(
      ["", "&continue=2", "&continue=4"].map(
        (from) => `/apis/modelplane.ai/v1alpha1/inferenceclusters?limit=500${from}`,
      ),
    );
  });

  test("takes a deployment from a file too", async () => {
    writeFileSync(join(cwd, "xr.json"), JSON.stringify(deployment({ replicas: 2 })));
    const { code, out } = await explain({ ...fleet, modeldeployments: [] }, "xr.json");
    expect(out).toContain("2 of 2 replicas have a place");
    expect(code).toBe(0);
  });

  test("is listed again when its pages expire", async () => {
    let expired = 0;
    const gone = statusOf(410, "Expired", "The provided continue parameter is too old");
    const { code } = await explain({
      ...fleet,
      modelcaches: () => (expired++ === 0 ? gone : undefined),
    });
    expect(code).toBe(1);
    expect(api?.asked.filter((path) => path.includes("/modelcaches?"))).toHaveLength(2);
  });

  test("is asked for again when the server is busy", async () => {
    let asked = 0;
    const busy = { status: 429, body: "Too many requests", headers: { "retry-after": "0" } };
    const { code } = await explain({
      ...fleet,
      modelcaches: () => (asked++ < 2 ? busy : undefined),
    });
    expect(code).toBe(1);
  });
});

describe("what can't be read says what to do", () => {
  const forbidden = 'inferenceclusters.modelplane.ai is forbidden: User "eve" cannot list';
  test.each([
    [
      "a kind that is not defined there",
      { ...fleet, inferenceclusters: undefined },
      /does not serve InferenceCluster \(modelplane\.ai\/v1alpha1\): install the definitions of package\/apis/,
    ],
    [
      "a kind that nobody may read",
      { ...fleet, inferenceclusters: () => statusOf(403, "Forbidden", forbidden) },
      /forbids reading inferenceclusters: .*User "eve".*kubectl create clusterrole sluice-explain --verb=get,list/,
    ],
    [
      "a server in trouble",
      { ...fleet, modelreplicas: () => statusOf(500, "InternalError", "etcdserver: no leader") },
      /answered 500 to reading modelreplicas: etcdserver: no leader; try again/,
    ],
    [
      "a server that stays busy",
      {
        ...fleet,
        modelreplicas: () => ({ status: 429, body: "", headers: { "retry-after": "0" } }),
      },
      /answered 429 to reading modelreplicas; try again/,
    ],
    [
      "what is no API server",
      { ...fleet, modelreplicas: () => ({ status: 200, body: "<html>secret</html>" }) },
      /answers without JSON; is it a Kubernetes API server\?$/,
    ],
    [
      "an object that no API server would have stored",
      { ...fleet, modelcaches: [{ apiVersion: "v1", kind: "x", metadata: { name: 5 } }] },
      /a ModelCache whose metadata\.name is a number, not a string/,
    ],
    [
      "a deployment that is not there",
      { ...fleet, modeldeployments: [] },
      /^ml-team\/chat: there is no ModelDeployment "chat" in namespace "ml-team", and no such file/,
    ],
  ])("%s", async (_, kinds, message) => {
    const given = Object.entries(kinds).filter(([, served]) => served !== undefined);
    const { code, out, err } = await explain(Object.fromEntries(given) as Record<string, Served>);
    expect(err.trimEnd()).toMatch(message);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });

  test.each([
    [
      "refused credentials",
      (server: string) => kubeconfigOf(server, "wrong"),
      /does not accept the credentials/,
    ],
    [
      "a server that is not there",
      () => kubeconfigOf("http://127.0.0.1:1"),
      /can't be reached: .*check the server/,
    ],
    [
      "a kubeconfig that is no YAML, with nothing of what stands in it",
      () => "token: a-secret\na: [",
      /the kubeconfig .*kubeconfig can't be read \(\w+ near line \d+\)/,
    ],
    [
      "a kubeconfig without a context",
      () => JSON.stringify({ apiVersion: "v1", kind: "Config" }),
      /names no cluster: its current-context is "".*kubectl config use-context/,
    ],
    [
      "a kubeconfig with plain HTTP",
      () => kubeconfigOf("http://127.0.0.1:1").replace('"insecure-skip-tls-verify":true', '"x":1'),
      /can't be used for http:\/\/127\.0\.0\.1:1: HTTP protocol is not allowed/,
    ],
  ])("%s", async (_, kubeconfig, message) => {
    api = await serveApi(fleet);
    const server = JSON.parse(api.kubeconfig).clusters[0].cluster.server;
    writeFileSync(join(cwd, "kubeconfig"), kubeconfig(server));
    const { code, out, err } = await run("ml-team/chat");
    expect(err.trimEnd()).toMatch(message);
    expect(err).not.toMatch(/wrong|secret/);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });

  test("a kubeconfig that is not there", async () => {
    rmSync(join(cwd, "kubeconfig"), { force: true });
    const { code, err } = await run("ml-team/chat");
    expect(err).toMatch(/there is no kubeconfig .*give --kubeconfig the file that `kubectl` uses/);
    expect(code).toBe(2);
  });
});
