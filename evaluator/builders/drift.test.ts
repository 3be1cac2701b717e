import { describe, expect, it, test } from "vitest";
import { field, isRecord, type KubeObject, listField } from "../../kube/object.ts";
import { decisionModel, imageOf, made } from "../../test/support/decision-model.ts";
import { recorded, replacement } from "./drift.ts";
import { buildServingDeployment, type ServingParameters } from "./serving-deployment.ts";

const RESTARTED = "kubectl.kubernetes.io/restartedAt";

function desired(fields: Partial<ServingParameters> = {}): KubeObject {
  return buildServingDeployment({
    model: decisionModel(),
    revision: "0123456789abcdef",
    image: imageOf("0.12.0"),
    device: "cpu",
    resources: { limits: { cpu: "1000m", memory: "4Gi" } },
    defaultRequests: {},
    scheduling: { tolerations: [{ key: "batch", operator: "Exists" }] },
    replicas: 2,
    shareable: true,
    registry: undefined,
    setsThreads: true,
    keyChecksum: undefined,
    ...fields,
  });
}

/** A change of the object at a path: of what is there, or `undefined`. */
function changed(
  object: unknown,
  path: readonly string[],
  change: (at: unknown) => unknown,
): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(object);
  if (Array.isArray(object)) {
    return object.map((one, index) => (String(index) === key ? changed(one, rest, change) : one));
  }
  const record = isRecord(object) ? object : {};
  return { ...record, [key]: changed(record[key], rest, change) };
}

const edit = (object: KubeObject, path: string, change: (at: unknown) => unknown) =>
  changed(object, path.split("/"), change) as KubeObject;
const merged = (fields: object) => (at: unknown) => ({ ...(at as object), ...fields });
const appended = (one: unknown) => (at: unknown) => [...((at as unknown[] | undefined) ?? []), one];

const POD = "spec/template/spec";
const CONTAINER = `${POD}/containers/0`;

/** A Deployment as the API server gives it back: with its defaults, and quantities in their short form. */
function asServed(object: KubeObject): KubeObject {
  let served = edit(
    made(object),
    "spec",
    merged({ progressDeadlineSeconds: 600, revisionHistoryLimit: 10 }),
  );
  served = edit(
    served,
    POD,
    merged({
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      schedulerName: "default-scheduler",
    }),
  );
  served = edit(
    served,
    CONTAINER,
    merged({ imagePullPolicy: "IfNotPresent", terminationMessagePath: "/dev/termination-log" }),
  );
  served = edit(
    served,
    `${CONTAINER}/livenessProbe`,
    merged({ timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3 }),
  );
  served = edit(served, `${CONTAINER}/resources/limits/cpu`, () => "1");
  served = edit(served, "spec/template/metadata", merged({ creationTimestamp: null }));
  return { ...served, status: { replicas: 2 } };
}

const live = asServed(recorded(desired()));

describe("a live Deployment is left alone", () => {
  test.each<readonly [string, KubeObject]>([
    ["as the API server gives it back", live],
    [
      "after a restart that somebody asked for",
      edit(
        live,
        "spec/template/metadata/annotations",
        merged({ [RESTARTED]: "2026-10-07T12:00:00Z" }),
      ),
    ],
    [
      "with annotations and labels of others",
      edit(
        edit(live, "metadata/annotations", merged({ "deployment.kubernetes.io/revision": "3" })),
        "metadata/labels",
        merged({ team: "support" }),
      ),
    ],
    ["with fields that the API may get", edit(live, POD, merged({ hostUsers: false }))],
  ])("%s", (_, object) => {
    expect(replacement(object, desired())).toBeUndefined();
  });
});

it("a live Deployment may leave out what is empty", () => {
  const plain = desired({ resources: undefined });
  const without = edit(asServed(recorded(plain)), CONTAINER, (at) => {
    const { resources: _, ...container } = at as { readonly resources: unknown };
    return container;
  });
  expect(replacement(without, plain)).toBeUndefined();
});

describe("81: what others changed is taken back", () => {
  test.each<readonly [string, KubeObject]>([
    ["a sidecar", edit(live, `${POD}/containers`, appended({ name: "proxy", image: "mesh:1" }))],
    [
      "an init container",
      edit(live, `${POD}/initContainers`, appended({ name: "init", image: "mesh:1" })),
    ],
    ["a volume", edit(live, `${POD}/volumes`, appended({ name: "token", emptyDir: {} }))],
    [
      "a variable",
      edit(
        live,
        `${CONTAINER}/env`,
        appended({ name: "OLLAYA_REGISTRY", value: "https://evil.example" }),
      ),
    ],
    ["a variable's value", edit(live, `${CONTAINER}/env/2/value`, () => "cuda")],
    [
      "a template annotation",
      edit(live, "spec/template/metadata/annotations", merged({ "sidecar/inject": "true" })),
    ],
    [
      "a template label",
      edit(live, "spec/template/metadata/labels", merged({ "decisionmodel.io/revision": "other" })),
    ],
    ["the image", edit(live, `${CONTAINER}/image`, () => "example/other:1")],
    ["the size", edit(live, "spec/replicas", () => 5)],
    ["a limit", edit(live, `${CONTAINER}/resources/limits/cpu`, () => "2")],
    ["the gate", edit(live, `${POD}/readinessGates`, () => [])],
    ["a toleration", edit(live, `${POD}/tolerations`, () => undefined)],
    [
      "a restricted container",
      edit(live, `${CONTAINER}/securityContext/readOnlyRootFilesystem`, () => false),
    ],
    [
      "the hash of its inputs",
      edit(live, "metadata/annotations", merged({ "decisionmodel.io/spec-hash": "0" })),
    ],
  ])("%s", (_, object) => {
    const replaced = replacement(object, desired());
    expect(replaced?.spec).toEqual(desired().spec);
    // Written and served, it is at rest.
    expect(replacement(asServed(replaced as KubeObject), desired())).toBeUndefined();
  });

  it("but not a restart that somebody asked for, so that it does not begin anew", () => {
    const restart = { [RESTARTED]: "2026-10-07T12:00:00Z" };
    const restarted = edit(live, "spec/template/metadata/annotations", merged(restart));
    const scaled = replacement(
      edit(restarted, "spec/replicas", () => 5),
      desired(),
    );
    expect(field(scaled?.spec, "template", "metadata", "annotations")).toEqual(restart);
    expect(field(scaled?.spec, "replicas")).toBe(2);
    expect(replacement(asServed(scaled as KubeObject), desired())).toBeUndefined();
  });

  it("and what others may say of the object stays", () => {
    const labelled = edit(live, "metadata/labels", merged({ team: "support" }));
    const scaled = replacement(
      edit(labelled, "spec/replicas", () => 5),
      desired(),
    );
    expect(scaled?.metadata).toMatchObject({
      uid: live.metadata?.uid,
      resourceVersion: "7",
      labels: { team: "support", "decisionmodel.io/name": "support-router" },
    });
  });
});

describe("H19: a new version of the operator", () => {
  const newer = edit(
    edit(desired(), `${CONTAINER}/env`, appended({ name: "NEW_DEFAULT", value: "1" })),
    POD,
    merged({ priorityClassName: "models" }),
  );

  it("replaces no pods that were built from the same inputs", () => {
    expect(replacement(live, newer)).toBeUndefined();
  });

  it("and still takes back what others changed, to what the pods were built as", () => {
    const replaced = replacement(
      edit(live, "spec/replicas", () => 5),
      newer,
    );
    expect(replaced?.spec).toEqual(desired().spec);
  });

  it("changes the number of pods and how they are replaced without touching them", () => {
    const scaled = edit(
      edit(newer, "spec/replicas", () => 4),
      "spec/strategy",
      () => ({ type: "Recreate" }),
    );
    const replaced = replacement(live, scaled);
    expect(replaced?.spec).toEqual({
      ...(desired().spec as object),
      replicas: 4,
      strategy: { type: "Recreate" },
    });
    expect(replacement(asServed(replaced as KubeObject), scaled)).toBeUndefined();
  });

  it("builds pods anew where an input changed", () => {
    const rotated = edit(
      newer,
      "metadata/annotations",
      merged({ "decisionmodel.io/spec-hash": "other" }),
    );
    expect(replacement(live, rotated)?.spec).toEqual(newer.spec);
  });
});

describe("a Deployment of another operator", () => {
  const foreign = edit(
    edit(asServed(desired()), "metadata/annotations", () => ({
      "decisionmodel.io/spec-hash": "go",
    })),
    POD,
    merged({ priorityClassName: "models", terminationGracePeriodSeconds: 60 }),
  );

  it("is taken over with its pods where they serve the same", () => {
    const taken = replacement(foreign, desired());
    expect(field(taken?.spec, "template")).toEqual(field(foreign.spec, "template"));
    expect(replacement(asServed(taken as KubeObject), desired())).toBeUndefined();
  });

  test.each<readonly [string, KubeObject]>([
    ["another image", edit(foreign, `${CONTAINER}/image`, () => "example/other:1")],
    ["another device", edit(foreign, `${CONTAINER}/env/2/value`, () => "cuda")],
    [
      "another registry",
      edit(foreign, `${CONTAINER}/env`, appended({ name: "OLLAYA_REGISTRY", value: "https://x" })),
    ],
    [
      "a key that these do not ask for",
      edit(foreign, `${CONTAINER}/env`, appended({ name: "OLLAYA_API_KEY", value: "x" })),
    ],
    [
      "another key",
      edit(
        foreign,
        "metadata/annotations",
        merged({ "decisionmodel.io/apikey-checksum": "c0ffee" }),
      ),
    ],
    ["a container more", edit(foreign, `${POD}/containers`, appended({ name: "proxy" }))],
    ["no gate", edit(foreign, `${POD}/readinessGates`, () => [])],
    [
      "labels that its Service does not select",
      edit(foreign, "spec/template/metadata/labels", () => ({})),
    ],
  ])("with %s is built anew", (_, object) => {
    expect(replacement(object, desired())?.spec).toEqual(desired().spec);
  });
});

it("what was written last is in an annotation, and a text that is none is as good as none", () => {
  const written = recorded(desired()).metadata?.annotations?.["decisionmodel.io/last-applied"];
  expect(JSON.parse(written ?? "")).toEqual(desired().spec);
  const broken = edit(
    live,
    "metadata/annotations",
    merged({ "decisionmodel.io/last-applied": "{" }),
  );
  expect(
    listField(replacement(broken, desired())?.spec, "template", "spec", "containers"),
  ).toHaveLength(1);
});
