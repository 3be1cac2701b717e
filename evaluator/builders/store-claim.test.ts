import { describe, expect, it, test } from "vitest";
import type { Cache } from "../../api/gen/decisionmodels.ts";
import type { KubeObject } from "../../kube/object.ts";
import { decisionModel, made } from "../../test/support/decision-model.ts";
import { buildStoreClaim, claimState, isShareable } from "./store-claim.ts";

const withCache = (cache?: Cache) => decisionModel({ spec: cache === undefined ? {} : { cache } });
const claim = (cache?: Cache, recovering = false) =>
  buildStoreClaim({
    model: withCache(cache),
    revision: "0123456789abcdef",
    scheduling: undefined,
    recovering,
  });

describe("a claim", () => {
  it("is of one revision, by default of 10Gi for one node at a time", () => {
    expect(claim()).toMatchObject({
      metadata: {
        name: "support-router-store-0123456789abcdef",
        labels: { "decisionmodel.io/revision": "0123456789abcdef" },
      },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } },
    });
    expect(claim().spec).not.toHaveProperty("storageClassName");
    expect(claim().metadata).not.toHaveProperty("annotations");
  });

  it("is what the spec asks for", () => {
    const cache = { size: "50Gi", storageClassName: "fast", accessModes: ["ReadWriteMany"] };
    expect(claim(cache).spec).toEqual({
      accessModes: ["ReadWriteMany"],
      storageClassName: "fast",
      resources: { requests: { storage: "50Gi" } },
    });
  });

  it("says that it is filled again", () => {
    expect(claim(undefined, true).metadata?.annotations).toEqual({
      "decisionmodel.io/store-recovering": "true",
    });
  });

  it("keeps the scheduling of its revision, of which the status has only a hash", () => {
    const { metadata } = buildStoreClaim({
      model: decisionModel({ spec: { scheduling: { nodeSelector: { zone: "b" } } } }),
      revision: "abc",
      scheduling: { nodeSelector: { zone: "a" } },
      recovering: false,
    });
    expect(metadata?.annotations).toEqual({
      "decisionmodel.io/scheduling": '{"nodeSelector":{"zone":"a"}}',
    });
  });
});

describe("pods on several nodes may share a store", () => {
  test.each([
    [[], false],
    [["ReadWriteOnce"], false],
    [["ReadWriteOncePod"], false],
    [["ReadWriteMany"], true],
    [["ReadWriteOnce", "ReadOnlyMany"], true],
  ])("of modes %j: %j", (accessModes, expected) => {
    expect(isShareable(withCache({ size: "10Gi", accessModes }))).toBe(expected);
  });

  it("by what the claim that is there is, whatever the spec asks now", () => {
    const live = claim({ size: "10Gi", accessModes: ["ReadWriteMany"] });
    expect(isShareable(withCache(), live)).toBe(true);
    expect(isShareable(withCache({ size: "10Gi", accessModes: ["ReadWriteMany"] }), claim())).toBe(
      false,
    );
  });
});

describe("a live claim", () => {
  const live = (spec: object = {}): KubeObject => {
    const built = made(claim());
    return { ...built, spec: { ...(built.spec as object), storageClassName: "standard", ...spec } };
  };
  const stored = (storage: string) => ({ resources: { requests: { storage } } });

  test.each<readonly [string, Cache | undefined, object]>([
    ["of the default size", undefined, {}],
    ["of the same size in other words", { size: "10240Mi" }, {}],
    ["of the same size as a number", { size: 10_737_418_240 }, {}],
    ["of the class that the cluster chose", { size: "10Gi" }, { storageClassName: "gold" }],
    ["of the class that is asked for", { size: "10Gi", storageClassName: "standard" }, {}],
    [
      "of the same modes in another order",
      { size: "10Gi", accessModes: ["ReadWriteMany", "ReadWriteOnce"] },
      { accessModes: ["ReadWriteOnce", "ReadWriteMany"] },
    ],
  ])("%s fits", (_, cache, spec) => {
    expect(claimState(live(spec), withCache(cache))).toEqual({ state: "fits" });
  });

  it("grows by a patch of its size alone", () => {
    expect(claimState(live(), withCache({ size: "20Gi" }))).toEqual({
      state: "grows",
      patch: { spec: stored("20Gi") },
    });
  });

  test.each<readonly [string, Cache, object, string]>([
    [
      "shrinks",
      { size: "5Gi" },
      {},
      "PersistentVolumeClaim support-router-store-0123456789abcdef has size 10Gi, and spec.cache wants 5Gi, which is less: what is stored can't change, so set it back; another model or scheduling gets a store of its own",
    ],
    [
      "gets another class",
      { size: "20Gi", storageClassName: "fast" },
      {},
      "has storageClassName standard, and spec.cache wants fast",
    ],
    [
      "gets other modes",
      { size: "20Gi", accessModes: ["ReadWriteMany"] },
      {},
      "has accessModes ReadWriteOnce, and spec.cache wants ReadWriteMany",
    ],
    [
      "loses its modes",
      { size: "10Gi" },
      { accessModes: ["ReadWriteMany"] },
      "has accessModes ReadWriteMany, and spec.cache wants ReadWriteOnce",
    ],
  ])("73: never %s, and so does not grow either", (_, cache, spec, message) => {
    expect(claimState(live(spec), withCache(cache))).toEqual({
      state: "differs",
      message: expect.stringContaining(message),
    });
  });
});
