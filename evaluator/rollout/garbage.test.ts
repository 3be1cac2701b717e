import { describe, expect, it, test } from "vitest";
import type { DecisionModelStatus, Rollout } from "../../api/gen/decisionmodels.ts";
import type { KubeObject } from "../../kube/object.ts";
import {
  ago,
  byName,
  decisionModel,
  NOW,
  ownedObject,
  passOver,
  revision,
} from "../../test/support/decision-model.ts";
import { deploymentOf } from "../../test/support/serving-pods.ts";
import { buildDisruptionBudget } from "../builders/disruption-budget.ts";
import { prefetchLabels, servingLabels } from "../builders/owned.ts";
import { buildService } from "../builders/service.ts";
import { collectGarbage, retirePrevious, targetOf } from "./garbage.ts";
import type { World } from "./world.ts";

const model = decisionModel();
const claim = (hash: string) =>
  ownedObject(
    { apiVersion: "v1", kind: "PersistentVolumeClaim" },
    `support-router-store-${hash}`,
    servingLabels(model, hash),
  );
const job = (hash: string) =>
  ownedObject(
    { apiVersion: "batch/v1", kind: "Job" },
    `support-router-pf-${hash}`,
    prefetchLabels(model, hash),
  );
const budget = (hash: string) =>
  ownedObject(
    { apiVersion: "policy/v1", kind: "PodDisruptionBudget" },
    `support-router-${hash}`,
    buildDisruptionBudget(model, hash).metadata?.labels ?? {},
  );

/** All objects of some revisions. */
function worldOf(...hashes: readonly string[]): Partial<World> {
  return {
    deployments: byName(...hashes.map((hash) => deploymentOf(revision(hash)))),
    jobs: byName(...hashes.map(job)),
    claims: byName(...hashes.map(claim)),
    budgets: byName(...hashes.map(budget)),
  };
}

function deleted(status: DecisionModelStatus, world: Partial<World>): readonly string[] {
  const pass = passOver({ status, world });
  collectGarbage(pass);
  return pass.decision().followUp.map((action) => {
    if (action.type === "Delete") return `${action.target.kind} ${action.target.name}`;
    return action.type === "DeleteManifest" ? `manifest ${action.name}` : action.type;
  });
}

const revisionsLeft = (
  status: DecisionModelStatus,
  world: Partial<World>,
  all: readonly string[],
) => {
  const gone = deleted(status, world).join("\n");
  return all.filter((hash) => !gone.includes(hash));
};

const ALL = ["stable", "candidate", "previous", "failed", "other"];
const previousRevision = { hash: "previous", promotedAt: ago(10), revision: revision("previous") };

describe("what stays", () => {
  test.each<readonly [string, DecisionModelStatus, Partial<World>, readonly string[]]>([
    ["is nothing where nothing is known", {}, {}, []],
    [
      "is what serves, what is tried and the way back",
      {
        stableRevision: revision("stable"),
        candidateRevision: revision("candidate"),
        previousRevision,
        failedRevision: revision("failed"),
      },
      {},
      ["stable", "candidate", "previous"],
    ],
    [
      "is both sides of a rollback that goes on",
      {
        recreateRollback: {
          failed: revision("failed"),
          target: revision("previous"),
          startedAt: ago(1),
        },
      },
      {},
      ["previous", "failed"],
    ],
    [
      "46: is what the Service selects, whatever a status says",
      { stableRevision: revision("stable") },
      { service: buildService(model, "other") },
      ["stable", "other"],
    ],
    [
      "is what a Service of somebody else selects too",
      { stableRevision: revision("stable") },
      { service: { ...buildService(model, "other"), metadata: { name: "support-router" } } },
      ["stable", "other"],
    ],
  ])("%s", (_, status, world, kept) => {
    expect(revisionsLeft(status, { ...worldOf(...ALL), ...world }, ALL)).toEqual(kept);
  });

  it("is what nobody labelled with a revision, such as a store that all shared", () => {
    const shared = ownedObject(
      { apiVersion: "v1", kind: "PersistentVolumeClaim" },
      "support-router-store",
      {},
    );
    expect(deleted({}, { claims: byName(shared) })).toEqual([]);
  });

  it("is what is on its way out already", () => {
    const leaving: KubeObject = {
      ...claim("other"),
      metadata: { ...claim("other").metadata, deletionTimestamp: ago(1) },
    };
    expect(deleted({}, { claims: byName(leaving) })).toEqual([]);
  });
});

describe("what goes", () => {
  it("goes in an order in which nothing is lost sight of: the manifest before its claim", () => {
    expect(deleted({ stableRevision: revision("stable") }, worldOf("stable", "other"))).toEqual([
      "Deployment support-router-other",
      "Job support-router-pf-other",
      "manifest support-router-manifest-other",
      "PersistentVolumeClaim support-router-store-other",
      "PodDisruptionBudget support-router-other",
    ]);
  });

  it("is just the object that was seen", () => {
    const { uid = "" } = claim("other").metadata;
    expect(targetOf(claim("other"))).toEqual({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      name: "support-router-store-other",
      uid,
    });
  });
});

describe("the previous revision is forgotten", () => {
  const retired = (seconds: number, status: DecisionModelStatus, stabilization?: string) => {
    const rollout: Rollout = {
      manualPromotion: false,
      strategy: "BlueGreen",
      ...(stabilization === undefined ? {} : { stabilization }),
    };
    const pass = passOver({
      spec: { rollout },
      status: {
        stableRevision: revision("stable"),
        previousRevision: { ...previousRevision, promotedAt: ago(seconds) },
        ...status,
      },
    });
    retirePrevious(pass);
    const { wakeAt } = pass.decision();
    return {
      gone: pass.status.previousRevision === undefined,
      wait: wakeAt === undefined ? undefined : (wakeAt - NOW) / 1000,
    };
  };

  test.each<
    readonly [string, number, DecisionModelStatus, string | undefined, boolean, number | undefined]
  >([
    ["not while its successor is watched", 3600, {}, undefined, false, undefined],
    ["68: without a window not before endpoints could follow", 29, {}, "0", false, 1],
    ["68: without a window after thirty seconds", 30, {}, "0", true, undefined],
    [
      "where a candidate ends the window, not before that either",
      29,
      { candidateRevision: revision("candidate") },
      undefined,
      false,
      1,
    ],
    [
      "where a candidate ends the window",
      30,
      { candidateRevision: revision("candidate") },
      undefined,
      true,
      undefined,
    ],
  ])("%s", (_, seconds, status, stabilization, gone, wait) => {
    expect(retired(seconds, status, stabilization)).toEqual({ gone, wait });
  });
});
