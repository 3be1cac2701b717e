import { describe, expect, it, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import { decisionModel, passOver, revision } from "../../test/support/decision-model.ts";
import { type MemoryApi, memoryApi } from "../../test/support/memory-api.ts";
import { buildManifestConfigMap } from "../builders/manifest-config-map.ts";
import { ownedMetadata } from "../builders/owned.ts";
import { buildService } from "../builders/service.ts";
import type { Problem } from "../kubernetes/client.ts";
import type { Action } from "../rollout/decision.ts";
import { targetOf } from "../rollout/garbage.ts";
import { serve } from "../rollout/serving.ts";
import { type Acted, act } from "./act.ts";

const SELECTED = ["spec", "selector", "decisionmodel.io/revision"];

/** An API with a DecisionModel in it, and how to do something for that. */
function scene() {
  const api = memoryApi();
  const model = api.model();
  const doing = (action: Action, version = model.metadata.resourceVersion as string) =>
    act(action, model, api.client, version);
  return { api, model, doing, service: buildService(model, "old") };
}

const refuse = (api: MemoryApi, problem: Problem) =>
  api.meet(({ verb }) => (verb === "get" ? undefined : { type: "refuse", problem }));

describe("making an object", () => {
  it("makes it once, however often it is done", async () => {
    const { api, doing, service } = scene();
    expect(await doing({ type: "Create", object: service })).toEqual({ state: "done" });
    expect(await doing({ type: "Create", object: service })).toEqual({ state: "stale" });
    expect(api.requests).toEqual([
      "create Service support-router",
      "create Service support-router",
      "get Service support-router",
    ]);
  });

  it("52: whose answer was lost is found made", async () => {
    const { api, doing, service } = scene();
    api.meet(({ verb }) => (verb === "create" ? { type: "lose-answer" } : undefined));
    expect(await doing({ type: "Create", object: service })).toMatchObject({
      state: "failed",
      problem: { reason: "Lost" },
    });
    api.meet(() => undefined);
    expect(await doing({ type: "Create", object: service })).toEqual({ state: "stale" });
  });

  test.each<readonly [string, (service: KubeObject) => KubeObject]>([
    [
      "nobody's",
      ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { name: metadata?.name ?? "", namespace: "default" },
      }),
    ],
    [
      "that of a DecisionModel of this name which is gone",
      (service) => {
        const older = decisionModel({ metadata: { uid: "older" } });
        return { ...service, metadata: ownedMetadata(older, "support-router", {}) };
      },
    ],
  ])("adopts none that is %s", async (_, foreign) => {
    const { api, doing, service } = scene();
    const there = api.put(foreign(service));
    expect(await doing({ type: "Create", object: service })).toEqual({
      state: "refused",
      object: "Service support-router",
      message: "it belongs to somebody else: delete it, or give the DecisionModel another name",
    });
    expect(api.read("Service", "support-router")).toEqual(there);
  });
});

describe("changing an object", () => {
  const patch = { spec: { selector: { "decisionmodel.io/revision": "new" } } };

  it("changes just what was seen", async () => {
    const { api, doing, service } = scene();
    const target = targetOf(api.put(service));
    expect(await doing({ type: "Merge", target, patch })).toEqual({ state: "done" });
    expect(api.read("Service", "support-router")).toHaveProperty(SELECTED, "new");
  });

  it("leaves another of its name alone", async () => {
    const { api, doing, service } = scene();
    const target = { ...targetOf(api.put(service)), uid: "older" };
    expect(await doing({ type: "Merge", target, patch })).toEqual({ state: "stale" });
    expect(await doing({ type: "Delete", target })).toEqual({ state: "stale" });
    expect(api.read("Service", "support-router")).toHaveProperty(SELECTED, "old");
  });

  it("keeps what its metadata says", async () => {
    const { api, doing, service } = scene();
    const target = targetOf(api.put(service));
    const marked = { metadata: { annotations: { "decisionmodel.io/store-recovering": "true" } } };
    await doing({ type: "Merge", target, patch: marked });
    expect(api.read("Service", "support-router")?.metadata).toMatchObject({
      uid: target.uid,
      ...marked.metadata,
    });
  });

  it("replaces no object that changed since", async () => {
    const { api, model, doing } = scene();
    const pass = passOver({ metadata: { uid: model.metadata.uid } });
    serve(pass, revision("0123456789abcdef"));
    const [made] = pass.decision().followUp;
    const there = api.put((made as Extract<Action, { type: "Create" }>).object);
    const object = { ...there, spec: { ...(there.spec as object), replicas: 3 } };
    expect(await doing({ type: "Replace", object })).toEqual({ state: "done" });
    expect(await doing({ type: "Replace", object: { ...object, spec: there.spec } })).toEqual({
      state: "stale",
    });
    expect(api.read("Deployment", "support-router-0123456789abcdef")).toHaveProperty(
      "spec.replicas",
      3,
    );
  });

  it("deletes what was seen, and it is as well if it is gone", async () => {
    const { api, doing, service } = scene();
    const target = targetOf(api.put(service));
    expect(await doing({ type: "Delete", target })).toEqual({ state: "done" });
    expect(await doing({ type: "Delete", target })).toEqual({ state: "stale" });
  });
});

describe("the manifest of a revision", () => {
  it("goes where it is this DecisionModel's", async () => {
    const { api, model, doing } = scene();
    const { metadata } = api.put(buildManifestConfigMap(model, "old", "e30="));
    const name = metadata?.name ?? "";
    expect(await doing({ type: "DeleteManifest", name })).toEqual({ state: "done" });
    expect(api.read("ConfigMap", name)).toBeUndefined();
    expect(await doing({ type: "DeleteManifest", name })).toEqual({ state: "stale" });
  });

  it("stays where it is somebody else's", async () => {
    const { api, doing } = scene();
    const name = "support-router-manifest-old";
    api.put({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } });
    expect(await doing({ type: "DeleteManifest", name })).toEqual({ state: "done" });
    expect(api.read("ConfigMap", name)).toBeDefined();
  });
});

describe("the gate of a pod", () => {
  it("is set beside the kubelet's conditions", async () => {
    const { api, doing } = scene();
    const there = api.put({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a", namespace: "default" },
      spec: { containers: [{ name: "ollaya" }] },
    });
    const kubelet = { type: "Ready", status: "False", lastTransitionTime: "2026-10-07T11:00:00Z" };
    api.store.patch(
      { apiVersion: "v1", kind: "Pod", plural: "pods" },
      { namespace: "default", name: "a" },
      { status: { conditions: [kubelet] } },
      { part: "status", type: "merge" },
    );
    const condition = {
      type: "decisionmodel.io/model-ready",
      status: "True",
      reason: "ModelReady",
      message: "it serves",
      lastTransitionTime: "2026-10-07T12:00:00Z",
    } as const;
    expect(await doing({ type: "SetGate", pod: targetOf(there), condition })).toEqual({
      state: "done",
    });
    expect(api.read("Pod", "a")).toHaveProperty("status.conditions", [kubelet, condition]);
    expect(
      await doing({ type: "SetGate", pod: { ...targetOf(there), uid: "older" }, condition }),
    ).toEqual({ state: "stale" });
  });
});

describe("an approval", () => {
  const removal: Action = {
    type: "RemoveAnnotation",
    annotation: "decisionmodel.io/promote",
  };
  it("is taken off the DecisionModel that was seen, and of no later one", async () => {
    const api = memoryApi();
    const model = api.model({
      metadata: { annotations: { "decisionmodel.io/promote": "798c082a8c33", team: "a" } },
    });
    const at = model.metadata.resourceVersion as string;
    expect(await act(removal, model, api.client, "1000")).toEqual({ state: "stale" });
    expect(await act(removal, model, api.client, at)).toEqual({ state: "done" });
    expect(api.read("DecisionModel", "support-router")?.metadata?.annotations).toEqual({
      team: "a",
    });
  });
});

describe("a write that comes to nothing", () => {
  const problem = (reason: Problem["reason"]): Problem => ({ reason, message: "it said" });
  const refused: Acted = { state: "refused", object: "Service support-router", message: "it said" };
  test.each<readonly [Problem["reason"], Acted]>([
    ["NotFound", { state: "stale" }],
    ["Conflict", { state: "stale" }],
    ["Invalid", refused],
    ["Forbidden", refused],
    ["Unauthorized", { state: "failed", problem: problem("Unauthorized") }],
    ["Unavailable", { state: "failed", problem: problem("Unavailable") }],
    ["Lost", { state: "failed", problem: problem("Lost") }],
  ])("for %s is %j", async (reason, expected) => {
    const { api, doing, service } = scene();
    const target = targetOf(api.put(service));
    refuse(api, problem(reason));
    expect(await doing({ type: "Create", object: service })).toEqual(expected);
    expect(await doing({ type: "Merge", target, patch: {} })).toEqual(expected);
    expect(await doing({ type: "Delete", target })).toEqual(expected);
  });
});
