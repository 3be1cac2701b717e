import { describe, expect, it, test } from "vitest";
import type { DecisionModelSpec, DecisionModelStatus } from "../../api/gen/decisionmodels.ts";
import { placementOf } from "../../api/placement.ts";
import type { KubeObject } from "../../kube/object.ts";
import {
  ago,
  byName,
  decisionModel,
  made,
  NOW,
  passOver,
  revision,
} from "../../test/support/decision-model.ts";
import { buildStoreClaim } from "../builders/store-claim.ts";
import type { Action } from "./decision.ts";
import { ensureStore, maintainStore } from "./store.ts";
import type { World } from "./world.ts";

const stable = revision("0123456789abcdef");
const NAME = `support-router-store-${stable.hash}`;
const JOB = `support-router-pf-${stable.hash}`;
const RECOVERING = { "decisionmodel.io/store-recovering": "true" };

/** The claim of the store, as it was made ten minutes ago. */
function claim(metadata: Readonly<Record<string, unknown>> = {}): KubeObject {
  const parameters = { revision: stable.hash, scheduling: undefined, recovering: false };
  const built = buildStoreClaim({ model: decisionModel(), ...parameters });
  return made(built, { creationTimestamp: ago(600), ...metadata });
}

/** The Job that fills the store, made so many seconds ago. */
function job(ended?: "Complete" | "Failed", uid = "job-1", seconds = 300): KubeObject {
  const condition = { type: ended, status: "True", reason: "Ended", message: "it ended" };
  return made(
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: JOB, uid },
      status: { conditions: ended === undefined ? [] : [condition] },
    },
    { creationTimestamp: ago(seconds) },
  );
}

const exited = (exitCode: number): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  status: {
    containerStatuses: [
      { name: "prefetch", state: { terminated: { exitCode, message: "it said" } } },
    ],
  },
});

interface Scene {
  readonly spec?: Partial<DecisionModelSpec>;
  readonly status?: DecisionModelStatus;
  readonly world?: Partial<World>;
}

function shown(action: Action): string {
  switch (action.type) {
    case "Create":
      return `Create ${action.object.kind}`;
    case "Merge":
      return `Merge ${action.target.kind} ${JSON.stringify(action.patch)}`;
    case "Delete":
      return `Delete ${action.target.kind} ${action.target.uid}`;
    default:
      return action.type;
  }
}

function maintained({ spec = {}, status = {}, world = {} }: Scene) {
  const pass = passOver({ spec, status: { stableRevision: stable, ...status }, world });
  const mayChange = maintainStore(pass, stable);
  const { followUp, notices, wakeAt } = pass.decision();
  return {
    mayChange,
    actions: followUp.map(shown),
    followUp,
    notices: notices.map(({ reason }) => reason),
    degraded: pass.degraded,
    recovery: pass.status.storeRecovery,
    wait: wakeAt === undefined ? undefined : (wakeAt - NOW) / 1000,
  };
}

const degradedBy = (reason: string): DecisionModelStatus => ({
  conditions: [
    { type: "Degraded", status: "True", reason, message: "", lastTransitionTime: ago(60) },
  ],
});

describe("a store that is there", () => {
  it("is left alone", () => {
    expect(maintained({ world: { claims: byName(claim()) } })).toMatchObject({
      mayChange: true,
      actions: [],
      notices: [],
      degraded: undefined,
      wait: undefined,
    });
  });

  it("grows where the spec asks for more", () => {
    expect(
      maintained({ spec: { cache: { size: "20Gi" } }, world: { claims: byName(claim()) } }),
    ).toMatchObject({
      actions: [
        'Merge PersistentVolumeClaim {"spec":{"resources":{"requests":{"storage":"20Gi"}}}}',
      ],
      degraded: undefined,
    });
  });

  test.each<readonly [string, Scene, readonly string[], string]>([
    ["shrinks", { spec: { cache: { size: "5Gi" } } }, [], "has size 10Gi"],
    [
      "changes its class",
      { spec: { cache: { size: "20Gi", storageClassName: "fast" } } },
      [],
      "has storageClassName",
    ],
    [
      "grows where the API server refuses it",
      {
        spec: { cache: { size: "20Gi" } },
        world: {
          refused: new Map([
            [`PersistentVolumeClaim ${NAME}`, { message: "no expansion", isDue: false }],
          ]),
        },
      },
      [],
      `PersistentVolumeClaim ${NAME} does not grow: no expansion`,
    ],
  ])("73: never %s", (_, { world, ...scene }, actions, message) => {
    const result = maintained({ ...scene, world: { claims: byName(claim()), ...world } });
    expect(result).toMatchObject({
      mayChange: true,
      actions,
      degraded: { reason: "CacheSpecImmutable", message: expect.stringContaining(message) },
    });
  });
});

describe("a store that is lost", () => {
  it("is made again, to be filled", () => {
    const { followUp, ...result } = maintained({});
    expect(result).toMatchObject({
      mayChange: true,
      notices: ["StoreLost"],
      degraded: { reason: "StoreLost" },
      wait: 10,
    });
    expect(followUp).toMatchObject([
      { type: "Create", object: { metadata: { name: NAME, annotations: RECOVERING } } },
    ]);
  });

  it("is told of once", () => {
    expect(maintained({ status: degradedBy("StoreLost") }).notices).toEqual([]);
  });

  it("is made again where its own revision may run, whatever the spec says by now", () => {
    const scheduling = { nodeSelector: { zone: "b" } };
    const elsewhere = maintained({ spec: { scheduling } }).followUp[0];
    expect(elsewhere).not.toHaveProperty([
      "object",
      "metadata",
      "annotations",
      "decisionmodel.io/scheduling",
    ]);
    const pass = passOver({ spec: { scheduling } });
    maintainStore(pass, { ...stable, placement: placementOf(scheduling) });
    expect(pass.decision().followUp[0]).toHaveProperty(
      ["object", "metadata", "annotations", "decisionmodel.io/scheduling"],
      JSON.stringify(scheduling),
    );
  });

  it("on its way out serves on, and its pods stay as they are", () => {
    const leaving = claim({ deletionTimestamp: ago(1) });
    expect(maintained({ world: { claims: byName(leaving) } })).toMatchObject({
      mayChange: false,
      actions: [],
      notices: ["StoreTerminating"],
      degraded: { reason: "StoreTerminating" },
      wait: 5,
    });
  });
});

describe("a store that is filled again", () => {
  const recovering = claim({ annotations: RECOVERING });
  const filled = (
    ended: KubeObject | undefined,
    scene: Scene = {},
    pods: readonly KubeObject[] = [],
  ) =>
    maintained({
      ...scene,
      world: {
        claims: byName(recovering),
        jobs: ended === undefined ? new Map() : byName(ended),
        pods: new Map([[ended?.metadata?.uid ?? "", pods]]),
        ...scene.world,
      },
    });
  const tried = (attempts: number, lastFailedJob: string): Scene => ({
    status: { storeRecovery: { attempts, lastFailedJob } },
  });

  it("gets a Job", () => {
    expect(filled(undefined)).toMatchObject({
      actions: ["Create Job"],
      degraded: { reason: "StoreLost" },
      wait: 10,
    });
  });

  it("is waited for", () => {
    expect(filled(job())).toMatchObject({
      actions: [],
      recovery: undefined,
      degraded: { reason: "StoreLost" },
    });
  });

  it("is full again by a Job that is not older than it", () => {
    const done = [
      'Merge PersistentVolumeClaim {"metadata":{"annotations":{"decisionmodel.io/store-recovering":null}}}',
    ];
    expect(filled(job("Complete"), tried(2, "job-0"))).toMatchObject({
      actions: done,
      recovery: undefined,
      degraded: undefined,
    });
    expect(filled(job("Complete", "job-1", 600)).actions).toEqual(done);
  });

  it("72: is not full by a Job that filled another volume: that goes, and a new one follows", () => {
    expect(filled(job("Complete", "job-1", 601))).toMatchObject({
      actions: ["Delete Job job-1"],
      degraded: { reason: "StoreLost" },
    });
  });

  test.each<readonly [string, Scene, number]>([
    ["counts a Job that failed before it goes", {}, 1],
    ["69: counts on from what was recorded before a restart", tried(1, "job-0"), 2],
    ["70: counts a Job once", tried(2, "job-1"), 2],
  ])("%s", (_, scene, attempts) => {
    expect(filled(job("Failed"), scene)).toMatchObject({
      actions: ["Delete Job job-1"],
      recovery: { attempts, lastFailedJob: "job-1" },
      degraded: { reason: "StoreLost" },
      wait: 10,
    });
  });

  test.each<readonly [string, Scene, readonly KubeObject[], number]>([
    ["69: with the third Job that failed", tried(2, "job-0"), [exited(1)], 3],
    ["71: at once for what another attempt would not change", {}, [exited(4)], 1],
  ])("is given up %s", (_, scene, pods, attempts) => {
    expect(filled(job("Failed"), scene, pods)).toMatchObject({
      actions: [],
      recovery: { attempts, lastFailedJob: "job-1", exhausted: true },
      notices: ["StorePrefetchFailed"],
      degraded: { reason: "StorePrefetchFailed", message: expect.stringContaining("it said") },
    });
  });

  it("that was given up waits for a person, quietly", () => {
    const status = {
      ...degradedBy("StorePrefetchFailed"),
      storeRecovery: { attempts: 3, exhausted: true },
    };
    expect(filled(job("Failed"), { status })).toMatchObject({
      actions: [],
      notices: [],
      degraded: {
        reason: "StorePrefetchFailed",
        message: expect.stringContaining("set the annotation decisionmodel.io/retry"),
      },
      wait: 60,
    });
  });
});

describe("the store of a candidate", () => {
  const ensured = (scene: Scene) => {
    const pass = passOver({ ...scene });
    const store = ensureStore(pass, stable);
    return { store, actions: pass.decision().followUp.map(shown), degraded: pass.degraded };
  };

  test.each<readonly [string, Scene, object, readonly string[]]>([
    ["is made", {}, { usable: true }, ["Create PersistentVolumeClaim"]],
    ["that is there may be used", { world: { claims: byName(claim()) } }, { usable: true }, []],
    [
      "that is not big enough grows",
      { spec: { cache: { size: "20Gi" } }, world: { claims: byName(claim()) } },
      { usable: true },
      ['Merge PersistentVolumeClaim {"spec":{"resources":{"requests":{"storage":"20Gi"}}}}'],
    ],
    [
      "on its way out has to be gone first",
      { world: { claims: byName(claim({ deletionTimestamp: ago(1) })) } },
      { usable: false, message: `PersistentVolumeClaim ${NAME} is being deleted` },
      [],
    ],
    [
      "that the API server refuses is none",
      {
        world: {
          refused: new Map([
            [`PersistentVolumeClaim ${NAME}`, { message: "exceeded quota", isDue: true }],
          ]),
        },
      },
      { usable: false, message: `PersistentVolumeClaim ${NAME}: exceeded quota` },
      ["Create PersistentVolumeClaim"],
    ],
  ])("%s", (_, scene, store, actions) => {
    expect(ensured(scene)).toMatchObject({ store, actions });
  });
});
