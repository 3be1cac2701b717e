import { describe, expect, test } from "vitest";
import type { Composition, Handler } from "../../functions/composition/composition.ts";
import { field, type KubeObject, stringField } from "../../kube/object.ts";
import type { Definition, Definitions } from "../../schema/definitions.ts";
import { answerInProcess, drive } from "../answers.ts";
import { composedName, deterministicUid } from "./identity.ts";
import { type Rules, type Simulation, simulate, type World } from "./simulate.ts";

const apiVersion = "example.org/v1";

const nothing: Composition = {
  resources: [],
  requirements: {},
  conditions: [],
  results: [],
  status: {},
};

/** An XR of the test kind; `spec.remote` lists the names of the Deployments that it composes. */
function shop(name: string, spec: object = {}, rest: object = {}): KubeObject {
  return { apiVersion, kind: "Shop", metadata: { name, namespace: "town" }, spec, ...rest };
}

const wrapped = (name: string, replicas = 2): KubeObject => ({
  apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
  kind: "Object",
  spec: {
    forProvider: {
      manifest: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name },
        spec: { replicas },
      },
    },
  },
});

/** Composes a Deployment for each of `spec.remote`, ready when its copy on the cluster is. */
const shopHandler = (compose?: Handler["compose"]): Handler => ({
  apiVersion,
  kind: "Shop",
  compose:
    compose ??
    (({ composite, observed }) => ({
      ...nothing,
      status: { seen: observed.keys.length },
      resources: (field(composite, "spec", "remote") as string[]).map((key) => ({
        key,
        object: wrapped(key),
        ready:
          field(
            observed.get(key),
            "status",
            "atProvider",
            "manifest",
            "status",
            "availableReplicas",
          ) === 2,
      })),
    })),
});

const oneStep = [{ step: "compose", functionName: "function-sluice", input: undefined }];

function run(
  world: Partial<World>,
  handlers: readonly Handler[] = [shopHandler()],
  rules: Partial<Rules> = {},
): Promise<Simulation> {
  const calls = simulate(
    { composites: [], observed: [], others: [], ...world },
    {
      steps: (version, kind) =>
        handlers.some((one) => one.kind === kind && one.apiVersion === version)
          ? oneStep
          : undefined,
      definitions: new Map(),
      assumeReady: false,
      ...rules,
    },
  );
  return drive(calls, answerInProcess(handlers));
}

const conditions = (simulation: Simulation, at = 0) =>
  Object.fromEntries(
    (
      (field(simulation.composites[at]?.composite, "status", "conditions") ?? []) as {
        type: string;
        status: string;
        reason: string;
        message?: string;
      }[]
    ).map(({ type, status, reason, message = "" }) => [
      type,
      `${status} ${reason} ${message}`.trim(),
    ]),
  );

describe("names", () => {
  test("a UID is a version 5 UUID of kind, namespace and name", () => {
    // Computed with another language's UUID library.
    expect(deterministicUid(shop("corner"))).toBe("d1dfdce0-98de-55dd-ac42-f9e0d3a0ac23");
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "corner", namespace: "town" } };
    expect(deterministicUid(pod)).toBe("15adc576-4515-5900-bbb5-82f7577dc59c");
  });

  test("a generated name is cut to 63 characters before its hash", () => {
    expect(composedName("corner-", "uid", "key")).toMatch(/^corner-[0-9a-f]{12}$/);
    const long = composedName(`${"x".repeat(62)}-`, "uid", "key");
    expect(long).toMatch(/^x{50}-[0-9a-f]{12}$/);
    expect(composedName("corner-", "uid", "other")).not.toBe(composedName("corner-", "uid", "key"));
  });

  test("an observed name wins over a generated one, and a chosen one over both if nothing exists", async () => {
    const observed = {
      ...wrapped("till"),
      metadata: {
        name: "given-by-hand",
        namespace: "town",
        annotations: { "crossplane.io/composition-resource-name": "till" },
      },
    };
    const { composites } = await run({
      composites: [shop("corner", { remote: ["till", "shelf"] })],
      observed: [observed],
    });
    const names = composites[0]?.applied.map(({ object }) => object.metadata?.name);
    expect(names?.[1]).toBe("given-by-hand");
    expect(names?.[0]).toMatch(/^corner-[0-9a-f]{12}$/);
  });
});

test("applies resources with the metadata that Crossplane adds", async () => {
  const { composites } = await run({ composites: [shop("corner", { remote: ["till"] })] });
  const uid = deterministicUid(shop("corner"));
  expect(composites[0]?.applied[0]?.object.metadata).toEqual({
    name: composedName("corner-", uid, "till"),
    generateName: "corner-",
    namespace: "town",
    annotations: { "crossplane.io/composition-resource-name": "till" },
    labels: { "crossplane.io/composite": "corner" },
    ownerReferences: [
      { apiVersion, kind: "Shop", name: "corner", uid, controller: true, blockOwnerDeletion: true },
    ],
  });
});

describe("readiness", () => {
  test("names the first three unready resources and counts the others", async () => {
    const remote = ["d", "c", "b", "a"];
    const simulation = await run({ composites: [shop("corner", { remote })] });
    expect(conditions(simulation)).toMatchObject({
      Synced: "True ReconcileSuccess",
      Ready: "False Creating Unready resources: a, b, c, and 1 more",
    });
    const three = await run({ composites: [shop("corner", { remote: ["c", "b", "a"] })] });
    expect(conditions(three).Ready).toBe("False Creating Unready resources: a, b, and c");
  });

  test("becomes True once composed objects are assumed ready", async () => {
    const world = { composites: [shop("corner", { remote: ["till"] })] };
    const simulation = await run(world, undefined, { assumeReady: true });
    expect(conditions(simulation).Ready).toBe("True Available");
    expect(field(simulation.composites[0]?.composite, "status", "seen")).toBe(1);
    expect(simulation.settled).toBe(true);
  });

  test("follows a function that forces it, without naming resources", async () => {
    const handler = shopHandler(() => ({ ...nothing, ready: false }));
    const simulation = await run({ composites: [shop("corner")] }, [handler]);
    expect(conditions(simulation).Ready).toBe("False Creating");
    expect(
      conditions(await run({ composites: [shop("x")] }, [shopHandler(() => nothing)])).Ready,
    ).toBe("True Available");
  });
});

describe("requirements", () => {
  const things = [
    {
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name: "b", namespace: "town", labels: { a: "1" } },
    },
    {
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name: "a", namespace: "town", labels: { a: "1" } },
    },
    {
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name: "a", namespace: "city", labels: { a: "2" } },
    },
    { apiVersion: "v1", kind: "Thing", metadata: { name: "b" } },
  ];

  const found = async (selector: object): Promise<unknown> => {
    const handler = shopHandler(({ required }) => {
      const answer = required("x");
      const status =
        answer.state === "present"
          ? {
              names: answer.value.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`),
            }
          : { names: answer.state };
      const x = { apiVersion: "v1", kind: "Thing", ...selector } as never;
      return { ...nothing, requirements: { x }, status };
    });
    const simulation = await run({ composites: [shop("corner")], others: things }, [handler]);
    return field(simulation.composites[0]?.composite, "status", "names");
  };

  test.each([
    [{ match: { name: "b" } }, ["undefined/b"]],
    [{ match: { name: "a" } }, "absent"],
    [{ match: { name: "a" }, namespace: "city" }, ["city/a"]],
    [{ match: { labels: { a: "1" } } }, ["town/a", "town/b"]],
    [{ match: { labels: { toString: "1" } } }, "absent"],
    [{ match: { labels: {} } }, ["undefined/b", "city/a", "town/a", "town/b"]],
    [{ match: { labels: {} }, namespace: "city" }, ["city/a"]],
    [{ kind: "Other", match: { labels: {} } }, "absent"],
  ])("%j finds %j", async (selector, names) => {
    expect(await found(selector)).toEqual(names);
  });

  test("that never settle fail the reconcile after six calls", async () => {
    let calls = 0;
    const handler = shopHandler(() => {
      calls += 1;
      const x = { apiVersion: "v1", kind: "Thing", match: { name: `n${calls}` } };
      return { ...nothing, requirements: { x } };
    });
    const simulation = await run({ composites: [shop("corner")] }, [handler]);
    expect(conditions(simulation).Synced).toContain("requirements didn't stabilize");
    expect(calls % 6).toBe(0);
  });
});

describe("errors", () => {
  test("a Fatal result applies nothing, keeps what exists and makes conditions Unknown", async () => {
    const handler = shopHandler(({ composite, observed }) =>
      stringField(composite, "spec", "mood") === "bad"
        ? { ...nothing, results: [{ severity: "Fatal", message: "out of stock" }] }
        : {
            ...nothing,
            conditions: [{ type: "Open", status: "True", reason: "Open" }],
            resources: [{ key: "till", object: wrapped("till"), ready: observed.keys.length > 0 }],
          },
    );
    const good = await run({ composites: [shop("corner", { mood: "good" })] }, [handler]);
    expect(conditions(good)).toMatchObject({ Open: "True Open", Ready: "True Available" });
    const stored = good.composites[0]?.composite as KubeObject;
    const bad = await run(
      {
        composites: [{ ...stored, spec: { mood: "bad" } }],
        observed: good.objects.filter(({ kind }) => kind === "Object"),
      },
      [handler],
    );
    expect(conditions(bad)).toMatchObject({
      Open: "Unknown FatalError A fatal error occurred before the status of this condition could be determined.",
      Ready: "True Available",
      Synced:
        'False ReconcileError cannot compose resources: pipeline step "compose" returned a fatal result: out of stock',
    });
    expect(bad.composites[0]?.applied.map(({ key }) => key)).toEqual(["till"]);
    expect(bad.composites[0]?.deleted).toEqual([]);
  });

  test("a cluster-scoped resource is refused for a namespaced composite", async () => {
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };
    const handler = shopHandler(() => ({
      ...nothing,
      resources: [{ key: "ns", object, ready: true }],
    }));
    const simulation = await run({ composites: [shop("corner")] }, [handler]);
    expect(conditions(simulation).Synced).toContain(
      "cannot apply cluster scoped composed resource",
    );
  });

  test("a resource in another namespace moves, with a warning", async () => {
    const object = { ...wrapped("till"), metadata: { namespace: "elsewhere" } };
    const handler = shopHandler(() => ({
      ...nothing,
      resources: [{ key: "till", object, ready: true }],
    }));
    const { composites } = await run({ composites: [shop("corner")] }, [handler]);
    expect(composites[0]?.applied[0]?.object.metadata?.namespace).toBe("town");
    expect(composites[0]?.results[0]).toMatchObject({ reason: "NamespaceOverridden" });
  });
});

test("conditions that a function returns no more stay, and their time moves only with them", async () => {
  const handler = shopHandler(({ composite }) => ({
    ...nothing,
    conditions:
      field(composite, "spec", "open") === true
        ? [{ type: "Open", status: "True", reason: "Hours", message: "till six" }]
        : [{ type: "Ready", status: "True", reason: "Cheating" }],
  }));
  const old = { lastTransitionTime: "2020-05-05T00:00:00Z", message: "till six", reason: "Hours" };
  const status = { conditions: [{ ...old, status: "True", type: "Open" }] };
  for (const open of [true, false]) {
    const simulation = await run({ composites: [shop("corner", { open }, { status })] }, [handler]);
    expect(conditions(simulation)).toMatchObject({
      Open: "True Hours till six",
      Ready: "True Available",
    });
    expect(field(simulation.composites[0]?.composite, "status", "conditions")).toContainEqual({
      ...old,
      status: "True",
      type: "Open",
    });
  }
});

test("deletes what is not desired any more, and what that controls", async () => {
  const before = await run({ composites: [shop("corner", { remote: ["till", "shelf"] })] });
  const stored = before.composites[0]?.composite as KubeObject;
  const after = await run({
    composites: [{ ...stored, spec: { remote: ["till"] } }],
    observed: before.objects.filter(({ kind }) => kind === "Object"),
  });
  expect(after.composites[0]?.deleted.map(({ key }) => key)).toEqual(["shelf"]);
  expect(after.objects.filter(({ kind }) => kind === "Object")).toHaveLength(1);
});

describe("nested composites", () => {
  const mall: Handler = {
    apiVersion,
    kind: "Mall",
    compose: ({ composite, observed }) => ({
      ...nothing,
      resources: (field(composite, "spec", "shops") as string[]).map((key) => ({
        key,
        object: { apiVersion, kind: "Shop", spec: { remote: ["till"] } },
        ready: field(observed.get(key), "status", "seen") === 1,
      })),
    }),
  };
  const root = (shops: string[]): KubeObject => ({
    apiVersion,
    kind: "Mall",
    metadata: { name: "big", namespace: "town" },
    spec: { shops },
  });

  test("are composed in turn until nothing changes", async () => {
    const simulation = await run({ composites: [root(["a", "b"])] }, [mall, shopHandler()], {
      assumeReady: true,
    });
    expect(simulation.composites.map(({ composite }) => composite.kind)).toEqual([
      "Mall",
      "Shop",
      "Shop",
    ]);
    expect(simulation.composites.map(({ composedAs }) => composedAs)).toContain("a");
    expect(conditions(simulation).Ready).toBe("True Available");
    // Crossplane names all that a nested composite composes after the root.
    expect(simulation.composites[1]?.applied[0]?.object.metadata?.name).toMatch(
      /^big-[0-9a-f]{12}$/,
    );
  });

  test("go with all that they control", async () => {
    const handlers = [mall, shopHandler()];
    const before = await run({ composites: [root(["a", "b"])] }, handlers);
    const stored = before.composites[0]?.composite as KubeObject;
    const after = await run(
      {
        composites: [{ ...stored, spec: { shops: ["a"] } }],
        observed: before.objects.filter(({ kind }) => kind !== "Mall"),
      },
      handlers,
    );
    expect(after.composites).toHaveLength(2);
    expect(after.objects.filter(({ kind }) => kind === "Object")).toHaveLength(1);
  });
});

describe("the API server's checks", () => {
  const definition: Definition = {
    namespaced: true,
    apiVersion,
    kind: "Shop",
    check: (object, written) => ({
      object: { ...object, spec: { remote: [], ...(object.spec as object) } },
      findings:
        field(object, written === "status" ? "status" : "spec", "bad") === true
          ? [{ type: "FieldValueInvalid", field: "spec.bad", path: ["spec", "bad"], message: "no" }]
          : [],
      unknownFields: [],
    }),
  };
  const definitions: Definitions = new Map([[`${apiVersion}/Shop`, definition]]);

  test("default a composite, and refuse an invalid one", async () => {
    const world = { composites: [shop("good"), shop("bad", { bad: true })] };
    const { composites, refused } = await run(world, undefined, { definitions });
    expect(composites.map(({ composite }) => composite.spec)).toEqual([{ remote: [] }]);
    expect(refused.map(({ object }) => object.metadata?.name)).toEqual(["bad"]);
  });

  test("refuse a status that the schema does not allow", async () => {
    const handler = shopHandler(() => ({
      ...nothing,
      status: { bad: true },
      resources: [{ key: "till", object: wrapped("till"), ready: true }],
    }));
    const simulation = await run({ composites: [shop("corner")] }, [handler], { definitions });
    expect(conditions(simulation).Synced).toContain("cannot apply composite resource status");
    expect(field(simulation.composites[0]?.composite, "status", "bad")).toBeUndefined();
    expect(simulation.objects.map(({ kind }) => kind)).toContain("Object");
  });

  test("leave an invalid composed composite out and the rest in", async () => {
    const mall: Handler = {
      apiVersion,
      kind: "Mall",
      compose: () => ({
        ...nothing,
        resources: [
          { key: "bad", object: { apiVersion, kind: "Shop", spec: { bad: true } }, ready: true },
          { key: "till", object: wrapped("till"), ready: true },
        ],
      }),
    };
    const object = { apiVersion, kind: "Mall", metadata: { name: "big", namespace: "town" } };
    const simulation = await run({ composites: [object] }, [mall, shopHandler()], { definitions });
    expect(conditions(simulation).Synced).toBe("False ReconcileError Unsynced resources: bad");
    expect(simulation.composites[0]?.results[0]?.message).toContain("spec.bad: no");
    expect(simulation.objects.map(({ kind }) => kind).sort()).toEqual(["Mall", "Object"]);
  });
});

test.each([
  ["paused", { annotations: { "crossplane.io/paused": "true" } }, "False ReconcilePaused"],
  ["deleted", { deletionTimestamp: "2024-01-01T00:00:00Z" }, "undefined"],
])("a %s composite composes nothing", async (_, metadata, synced) => {
  const composite = shop("corner", { remote: ["till"] });
  const simulation = await run({
    composites: [{ ...composite, metadata: { ...composite.metadata, ...metadata } }],
  });
  expect(simulation.composites[0]?.applied).toEqual([]);
  expect(String(conditions(simulation).Synced)).toContain(synced);
});

test("an input that makes a handler flip for ever ends, and says so", async () => {
  const handler = shopHandler(({ composite }) => ({
    ...nothing,
    status: { flip: field(composite, "status", "flip") !== true },
  }));
  const simulation = await run({ composites: [shop("corner")] }, [handler]);
  expect(simulation.settled).toBe(false);
});
