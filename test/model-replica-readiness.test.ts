import { describe, expect, test } from "vitest";
import type { KubeObject } from "../kube/object.ts";
import { handler } from "./support/handler.ts";
import {
  cluster,
  condition,
  gang,
  healthy,
  replica,
  request,
  standalone,
  written,
} from "./support/replica.ts";

/** An Object as a test may pull it apart. */
interface Wrapped extends KubeObject {
  metadata?: { deletionTimestamp?: string; generation?: number };
  spec: { forProvider: { manifest: Record<string, unknown> } };
  status: {
    atProvider: {
      manifest: { metadata: Record<string, unknown>; status: Record<string, unknown> };
    };
    conditions: { type: string; status: string; message?: string; observedGeneration?: number }[];
  };
}

const first = handler.compose(request(replica()));

/** The observed resources of a healthy replica, with one of them changed. */
function observedWith(key: string, change: (object: Wrapped) => void): Map<string, KubeObject> {
  const observed = healthy(first);
  const object = structuredClone(observed.get(key)) as Wrapped;
  change(object);
  observed.set(key, object);
  return observed;
}

const setCondition = (type: string, status: string, message: string) => (object: Wrapped) => {
  object.status.conditions = [
    ...object.status.conditions.filter((each) => each.type !== type),
    { type, status, message },
  ];
};

const compose = (observed: Map<string, KubeObject>, xr = replica()) =>
  handler.compose(request(xr, cluster(), observed));
const readyOf = (composition: ReturnType<typeof compose>, key: string) =>
  composition.resources.find((each) => each.key === key)?.ready;

describe("a healthy replica", () => {
  const composition = compose(healthy(first));

  test("is accepted, ready and serving, and every resource counts as ready", () => {
    expect(composition.conditions).toEqual([
      { type: "ModelAccepted", status: "True", reason: "Accepted", message: "" },
      { type: "ModelReady", status: "True", reason: "Serving", message: "" },
      { type: "ModelServing", status: "True", reason: "Serving", message: "" },
    ]);
    expect(composition.resources.filter(({ ready }) => !ready)).toEqual([]);
    expect(composition.ready).toBeUndefined();
    expect(composition.results).toEqual([]);
  });

  test("its status has the counts, the spec's hash and the latch", () => {
    expect(composition.status).toEqual({
      served: true,
      observedSpecHash: expect.stringMatching(/^[0-9a-f]{16}$/),
      engines: [{ name: "main", copies: 1, readyCopies: 1, updatedCopies: 1 }],
    });
  });

  test("the hash leaves Crossplane's own part of the spec out", () => {
    const xr = replica();
    const machinery = { ...xr, spec: { ...(xr.spec as object), crossplane: { resourceRefs: [] } } };
    expect(compose(healthy(first), machinery).status.observedSpecHash).toBe(
      composition.status.observedSpecHash,
    );
  });

  test("served stays once it has been true", () => {
    const xr = written(replica(), composition);
    const broken = observedWith("model-serving-main", (object) => {
      object.status.atProvider.manifest.status = {};
    });
    const after = handler.compose(request(xr, cluster(), broken));
    expect(condition(after, "ModelServing")?.status).toBe("False");
    expect(after.status.served).toBe(true);
  });

  test("composes the same again, whatever the order of what is observed", () => {
    const reversed = new Map([...healthy(first)].reverse());
    expect(JSON.stringify(compose(reversed))).toBe(JSON.stringify(composition));
  });
});

describe("ready for this spec is never claimed", () => {
  test.each<[string, string, (object: Wrapped) => void, RegExp]>([
    [
      "of an Object without what its provider saw",
      "model-serving-main",
      (object) => {
        object.status.atProvider = {} as Wrapped["status"]["atProvider"];
      },
      /has not been applied yet/,
    ],
    [
      "of a live object that carries another manifest's hash",
      "model-serving-main",
      (object) => {
        object.status.atProvider.manifest.metadata.annotations = {
          "modelplane.ai/manifest-hash": "0000000000000000",
        };
      },
      /does not carry this spec yet/,
    ],
    [
      "while the controller has not seen the newest generation",
      "model-serving-main",
      (object) => {
        object.status.atProvider.manifest.metadata.generation = 2;
      },
      /1 of 1 copies available/,
    ],
    [
      "of a Ready Object whose last apply failed",
      "model-serving-main",
      setCondition("Synced", "False", "apply failed: forbidden"),
      /Deployment "r-main-bb4e3" could not be applied: apply failed: forbidden/,
    ],
    [
      "of an Object that is being deleted",
      "model-serving-main",
      (object) => {
        object.metadata = { deletionTimestamp: "2026-01-01T00:00:00Z" };
      },
      /is being deleted/,
    ],
  ])("%s", (_, key, change, message) => {
    const composition = compose(observedWith(key, change));
    expect(condition(composition, "ModelReady")).toMatchObject({
      status: "False",
      message: expect.stringMatching(message),
    });
    expect(condition(composition, "ModelReady")?.message).toContain('engine "main"');
    expect(readyOf(composition, key)).toBe(false);
  });

  test("of a claim template that is not observed", () => {
    const observed = healthy(first);
    observed.delete("resource-claim-main-standalone-67083");
    const composition = compose(observed);
    expect(readyOf(composition, "resource-claim-main-standalone-67083")).toBe(false);
    expect(condition(composition, "ModelReady")?.status).toBe("True");
  });

  test("of a Service that could not be applied, while the model stays ready", () => {
    const broken = observedWith("epp-service", setCondition("Synced", "False", "no such port"));
    const composition = compose(broken);
    expect(composition.resources.filter(({ ready }) => !ready).map(({ key }) => key)).toEqual([
      "epp-service",
    ]);
    expect(condition(composition, "ModelReady")?.status).toBe("True");
    expect(condition(composition, "ModelServing")).toMatchObject({
      status: "True",
      message: 'Not ready: Service "r-epp" could not be applied: no such port',
    });
  });

  test("of a picker without an available copy, even if its Object says Ready", () => {
    const broken = observedWith("epp", (object) => {
      object.status.atProvider.manifest.status = { observedGeneration: 1, replicas: 1 };
    });
    expect(readyOf(compose(broken), "epp")).toBe(false);
  });

  test("of a picker that does not carry this manifest yet, whatever its counters say", () => {
    const stale = observedWith("epp", (object) => {
      object.status.atProvider.manifest.metadata.annotations = {};
    });
    expect(readyOf(compose(stale), "epp")).toBe(false);
  });

  test("of an Object whose provider judged an older generation of it", () => {
    const stale = observedWith("epp-config", (object) => {
      object.metadata = { generation: 2 };
      object.status.conditions = [{ type: "Ready", status: "True", observedGeneration: 1 }];
    });
    expect(readyOf(compose(stale), "epp-config")).toBe(false);
  });

  test("of an Object that still carries another manifest", () => {
    const stale = observedWith("epp-config", (object) => {
      object.spec.forProvider.manifest = { kind: "ConfigMap" };
    });
    // Another identity, so it is not even the same resource.
    expect(readyOf(compose(stale), "epp-config")).not.toBe(true);
  });
});

describe("serving is about traffic alone", () => {
  test("a copy of an older spec serves", () => {
    const rolling = observedWith("model-serving-main", (object) => {
      object.status.atProvider.manifest.metadata.generation = 5;
      object.status.atProvider.manifest.status = {
        observedGeneration: 4,
        replicas: 1,
        updatedReplicas: 0,
        availableReplicas: 1,
      };
    });
    const composition = compose(rolling);
    expect(condition(composition, "ModelServing")?.status).toBe("True");
    expect(condition(composition, "ModelReady")?.status).toBe("False");
  });

  test("an engine without a ready copy stops it, and is named", () => {
    const two = replica({
      engines: [
        { name: "a", copies: 1, members: [standalone()] },
        { name: "b", copies: 1, members: [standalone()] },
      ],
    });
    const observed = healthy(handler.compose(request(two)));
    const object = structuredClone(observed.get("model-serving-b")) as Wrapped;
    object.status.atProvider.manifest.status = {};
    observed.set("model-serving-b", object);
    const composition = compose(observed, two);
    expect(condition(composition, "ModelServing")).toMatchObject({
      status: "False",
      reason: "WaitingForModel",
      message: expect.stringMatching(/^engine "b": Deployment "r-b-[0-9a-f]{5}" 0 of 1 copies/),
    });
  });

  test.each<[string, (object: Wrapped) => void, string, RegExp]>([
    [
      "no gateway reports on the route",
      (object) => {
        object.status.atProvider.manifest.status = {};
      },
      "NoGateway",
      /Gateway modelplane-system\/cluster-gateway has not reported/,
    ],
    [
      "the gateway refuses the route",
      (object) => {
        object.status.atProvider.manifest.status = {
          parents: [
            {
              parentRef: { name: "cluster-gateway" },
              conditions: [{ type: "Accepted", status: "False", reason: "NotAllowedByListeners" }],
            },
          ],
        };
        object.status.conditions = [{ type: "Ready", status: "False" }];
      },
      "RouteNotAccepted",
      /Accepted is False: NotAllowedByListeners/,
    ],
  ])("%s", (_, change, reason, message) => {
    const composition = compose(observedWith("model-route", change));
    expect(condition(composition, "ModelServing")).toMatchObject({
      status: "False",
      reason,
      message: expect.stringMatching(message),
    });
    expect(condition(composition, "ModelReady")?.status).toBe("True");
  });

  test("one of two groups of a gang is enough to serve and not enough to be ready", () => {
    const xr = replica({ engines: [{ name: "big", copies: 2, members: gang(3) }] });
    const observed = healthy(handler.compose(request(xr)));
    const object = structuredClone(observed.get("model-serving-big")) as Wrapped;
    object.status.atProvider.manifest.status.readyReplicas = 1;
    object.status.atProvider.manifest.status.conditions = [
      { type: "Available", status: "False", reason: "SomeGroupsNotReady" },
    ];
    observed.set("model-serving-big", object);
    const composition = compose(observed, xr);
    expect(condition(composition, "ModelReady")).toMatchObject({
      status: "False",
      reason: "ModelStarting",
      message: expect.stringContaining("1 of 2 groups ready"),
    });
    expect(condition(composition, "ModelServing")?.status).toBe("True");
    expect(composition.status.engines).toMatchObject([{ copies: 2, readyCopies: 1 }]);
  });
});

describe("a workload that upstream composed", () => {
  const adopted = () =>
    observedWith("model-serving-main", (object) => {
      const strip = (metadata: Record<string, unknown>) => {
        delete metadata.annotations;
      };
      strip(object.spec.forProvider.manifest.metadata as Record<string, unknown>);
      strip(object.status.atProvider.manifest.metadata);
    });
  const annotationsOf = (object: KubeObject | undefined) =>
    (object as Wrapped).spec.forProvider.manifest.metadata as { annotations?: unknown };

  test("and that lacks only the hash is left as it is, and counts as carrying it", () => {
    const observed = adopted();
    const once = compose(observed);
    const workload = once.resources.find(({ key }) => key === "model-serving-main");
    expect(annotationsOf(workload?.object).annotations).toBeUndefined();
    const twice = compose(healthy(once));
    expect(condition(twice, "ModelReady")?.status).toBe("True");
    expect(readyOf(twice, "model-serving-main")).toBe(true);
  });

  test("gets the hash with its next real change", () => {
    const xr = replica({ engines: [{ name: "main", copies: 2, members: [standalone()] }] });
    const composition = compose(adopted(), xr);
    const workload = composition.resources.find(({ key }) => key === "model-serving-main");
    expect(annotationsOf(workload?.object).annotations).toMatchObject({
      "modelplane.ai/manifest-hash": expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(condition(composition, "ModelReady")?.status).toBe("False");
  });
});
