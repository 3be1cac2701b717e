import { describe, expect, test } from "vitest";
import type { Composition } from "../functions/composition/composition.ts";
import type { KubeObject } from "../kube/object.ts";
import { handler } from "./support/handler.ts";
import {
  cluster,
  condition,
  GPU,
  healthy,
  manifest,
  replica,
  request,
  standalone,
  written,
} from "./support/replica.ts";

const first = handler.compose(request(replica()));
const running = healthy(first);
const steady = handler.compose(request(replica(), cluster(), running));
const serving = written(replica(), steady);
const keys = (composition: Composition) => composition.resources.map(({ key }) => key).sort();

const unreachable = cluster({ status: {} });
const invalid = { ...serving, spec: { ...(serving.spec as object), engines: [] } };
const badSelector = {
  ...serving,
  spec: {
    clusterName: "east",
    engines: [
      {
        name: "main",
        copies: 1,
        members: [
          standalone({ deviceRequests: [{ ...GPU, selectors: [{ cel: "device.driver ==" }] }] }),
        ],
      },
    ],
  },
};

describe("nothing live is let go because an input is missing, late or wrong", () => {
  test.each<[string, KubeObject, KubeObject | "unresolved" | "absent", string | undefined]>([
    ["the cluster is not looked up yet", serving, "unresolved", undefined],
    ["the cluster is absent", serving, "absent", "ClusterNotFound"],
    ["the cluster has no provider config", serving, unreachable, "ProviderConfigMissing"],
    ["the spec fails its checks", invalid, cluster(), "InvalidSpec"],
    ["a selector does not compile", badSelector, cluster(), "InvalidNodeSelector"],
    ["both the spec and the cluster are wrong", invalid, "absent", "InvalidSpec"],
  ])("%s", (_, xr, found, reason) => {
    const held = handler.compose(request(xr, found, running));
    expect(keys(held)).toEqual([...running.keys()].sort());
    for (const { key, object } of held.resources) {
      const { spec } = running.get(key) as KubeObject;
      expect(object).toEqual({
        apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
        kind: "Object",
        spec,
      });
    }
    expect(held.holding).toBe(reason);
    const holding = condition(held, "Holding");
    if (reason === undefined) {
      expect(holding).toBeUndefined();
      expect(held.results).toEqual([]);
      return;
    }
    expect(holding).toMatchObject({ status: "True", reason });
    expect(held.results).toMatchObject([{ severity: "Warning", reason }]);
    const again = handler.compose(request(written(xr, held), found, running));
    expect(again.results).toEqual([]);
    expect(keys(again)).toEqual(keys(held));
  });

  test("the cluster is asked for on every call, by name, without a namespace", () => {
    for (const found of ["unresolved", "absent", unreachable, cluster()] as const) {
      expect(handler.compose(request(serving, found, running)).requirements).toEqual({
        cluster: {
          apiVersion: "modelplane.ai/v1alpha1",
          kind: "InferenceCluster",
          match: { name: "east" },
        },
      });
    }
  });

  test("the three states of a lookup are told apart", () => {
    const said = (found: KubeObject | "unresolved" | "absent") =>
      condition(handler.compose(request(replica(), found)), "ModelAccepted")?.message;
    expect(said("unresolved")).toMatch(/has not looked up InferenceCluster "east"/);
    expect(said("absent")).toMatch(/there is no InferenceCluster "east"/);
    expect(said(unreachable)).toMatch(/has no status.providerConfigRef.name/);
  });
});

describe("what is said again", () => {
  test("is only what the handler owns", () => {
    const observed = new Map(running);
    const workload = observed.get("model-serving-main") as KubeObject;
    observed.set("model-serving-main", {
      ...workload,
      metadata: {
        name: "r-0123456789ab",
        namespace: "ml-team",
        uid: "x",
        resourceVersion: "7",
        ownerReferences: [{ kind: "ModelReplica" }],
        managedFields: [{ manager: "crossplane" }],
      },
      spec: {
        ...(workload.spec as object),
        deletionPropagationPolicy: "Background",
        watch: true,
      },
    });
    const held = handler.compose(request(serving, "absent", observed));
    const object = held.resources.find(({ key }) => key === "model-serving-main")?.object;
    expect(Object.keys(object ?? {}).sort()).toEqual(["apiVersion", "kind", "spec"]);
    expect(Object.keys(object?.spec as object).sort()).toEqual([
      "forProvider",
      "providerConfigRef",
      "readiness",
      "watch",
    ]);
  });

  test("keeps the namespace's policies, without which a replica's end would delete it", () => {
    const held = handler.compose(request(serving, "absent", running));
    const namespace = held.resources.find(({ key }) => key === "namespace")?.object;
    expect(namespace?.spec).toMatchObject({ managementPolicies: ["Observe", "Create", "Update"] });
  });

  test("leaves out what is being deleted and what the handler never makes", () => {
    const observed = new Map(running);
    const route = observed.get("model-route") as KubeObject;
    observed.set("model-route", {
      ...route,
      metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" },
    });
    observed.set("somebody-elses", route);
    const held = handler.compose(request(serving, "absent", observed));
    expect(keys(held)).toEqual(keys(first).filter((key) => key !== "model-route"));
  });

  test("stays as ready as it is observed, and the XR with it while its cluster is away", () => {
    const held = handler.compose(request(serving, "absent", running));
    expect(held.resources.every(({ ready }) => ready)).toBe(true);
    expect(held.ready).toBeUndefined();
    expect(condition(held, "ModelServing")?.status).toBe("True");
    expect(condition(held, "ModelReady")?.status).toBe("True");
  });

  test("the XR is unready while it holds for its own spec, and its traffic goes on", () => {
    for (const xr of [invalid, badSelector]) {
      const held = handler.compose(request(xr, cluster(), running));
      expect(held.ready).toBe(false);
      expect(held.status.observedSpecHash).toBeUndefined();
      expect(condition(held, "ModelReady")?.status).toBe("False");
      expect(condition(held, "ModelServing")?.status).toBe("True");
    }
  });
});

describe("how a hold shows", () => {
  test("its message names what is missing and the way out", () => {
    const held = handler.compose(request(serving, "absent", running));
    const message = condition(held, "Holding")?.message;
    expect(message).toMatch(/11 composed objects are kept as they were/);
    expect(message).toMatch(/there is no InferenceCluster "east" \(spec.clusterName\)/);
    expect(message).toMatch(/modelplane.ai\/abandon="true"/);
  });

  test("an invalid spec is quoted by field and value", () => {
    const held = handler.compose(request(badSelector, cluster(), running));
    expect(condition(held, "ModelAccepted")).toMatchObject({
      reason: "InvalidNodeSelector",
      message: expect.stringMatching(
        /spec\.engines\[0\]\.members\[0\]\.deviceRequests\[0\]\.selectors\[0\]\.cel: "device\.driver ==" does not compile/,
      ),
    });
  });

  test("it is released when the input is back, and never set where nothing was held", () => {
    const held = written(serving, handler.compose(request(serving, "absent", running)));
    const released = handler.compose(request(held, cluster(), running));
    expect(condition(released, "Holding")).toMatchObject({ status: "False", reason: "Released" });
    expect(released.holding).toBeUndefined();
    expect(condition(steady, "Holding")).toBeUndefined();
    expect(condition(handler.compose(request(replica(), "absent")), "Holding")).toBeUndefined();
  });

  test("with nothing observed the XR is unready, and says why once", () => {
    const empty = handler.compose(request(replica(), "absent"));
    expect(empty.resources).toEqual([]);
    expect(empty.ready).toBe(false);
    expect(condition(empty, "ModelAccepted")).toMatchObject({
      status: "False",
      reason: "WaitingForCluster",
    });
    expect(condition(empty, "ModelReady")).toMatchObject({ reason: "WaitingForModel" });
    expect(empty.results).toHaveLength(1);
    const again = handler.compose(request(written(replica(), empty), "absent"));
    expect(again.results).toEqual([]);
  });

  test("the status goes on speaking of the spec that was composed last", () => {
    const held = handler.compose(request(serving, "absent", running));
    expect(held.status.observedSpecHash).toBe(steady.status.observedSpecHash);
    const changed = {
      ...serving,
      spec: { ...(serving.spec as object), modelCacheRef: { name: "q" } },
    };
    const after = handler.compose(request(changed, "absent", running));
    expect(after.status.observedSpecHash).toBe(steady.status.observedSpecHash);
    expect(condition(after, "ModelReady")).toMatchObject({
      status: "False",
      message: expect.stringContaining("the spec has changed"),
    });
  });
});

describe("the way out", () => {
  const abandoned = {
    ...serving,
    metadata: { ...serving.metadata, annotations: { "modelplane.ai/abandon": "true" } },
  };

  test.each<[string, KubeObject | "absent"]>([
    ["in a hold", "absent"],
    ["beside a reachable cluster", cluster()],
  ])("the annotation keeps every remote object when its Object is deleted, %s", (_, found) => {
    const composition = handler.compose(request(abandoned, found, running));
    expect(keys(composition)).toEqual(keys(first));
    for (const { object } of composition.resources) {
      expect(object.spec).toMatchObject({ managementPolicies: ["Observe", "Create", "Update"] });
    }
  });
});

describe("what a spec asks to go, goes", () => {
  test("an engine that is taken out of the spec", () => {
    const two = replica({
      engines: [
        { name: "main", copies: 1, members: [standalone()] },
        { name: "extra", copies: 1, members: [standalone()] },
      ],
    });
    const observed = healthy(handler.compose(request(two)));
    const composition = handler.compose(request(replica(), cluster(), observed));
    expect(keys(composition)).toEqual(keys(first));
  });
});

describe("an Object is never re-pointed", () => {
  const moved = cluster({ status: { providerConfigRef: { name: "east-2-kubeconfig" } } });

  test("another provider config takes other keys, which are kept while they are observed", () => {
    const composition = handler.compose(request(serving, moved, running));
    for (const key of keys(composition)) expect(key).toMatch(/-[0-9a-f]{5}$/);
    expect(keys(composition)).not.toContain("model-serving-main");
    const next = handler.compose(request(serving, moved, healthy(composition)));
    expect(keys(next)).toEqual(keys(composition));
    const held = handler.compose(request(serving, "absent", healthy(composition)));
    expect(keys(held)).toEqual(keys(composition));
    expect(held.status.engines).toMatchObject([{ name: "main", readyCopies: 1 }]);
  });

  test("another shape of an engine takes another key than the Deployment it replaces", () => {
    const gang = replica({
      engines: [
        {
          name: "main",
          copies: 1,
          members: [standalone({ role: "Leader" }), standalone({ role: "Worker" })],
        },
      ],
    });
    const composition = handler.compose(request(gang, cluster(), running));
    const workload = keys(composition).filter((key) => key.startsWith("model-serving-"));
    expect(workload).toHaveLength(1);
    expect(workload[0]).toMatch(/^model-serving-main-[0-9a-f]{5}$/);
    expect(manifest(composition, workload[0] ?? "").kind).toBe("LeaderWorkerSet");
  });
});

describe("the input of the Composition's step", () => {
  const input = (spec: unknown, kind = "Input") => ({ apiVersion: "sluice.dev/v1", kind, spec });

  test("watch is set on the workloads and the route alone", () => {
    const composition = handler.compose(
      request(replica(), cluster(), new Map(), input({ watch: true })),
    );
    const watched = composition.resources.filter(
      ({ object }) => (object.spec as { watch?: boolean }).watch === true,
    );
    expect(watched.map(({ key }) => key).sort()).toEqual([
      "epp",
      "model-route",
      "model-serving-main",
    ]);
  });

  test.each([
    [input({ watch: "yes" }), /spec.watch is "yes"/],
    [input({}, "Inputs"), /kind is "Inputs"/],
  ])("a wrong one is Fatal, and so deletes nothing", (wrong, message) => {
    const composition = handler.compose(request(replica(), cluster(), running, wrong));
    expect(composition.results).toMatchObject([
      { severity: "Fatal", message: expect.stringMatching(message) },
    ]);
    // What a failed step leaves out, Crossplane calls Unknown.
    expect(condition(composition, "ModelServing")?.status).toBe("True");
  });
});
