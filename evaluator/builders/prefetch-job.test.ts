import { describe, expect, it, test } from "vitest";
import type { DecisionModelSpec } from "../../api/gen/decisionmodels.ts";
import { parseModelName } from "../../api/model-name.ts";
import { field, type KubeObject, listField } from "../../kube/object.ts";
import { DIGEST, decisionModel, imageOf, ownedObject } from "../../test/support/decision-model.ts";
import { prefetchLabels } from "./owned.ts";
import { buildPrefetchJob, type PrefetchJobParameters, prefetchState } from "./prefetch-job.ts";
import { PERMANENT_EXITS } from "./prefetch-script.ts";

const REVISION = "0123456789abcdef";

function job(spec: Partial<DecisionModelSpec> = {}, fields: Partial<PrefetchJobParameters> = {}) {
  const model = decisionModel({ spec });
  const parsed = parseModelName(model.spec.model, "ollaya.dev");
  if (!parsed.ok) throw new Error(parsed.error);
  return buildPrefetchJob({
    model,
    revision: REVISION,
    image: imageOf("0.12.0"),
    canonical: model.spec.model,
    name: parsed.name,
    digest: DIGEST,
    scheduling: undefined,
    deadlineSeconds: 1800,
    registry: undefined,
    huggingFaceEndpoint: undefined,
    proxy: {},
    ...fields,
  });
}

const podOf = (object: KubeObject) => field(object.spec, "template", "spec");
const containerOf = (object: KubeObject) => listField(podOf(object), "containers")[0];
const environment = (object: KubeObject) =>
  Object.fromEntries(
    listField(containerOf(object), "env").map((one) => [
      field(one, "name"),
      field(one, "value") ?? field(one, "valueFrom"),
    ]),
  );

describe("the Job", () => {
  it("of a longer hash has a shorter name", () => {
    expect(job().metadata?.name).toBe(`support-router-pf-${REVISION}`);
    expect(job({}, { revision: "0123456789" }).metadata?.name).toBe(
      "support-router-prefetch-0123456789",
    );
  });

  it("ends, and tries again only what another attempt may mend", () => {
    expect(job({}, { deadlineSeconds: 120 }).spec).toMatchObject({
      backoffLimit: 4,
      activeDeadlineSeconds: 120,
      podFailurePolicy: {
        rules: [
          {
            action: "FailJob",
            onExitCodes: { containerName: "prefetch", operator: "In", values: [3, 4, 5] },
          },
        ],
      },
    });
  });

  it("has pods that no Service selects", () => {
    expect(field(job().spec, "template", "metadata", "labels")).toEqual({
      "decisionmodel.io/name": "support-router",
      "decisionmodel.io/prefetch-revision": REVISION,
    });
  });

  it("goes where the model will serve, but needs no GPU and no class for one", () => {
    const scheduling = {
      nodeSelector: { zone: "a" },
      tolerations: [{ key: "batch", operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      runtimeClassName: "nvidia",
    };
    const pod = podOf(job({ device: "cuda" }, { scheduling }));
    const { runtimeClassName: _, ...placed } = scheduling;
    expect(pod).toMatchObject(placed);
    expect(pod).not.toHaveProperty("runtimeClassName");
    expect(JSON.stringify(pod)).not.toContain("nvidia.com/gpu");
  });
});

describe("its environment", () => {
  it("says what to download and what must come", () => {
    expect(environment(job())).toEqual({
      MODEL: "laya:en",
      EXPECT_DIGEST: DIGEST,
      OLLAYA_MODELS: "/models",
      MANIFEST_PATH: "manifests/ollaya.dev/library/laya/en",
      STORE_ROOT: "/store-root",
      KEEP_SUBPATHS: REVISION,
    });
  });

  test.each([
    ["team/router:2", "manifests/ollaya.dev/team/router/2"],
    ["registry.example:5000/team/router:2", "manifests/registry.example_5000/team/router/2"],
  ])("knows where %s is stored", (model, path) => {
    expect(environment(job({ model })).MANIFEST_PATH).toBe(path);
  });

  it("names a registry, an endpoint and a proxy where they are not the usual ones", () => {
    const fields = {
      registry: "https://models.example",
      huggingFaceEndpoint: "https://weights.example",
      proxy: { HTTPS_PROXY: "http://proxy.example:3128", NO_PROXY: "10.0.0.0/8" },
    };
    expect(environment(job({}, fields))).toMatchObject({
      OLLAYA_REGISTRY: "https://models.example",
      OLLAYA_HF_ENDPOINT: "https://weights.example",
      HTTPS_PROXY: "http://proxy.example:3128",
      NO_PROXY: "10.0.0.0/8",
    });
  });

  it("takes the token from its Secret, and has no value of it", () => {
    const downloadTokenSecretRef = { name: "weights", key: "token" };
    expect(environment(job({ cache: { size: "10Gi", downloadTokenSecretRef } }))).toMatchObject({
      OLLAYA_HF_TOKEN: { secretKeyRef: downloadTokenSecretRef },
    });
  });
});

describe("how far it has come", () => {
  const live = (type?: string, status = "True", reason = "BackoffLimitExceeded") =>
    ownedObject(
      { apiVersion: "batch/v1", kind: "Job" },
      "job",
      prefetchLabels(decisionModel(), REVISION),
      {
        status:
          type === undefined
            ? {}
            : { conditions: [{ type, status, reason, message: "Job has reached the limit" }] },
      },
    );
  const pod = (exitCode: number, message?: string, name = "prefetch"): KubeObject => ({
    apiVersion: "v1",
    kind: "Pod",
    status: { containerStatuses: [{ name, state: { terminated: { exitCode, message } } }] },
  });

  test.each([
    ["nothing is said", live(), "running"],
    ["it is only suspended", live("Suspended"), "running"],
    ["it is not failed after all", live("Failed", "False"), "running"],
    ["it is complete", live("Complete"), "complete"],
  ])("%s: %s", (_, object, state) => {
    expect(prefetchState(object, [pod(4)])).toEqual({ state });
  });

  test.each<readonly [string, readonly KubeObject[], string, boolean]>([
    [
      "no pod is there any more",
      [],
      "Job job failed (BackoffLimitExceeded): Job has reached the limit",
      false,
    ],
    [
      "an attempt that may be better another time",
      [pod(1, "Error: connection reset by peer")],
      "Job job failed (BackoffLimitExceeded): Error: connection reset by peer",
      false,
    ],
    [
      "a container that left no word",
      [pod(137)],
      "Job job failed (BackoffLimitExceeded): Job has reached the limit",
      false,
    ],
    [
      "one exit for good among others",
      [pod(1, "reset"), pod(5, "its tag was moved"), pod(1, "reset")],
      "Job job failed (UpstreamTagMoved): its tag was moved",
      true,
    ],
    ["a model that is not there", [pod(3, "no")], "Job job failed (ModelNotFound): no", true],
    ["another digest", [pod(4, "no")], "Job job failed (DigestMismatch): no", true],
    [
      "a sidecar's exit code, which means something else",
      [pod(3, "the mesh is gone", "proxy"), pod(0)],
      "Job job failed (BackoffLimitExceeded): Job has reached the limit",
      false,
    ],
  ])("failed, with %s", (_, pods, message, permanent) => {
    expect(prefetchState(live("Failed"), pods)).toEqual({
      state: "failed",
      permanent,
      late: false,
      message,
    });
  });

  it("failed, and late, where its deadline ended it", () => {
    const late = live("Failed", "True", "DeadlineExceeded");
    expect(prefetchState(late, [])).toMatchObject({
      state: "failed",
      permanent: false,
      late: true,
    });
  });

  it("says no more than 500 characters of what a container said", () => {
    const state = prefetchState(live("Failed"), [pod(1, "x".repeat(4096))]);
    expect(state).toMatchObject({ message: expect.stringMatching(/: x{500}$/) });
  });

  it("knows each exit code of the script that its policy ends it by", () => {
    expect(Object.keys(PERMANENT_EXITS)).toEqual(["3", "4", "5"]);
  });
});
