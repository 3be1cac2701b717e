import { describe, expect, it, test } from "vitest";
import type { DecisionModel, DecisionModelStatus, Rollout } from "../../api/gen/decisionmodels.ts";
import type { KubeObject } from "../../kube/object.ts";
import { decisionModel, NOW, revision } from "../../test/support/decision-model.ts";
import { type MemoryApi, memoryApi } from "../../test/support/memory-api.ts";
import { ownedMetadata, servingLabels } from "../builders/owned.ts";
import { buildService } from "../builders/service.ts";
import type { World } from "../rollout/world.ts";
import { observe } from "./observe.ts";

const evaluation = (datasetRef: object) =>
  ({
    manualPromotion: false,
    strategy: "BlueGreen",
    evaluation: { datasetRef, minAccuracy: "0.90", maxCases: 7, parallelism: 4 },
  }) as Rollout;
const encoded = (text: string) => Buffer.from(text).toString("base64");
const secretOf = (
  name: string,
  label: string,
  data: Readonly<Record<string, string>>,
): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "default", labels: { [label]: "true" } },
  data,
});

async function seen(api: MemoryApi, model: DecisionModel) {
  const decoded: (readonly [string, number])[] = [];
  const answer = await observe(model, api.copies, api.client, {
    now: NOW,
    runs: new Map(),
    refused: new Map(),
    admission: "open",
    decode: (bytes, maxCases) => {
      decoded.push([Buffer.from(bytes).toString("utf8"), maxCases]);
      return { digest: "d", decoded: { ok: false, problems: [] } as never };
    },
  });
  return { answer, decoded, requests: api.requests };
}

async function worldOf(api: MemoryApi, model: DecisionModel): Promise<World> {
  const { answer } = await seen(api, model);
  if (!answer.ok) throw new Error(answer.problem.message);
  return answer.value.world;
}

/** A DecisionModel with a status, as its copy is. */
const withStatus = (api: MemoryApi, status: DecisionModelStatus, spec = {}): DecisionModel => ({
  ...api.model({ spec }),
  status,
});

describe("objects", () => {
  const labels = servingLabels(decisionModel(), "old");
  const budget = (metadata: KubeObject["metadata"], name: string): KubeObject => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { ...metadata, name, namespace: "default", labels },
    spec: { maxUnavailable: 1 },
  });

  it("count where the DecisionModel controls them, and not by their labels alone", async () => {
    const api = memoryApi();
    const model = api.model();
    api.put(budget(ownedMetadata(model, "mine", labels), "mine"));
    api.put(
      budget(
        ownedMetadata({ ...model, metadata: { ...model.metadata, uid: "older" } }, "older", labels),
        "older",
      ),
    );
    api.put(budget({}, "nobody"));
    expect([...(await worldOf(api, model)).budgets.keys()]).toEqual(["mine"]);
  });

  const owner = (kind: string, uid: string, controller = true) => ({
    apiVersion: "apps/v1",
    kind,
    name: "x",
    uid,
    controller,
  });
  const podOf = (name: string, ownerReferences: readonly object[]): KubeObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels, ownerReferences },
    spec: { containers: [{ name: "ollaya", image: "x" }] },
  });

  it("are a Deployment's pods through ReplicaSets by their UIDs, and a Job's at first hand", async () => {
    const api = memoryApi();
    const model = api.model();
    const set = api.put({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        name: "rs",
        namespace: "default",
        labels,
        ownerReferences: [owner("Deployment", "deployment-uid")],
      },
    });
    const setUid = set.metadata?.uid ?? "";
    for (const pod of [
      podOf("a", [owner("ReplicaSet", setUid)]),
      podOf("b", [owner("Node", "n", false), owner("ReplicaSet", setUid)]),
      podOf("c", [owner("ReplicaSet", "a-set-of-somebody-else")]),
      podOf("d", [owner("Job", "job-uid")]),
      podOf("e", [owner("ReplicaSet", setUid, false)]),
    ]) {
      api.put(pod);
    }
    const { pods } = await worldOf(api, model);
    const names = (uid: string) => pods.get(uid)?.map(({ metadata }) => metadata?.name);
    expect([names("deployment-uid"), names("job-uid"), names(setUid)]).toEqual([
      ["a", "b"],
      ["d"],
      undefined,
    ]);
  });
});

describe("Secrets are read each time", () => {
  const spec = {
    auth: { apiKeySecretRef: { name: "engine", key: "token" } },
    cache: { size: "10Gi", downloadTokenSecretRef: { name: "weights", key: "token" } },
  };

  it("and their values go to nobody who decides", async () => {
    const api = memoryApi();
    const model = api.model({ spec });
    api.put(secretOf("engine", "decisionmodel.io/api-key", { token: encoded("sk-secret") }));
    api.put(
      secretOf("weights", "decisionmodel.io/download-token", { token: encoded("hf-secret") }),
    );
    const { answer, requests } = await seen(api, model);
    expect(answer).toMatchObject({
      ok: true,
      value: {
        apiKey: "sk-secret",
        world: { apiKey: { state: "usable" }, downloadToken: { state: "usable" } },
      },
    });
    expect(JSON.stringify(answer.ok && answer.value.world)).not.toMatch(/sk-secret|hf-secret/);
    expect(requests).toEqual(["get Secret engine", "get Secret weights"]);
  });

  it("74: and one that is not there is no error", async () => {
    const api = memoryApi();
    expect(await worldOf(api, api.model({ spec }))).toMatchObject({
      apiKey: { state: "unusable", reason: "APIKeyInvalid" },
      downloadToken: { state: "unusable", reason: "DownloadTokenInvalid" },
    });
  });

  test.each(["Forbidden", "Unavailable", "Unauthorized", "Lost"] as const)(
    "and one that can't be read (%s) ends the pass",
    async (reason) => {
      const api = memoryApi();
      const model = api.model({ spec });
      api.meet(({ kind }) =>
        kind === "Secret" ? { type: "refuse", problem: { reason, message: "no" } } : undefined,
      );
      expect((await seen(api, model)).answer).toEqual({
        ok: false,
        problem: { reason, message: "no" },
      });
    },
  );
});

describe("the dataset", () => {
  const rollout = evaluation({ configMapRef: { name: "golden", key: "cases.jsonl" } });
  const configMap: KubeObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "golden", namespace: "default" },
    data: { "cases.jsonl": "{}" },
  };

  it("is read while it is asked, as far as the policy goes", async () => {
    const api = memoryApi();
    api.put(configMap);
    const { answer, decoded } = await seen(
      api,
      withStatus(api, { phase: "Evaluating" }, { rollout }),
    );
    expect(decoded).toEqual([["{}", 7]]);
    expect(answer).toMatchObject({
      ok: true,
      value: { world: { dataset: { state: "found", digest: "d", deprecatedLabel: false } } },
    });
  });

  it("is nobody's business at other times", async () => {
    const api = memoryApi();
    api.put(configMap);
    const { answer, requests } = await seen(
      api,
      withStatus(api, { phase: "Caching" }, { rollout }),
    );
    expect([answer.ok && answer.value.world.dataset, requests]).toEqual([undefined, []]);
  });

  test.each<readonly [string, KubeObject | undefined, object]>([
    [
      "29: of a Secret without its label",
      secretOf("golden", "other", { "cases.jsonl": encoded("{}") }),
      { state: "held", reason: "SecretNotAllowed" },
    ],
    [
      "30: of a Secret with the older label",
      secretOf("golden", "decisionmodel.io/api-key", { "cases.jsonl": encoded("{}") }),
      { state: "found", deprecatedLabel: true },
    ],
    ["28: that is not there", undefined, { state: "held", reason: "DatasetNotFound" }],
  ])("%s", async (_, secret, expected) => {
    const api = memoryApi();
    if (secret !== undefined) api.put(secret);
    const secretRef = { name: "golden", key: "cases.jsonl" };
    const model = withStatus(api, { phase: "Evaluating" }, { rollout: evaluation({ secretRef }) });
    expect((await worldOf(api, model)).dataset).toMatchObject(expected);
  });
});

describe("the Service", () => {
  const stable = { stableRevision: revision("old") };
  test.each<readonly [string, DecisionModelStatus, boolean, boolean]>([
    ["is not asked for before anything is tried", {}, false, false],
    ["is its copy while one revision is there", stable, true, false],
    ["is read where there is no copy", stable, false, true],
    [
      "is read while another revision is tried",
      { ...stable, candidateRevision: revision("new") },
      true,
      true,
    ],
    [
      "is read before a first revision gets its name",
      { candidateRevision: revision("new") },
      false,
      true,
    ],
    [
      "is read while the way back is there",
      { ...stable, previousRevision: { hash: "older" } },
      true,
      true,
    ],
    [
      "is read while one that failed is",
      { ...stable, failedRevision: revision("bad") },
      true,
      true,
    ],
  ])("%s", async (_, status, hasCopy, isRead) => {
    const api = memoryApi();
    const model = withStatus(api, status);
    if (hasCopy) api.put(buildService(model, "old"));
    const world = await worldOf(api, model);
    expect(world.service?.metadata?.name).toBe(hasCopy ? "support-router" : undefined);
    expect(api.requests).toEqual(isRead ? ["get Service support-router"] : []);
  });

  it("48: of somebody else is seen, though no copy of it is kept", async () => {
    const api = memoryApi();
    const model = withStatus(api, stable);
    const { metadata: _, ...service } = buildService(model, "old");
    api.put({ ...service, metadata: { name: "support-router", namespace: "default" } });
    expect((await worldOf(api, model)).service?.metadata?.name).toBe("support-router");
  });
});
