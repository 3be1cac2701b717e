import { describe, expect, it } from "vitest";
import { DECISION_MODEL } from "../api/decision-model.ts";
import type { DecisionModel } from "../api/gen/decisionmodels.ts";
import { allDefinitions } from "../functions/shipped.ts";
import type { KubeObject } from "../kube/object.ts";
import type { Definition } from "../schema/definitions.ts";

const { apiVersion, kind } = DECISION_MODEL;
const definition = allDefinitions().get(`${apiVersion}/${kind}`) as Definition;

type Fields = Readonly<Record<string, unknown>>;

function model(spec: Fields, name = "router"): KubeObject {
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: "default" },
    spec: { model: "laya:en", ...spec },
  };
}

const datasetRef = { configMapRef: { name: "golden", key: "cases.jsonl" } };
const evaluated = (fields: Fields = {}) => ({ datasetRef, minAccuracy: "0.90", ...fields });
const rollout = (fields: Fields) => model({ rollout: fields });
const evaluation = (fields: Fields) => rollout({ evaluation: evaluated(fields) });
const secret = { name: "keys", key: "api" };

/** The API server's words for what it refuses, each `field: message`. */
function refusals(object: KubeObject): readonly string[] {
  return definition.check(object).findings.map(({ field, message }) => `${field}: ${message}`);
}

describe("a DecisionModel is accepted", () => {
  it.each<[string, KubeObject]>([
    ["with a model alone", model({})],
    ["with a name of one letter", model({}, "a")],
    ["with a name of 43 characters", model({}, `a${"0".repeat(42)}`)],
    ["with a registry's port before the tag", model({ model: "registry:5000/team/router:2" })],
    ["with a digest", model({ digest: "a".repeat(64) })],
    ["with three replicas on a GPU", model({ replicas: 3, device: "cuda" })],
    ["with an image", model({ image: "registry/ollaya@sha256:12" })],
    ["with a release of the engine", model({ runtimeVersion: "0.10.0" })],
    [
      "with quantities as numbers and texts",
      model({ resources: { limits: { cpu: 2, memory: "4Gi" } } }),
    ],
    ["with a runtime class", model({ scheduling: { runtimeClassName: "nvidia" } })],
    ["with a store that nodes share", model({ cache: { accessModes: ["ReadWriteMany"] } })],
    ["with an API key", model({ auth: { apiKeySecretRef: secret } })],
    [
      "with an API key that is not optional",
      model({ auth: { apiKeySecretRef: { ...secret, optional: false } } }),
    ],
    [
      "with an optional token, which is not heeded",
      model({ cache: { downloadTokenSecretRef: { ...secret, optional: true } } }),
    ],
    ["with stabilization 0", rollout({ stabilization: "0" })],
    ["with stabilization 0s", rollout({ stabilization: "0s" })],
    ["with the shortest stabilization", rollout({ stabilization: "1m" })],
    ["with the longest stabilization", rollout({ stabilization: "24h" })],
    ["with a stabilization of parts", rollout({ stabilization: "1h30m0.5s" })],
    [
      "with timeouts at their bounds",
      rollout({ timeouts: { caching: "60s", starting: "24h", evaluating: "1440m", total: "72h" } }),
    ],
    ["with the older way to say Manual", rollout({ manualPromotion: true })],
    ["with both ways to say Manual", rollout({ manualPromotion: true, promotion: "Manual" })],
    [
      "with the older way set to false",
      rollout({ manualPromotion: false, promotion: "Automatic" }),
    ],
    ["with a gate", rollout({ promotion: "EvaluationGated", evaluation: evaluated() })],
    [
      "with a gate that nobody has to approve",
      rollout({ promotion: "Automatic", evaluation: evaluated() }),
    ],
    ["with Recreate", rollout({ strategy: "Recreate" })],
    [
      "with Recreate and a gate",
      rollout({ strategy: "Recreate", evaluation: evaluated({ minAccuracy: "0.01" }) }),
    ],
    ["with BlueGreen and a gate that everything passes", evaluation({ minAccuracy: "0" })],
    [
      "with a dataset in a Secret",
      evaluation({ datasetRef: { secretRef: { name: "s", key: "k" } } }),
    ],
    [
      "with thresholds at their bounds",
      evaluation({
        minAccuracy: "1.00",
        maxAccuracyDrop: "0",
        maxECE: "1",
        maxECEIncrease: "0.0",
        minMacroF1: "1.0",
        maxMacroF1Drop: "0.5",
        minCoverage: "1",
      }),
    ],
    ["with a tolerance above 1", evaluation({ scoreTolerance: "1.5" })],
    ["with as many cases as can be", evaluation({ maxCases: 5000 })],
    ["with one case at a time", evaluation({ parallelism: 1 })],
    ["with little confidence", evaluation({ confidence: "0.501" })],
    ["with much confidence", evaluation({ confidence: "0.999999" })],
    [
      "with confidence and a floor just below 1",
      evaluation({ confidence: "0.95", minAccuracy: "0.999" }),
    ],
  ])("%s", (_what, object) => {
    expect(refusals(object)).toEqual([]);
  });
});

describe("a DecisionModel is refused", () => {
  it.each<[string, KubeObject, string, string]>([
    ["without a model", model({ model: undefined }), "spec.model", "Required value"],
    ["without a spec", { ...model({}), spec: undefined }, "spec", "Required value"],
    [
      "with a name that begins with a digit",
      model({}, "1a"),
      "<nil>",
      "must begin with a lower-case letter",
    ],
    ["with a dot in its name", model({}, "a.b"), "<nil>", "(no dots)"],
    [
      "with a name that ends with a dash",
      model({}, "a-"),
      "<nil>",
      "must begin with a lower-case letter",
    ],
    [
      "with a name of 44 characters",
      model({}, `a${"0".repeat(43)}`),
      "<nil>",
      "at most 43 characters",
    ],
    ["with another engine", model({ engine: "vllm" }), "spec.engine", "Unsupported value"],
    ["with an empty model", model({ model: "" }), "spec.model", "at least 1 chars"],
    ["with a model without a tag", model({ model: "laya" }), "spec.model", "explicit tag"],
    [
      "with a colon in the host alone",
      model({ model: "registry:5000/router" }),
      "spec.model",
      "explicit tag",
    ],
    [
      "with a digest that names its algorithm",
      model({ digest: `sha256:${"a".repeat(64)}` }),
      "spec.digest",
      "should match",
    ],
    ["with a digest in capitals", model({ digest: "A".repeat(64) }), "spec.digest", "should match"],
    ["with no replica", model({ replicas: 0 }), "spec.replicas", "greater than or equal to 1"],
    ["with another device", model({ device: "metal" }), "spec.device", "Unsupported value"],
    [
      "with an image and a release",
      model({ image: "r/i:1", runtimeVersion: "0.10.0" }),
      "spec",
      "not both",
    ],
    [
      "with a release that has a v",
      model({ runtimeVersion: "v0.10.0" }),
      "spec.runtimeVersion",
      "should match",
    ],
    [
      "with a quantity that is none",
      model({ resources: { limits: { cpu: "two" } } }),
      "spec.resources.limits.cpu",
      "should match",
    ],
    [
      "with a runtime class in capitals",
      model({ scheduling: { runtimeClassName: "NVIDIA" } }),
      "spec.scheduling.runtimeClassName",
      "should match",
    ],
    [
      "with a store that can't be written",
      model({ cache: { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] } }),
      "spec.cache.accessModes",
      "ReadOnlyMany is not allowed",
    ],
    [
      "with an optional API key",
      model({ auth: { apiKeySecretRef: { ...secret, optional: true } } }),
      "spec.auth.apiKeySecretRef",
      "optional is not supported",
    ],
    [
      "with a Secret's key left out",
      model({ auth: { apiKeySecretRef: { name: "keys" } } }),
      "spec.auth.apiKeySecretRef.key",
      "Required value",
    ],
    [
      "with a stabilization without a unit",
      rollout({ stabilization: "5" }),
      "spec.rollout.stabilization",
      "should match",
    ],
    [
      "with a stabilization that is too short",
      rollout({ stabilization: "59s" }),
      "spec.rollout.stabilization",
      "must be 0, or between 1m and 24h",
    ],
    [
      "with a stabilization that is too long",
      rollout({ stabilization: "24h0m1ns" }),
      "spec.rollout.stabilization",
      "must be 0, or between 1m and 24h",
    ],
    [
      "with a timeout of nothing",
      rollout({ timeouts: { caching: "0s" } }),
      "spec.rollout.timeouts.caching",
      "between 1m and 24h",
    ],
    [
      "with a timeout written as 0",
      rollout({ timeouts: { starting: "0" } }),
      "spec.rollout.timeouts.starting",
      "should match",
    ],
    [
      "with a timeout that is too long",
      rollout({ timeouts: { evaluating: "25h" } }),
      "spec.rollout.timeouts.evaluating",
      "between 1m and 24h",
    ],
    [
      "with a negative timeout",
      rollout({ timeouts: { total: "-1h" } }),
      "spec.rollout.timeouts.total",
      "should match",
    ],
    [
      "with a total that is too long",
      rollout({ timeouts: { total: "73h" } }),
      "spec.rollout.timeouts.total",
      "between 1m and 72h",
    ],
    [
      "with a duration beyond 64 bits",
      rollout({ timeouts: { total: "9999999999999h" } }),
      "spec.rollout.timeouts.total",
      "between 1m and 72h",
    ],
    [
      "with another promotion",
      rollout({ promotion: "Never" }),
      "spec.rollout.promotion",
      "Unsupported value",
    ],
    [
      "with a gate and no evaluation",
      rollout({ promotion: "EvaluationGated" }),
      "spec.rollout",
      "requires rollout.evaluation",
    ],
    [
      "with promotions that contradict",
      rollout({ promotion: "Automatic", manualPromotion: true }),
      "spec.rollout",
      "contradicts promotion",
    ],
    [
      "with Recreate and Manual",
      rollout({ strategy: "Recreate", promotion: "Manual" }),
      "spec.rollout",
      "can't be combined with promotion Manual",
    ],
    [
      "with Recreate and the older Manual",
      rollout({ strategy: "Recreate", manualPromotion: true }),
      "spec.rollout",
      "can't be combined with promotion Manual",
    ],
    [
      "with Recreate and a gate that everything passes",
      rollout({ strategy: "Recreate", evaluation: evaluated({ minAccuracy: "0.00" }) }),
      "spec.rollout",
      "requires a minAccuracy above 0",
    ],
    [
      "with no dataset",
      evaluation({ datasetRef: {} }),
      "spec.rollout.evaluation.datasetRef",
      "exactly one",
    ],
    [
      "with two datasets",
      evaluation({ datasetRef: { ...datasetRef, secretRef: secret } }),
      "spec.rollout.evaluation.datasetRef",
      "exactly one",
    ],
    [
      "with a dataset without a name",
      evaluation({ datasetRef: { configMapRef: { name: "", key: "k" } } }),
      "spec.rollout.evaluation.datasetRef.configMapRef.name",
      "at least 1 chars",
    ],
    [
      "with a dataset without a key",
      evaluation({ datasetRef: { configMapRef: { name: "n" } } }),
      "spec.rollout.evaluation.datasetRef.configMapRef.key",
      "Required value",
    ],
    [
      "with an evaluation without a floor",
      evaluation({ minAccuracy: undefined }),
      "spec.rollout.evaluation.minAccuracy",
      "Required value",
    ],
    ...["1.01", ".9", "0.", "90%", "1e-1", "-0.1", ""].map(
      (text): [string, KubeObject, string, string] => [
        `with the floor ${JSON.stringify(text)}`,
        evaluation({ minAccuracy: text }),
        "spec.rollout.evaluation.minAccuracy",
        "should match",
      ],
    ),
    ...[
      "maxAccuracyDrop",
      "maxECE",
      "maxECEIncrease",
      "minMacroF1",
      "maxMacroF1Drop",
      "minCoverage",
    ].map((field): [string, KubeObject, string, string] => [
      `with ${field} above 1`,
      evaluation({ [field]: "1.1" }),
      `spec.rollout.evaluation.${field}`,
      "should match",
    ]),
    ...["0.5", "0.50", "0.500", "0.499", "1", "1.0", "0", "0.", "95"].map(
      (text): [string, KubeObject, string, string] => [
        `with the confidence ${text}`,
        evaluation({ confidence: text }),
        "spec.rollout.evaluation.confidence",
        "should match",
      ],
    ),
    [
      "with more confidence than can be told",
      evaluation({ confidence: "0.9999999" }),
      "spec.rollout.evaluation.confidence",
      "Too long",
    ],
    [
      "with confidence and a floor of 1",
      evaluation({ confidence: "0.95", minAccuracy: "1.0" }),
      "spec.rollout.evaluation",
      "requires a minAccuracy below 1",
    ],
    [
      "with a negative tolerance",
      evaluation({ scoreTolerance: "-1" }),
      "spec.rollout.evaluation.scoreTolerance",
      "should match",
    ],
    [
      "with no case",
      evaluation({ maxCases: 0 }),
      "spec.rollout.evaluation.maxCases",
      "greater than or equal to 1",
    ],
    [
      "with too many cases",
      evaluation({ maxCases: 5001 }),
      "spec.rollout.evaluation.maxCases",
      "less than or equal to 5000",
    ],
    [
      "with too many cases at once",
      evaluation({ parallelism: 65 }),
      "spec.rollout.evaluation.parallelism",
      "less than or equal to 64",
    ],
  ])("%s", (_what, object, field, words) => {
    const found = refusals(object);
    expect(found).toContainEqual(expect.stringContaining(words));
    expect(found).toContainEqual(
      expect.stringMatching(new RegExp(`^${field.replaceAll(".", "\\.")}: `)),
    );
  });
});

it("fills in every default", () => {
  const { spec } = definition.check(
    model({
      cache: {},
      auth: { apiKeySecretRef: { key: "k" } },
      rollout: { evaluation: evaluated() },
    }),
  ).object as DecisionModel;
  expect(spec).toEqual({
    model: "laya:en",
    engine: "ollaya",
    replicas: 1,
    device: "cpu",
    cache: { size: "10Gi" },
    auth: { apiKeySecretRef: { key: "k", name: "" } },
    rollout: {
      manualPromotion: false,
      strategy: "BlueGreen",
      evaluation: { ...evaluated(), maxCases: 500, parallelism: 4 },
    },
  });
});

it("drops what it does not know, in a status too", () => {
  const revision = { hash: "a", model: "m:1", digest: "d", device: "cpu", later: 1 };
  const checked = definition.check(
    { ...model({ later: 1 }), status: { stableRevision: revision } },
    "status",
  );
  expect(checked.unknownFields).toEqual(["spec.later", "status.stableRevision.later"]);
  expect(checked.findings).toEqual([]);
});
