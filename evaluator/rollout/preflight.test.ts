import { describe, expect, it, test } from "vitest";
import type { DecisionModelSpec, Revision } from "../../api/gen/decisionmodels.ts";
import { placementOf } from "../../api/placement.ts";
import { after, type Instant } from "../../kube/instant.ts";
import {
  DIGEST,
  type Given,
  imageOf,
  NOW,
  passOver,
  revision,
} from "../../test/support/decision-model.ts";
import { preflight, resolvedManifest } from "./preflight.ts";
import type { Settings } from "./settings.ts";
import type { Resolution, RunState } from "./world.ts";

const digest = DIGEST;
const secondsAgo = (seconds: number): Instant => after(NOW, -seconds * 1000);

/** The runs in which a registry has said something of `laya:en`. */
const said = (outcome: Resolution, seconds = 0, failures = 0): ReadonlyMap<string, RunState> =>
  new Map([
    [
      "resolve/laya:en",
      {
        running: false,
        latest: { at: secondsAgo(seconds), result: { type: "Resolve", outcome }, failures },
      },
    ],
  ]);

function judged(
  given: Given & {
    readonly settings?: Partial<Settings>;
    readonly runs?: ReadonlyMap<string, RunState>;
  },
) {
  const { runs = new Map(), ...rest } = given;
  const pass = passOver({ ...rest, world: { runs } });
  return { pass, identity: preflight(pass), decision: pass.decision() };
}

describe("a spec is refused", () => {
  const everything = {
    spec: { model: "http://LAYA", image: "example/engine:1", runtimeVersion: "0.1.0" },
    metadata: { name: "Router.v1" },
  } as const;
  test.each<readonly [string, Given, string, string, string]>([
    [
      "for an engine that nobody knows, first of all",
      { ...everything, spec: { ...everything.spec, engine: "vllm" as "ollaya" } },
      "UnknownEngine",
      "until-changed",
      'spec.engine "vllm" is not known to this operator: use ollaya',
    ],
    [
      "then for a name that no Service can have",
      everything,
      "InvalidModelName",
      "until-changed",
      'metadata.name "Router.v1" must have at most 43 characters',
    ],
    [
      "for a name that no Job can have",
      { spec: { digest }, metadata: { name: "m".repeat(44) } },
      "InvalidModelName",
      "until-changed",
      "make the DecisionModel again under another name",
    ],
    [
      "75: then for its model's name",
      { spec: everything.spec },
      "InvalidModelName",
      "until-changed",
      'model "http://LAYA": leave the scheme out',
    ],
    [
      "for a model without a tag",
      { spec: { model: "laya" } },
      "InvalidModelName",
      "until-changed",
      "an explicit :tag is needed",
    ],
    [
      "75: then for its registry",
      { spec: { ...everything.spec, model: "registry.example:5000/team/laya:en" } },
      "RegistryNotAllowed",
      "until-changed",
      "model registry.example:5000/team/laya:en comes from registry.example:5000, which is none of the allowed registries: ollaya.dev",
    ],
    [
      "75: for a registry in other letters",
      { spec: { model: "Ollaya.dev/library/laya:en", digest } },
      "RegistryNotAllowed",
      "until-changed",
      "comes from Ollaya.dev",
    ],
    [
      "76: then for its image",
      { spec: { ...everything.spec, model: "laya:en" } },
      "ImageOverrideNotAllowed",
      "until-changed",
      "spec.image is set, but the operator runs without --allow-image-override",
    ],
    [
      "77: at last for its version",
      { spec: { digest, runtimeVersion: "0.1.0" } },
      "InvalidRuntimeVersion",
      "until-mended",
      "spec.runtimeVersion 0.1.0 is older than 0.7.3",
    ],
  ])("%s", (_, given, reason, lasts, message) => {
    const { identity, decision } = judged(given);
    expect(identity).toEqual({
      state: "refused",
      reason,
      lasts,
      message: expect.stringContaining(message),
    });
    expect([...decision.prepare, ...decision.followUp, ...decision.runs]).toEqual([]);
  });

  it("for an image without a digest, which nobody can hold to anything", () => {
    const spec = { digest, image: "example/engine:1" };
    expect(judged({ spec, settings: { allowImageOverride: true } }).identity).toMatchObject({
      reason: "UnpinnedRuntimeImage",
      lasts: "until-mended",
      message: expect.stringContaining("image example/engine:1 has no @sha256 digest"),
    });
    const settings = { allowImageOverride: true, allowUnpinnedRuntimeImages: true };
    const allowed = judged({ spec, settings }).identity;
    expect(allowed).toMatchObject({ revision: { image: "example/engine:1", imagePinned: false } });
    expect(allowed).not.toHaveProperty("revision.runtimeVersion");
  });

  it("for no image of a stable revision, which is never judged again", () => {
    const spec = { digest, image: "example/engine:1" };
    const { runtimeVersion: _, ...stable } = revision("old", { image: "example/engine:1" });
    const settings = { allowImageOverride: true };
    const { identity } = judged({ spec, status: { stableRevision: stable }, settings });
    expect(identity).toEqual({ state: "wanted", revision: stable });
  });
});

describe("the digest is", () => {
  const stable = revision("old", { digest: "b".repeat(64) });
  const resolved = said({ state: "resolved", digest, manifest: "e30=" });
  const digestOf = (given: Parameters<typeof judged>[0]) => {
    const { identity } = judged(given);
    return identity.state === "wanted" ? identity.revision.digest : identity;
  };

  it("what the spec pins, whatever was recorded or a registry says", () => {
    const spec = { digest: "c".repeat(64) };
    expect(digestOf({ spec, status: { stableRevision: stable }, runs: resolved })).toBe(
      "c".repeat(64),
    );
  });

  test.each(["stableRevision", "candidateRevision", "failedRevision"] as const)(
    "else that of the %s with the same model, so that a moved tag changes nothing",
    (field) => {
      const status = { [field]: stable };
      expect(digestOf({ spec: { replicas: 3 }, status, runs: resolved })).toBe("b".repeat(64));
      expect(digestOf({ spec: { model: "ollaya.dev/library/laya:en" }, status })).toBe(
        "b".repeat(64),
      );
    },
  );

  it("else the registry's, with the bytes that it is the hash of", () => {
    const { pass, identity, decision } = judged({ runs: resolved });
    expect(identity).toMatchObject({ state: "wanted", revision: { digest } });
    expect(resolvedManifest(pass, (identity as { revision: Revision }).revision)).toBe("e30=");
    expect(resolvedManifest(pass, stable)).toBeUndefined();
    // It is kept, and not asked for again.
    expect(decision.runs).toEqual([
      {
        id: "resolve/laya:en",
        work: { type: "Resolve", model: expect.objectContaining({ tag: "en" }) },
      },
    ]);
  });

  it("not known before a registry has answered", () => {
    const { identity, decision } = judged({});
    expect(identity).toEqual({ state: "resolving" });
    expect(decision.runs.map(({ id }) => id)).toEqual(["resolve/laya:en"]);
    expect(
      judged({ status: { stableRevision: revision("old", { model: "other:1" }) } }).identity,
    ).toEqual({
      state: "resolving",
    });
  });

  const message = "registry ollaya.dev: 500";
  test.each<readonly [string, Resolution, number, number, string, string, boolean, number]>([
    [
      "84: asked for again after ten seconds",
      { state: "unreachable", message },
      4,
      1,
      "for-a-while",
      "ResolveFailed",
      false,
      6,
    ],
    [
      "asked for again now",
      { state: "unreachable", message },
      10,
      1,
      "for-a-while",
      "ResolveFailed",
      true,
      10,
    ],
    [
      "asked for less and less often",
      { state: "unreachable", message },
      0,
      4,
      "for-a-while",
      "ResolveFailed",
      false,
      80,
    ],
    [
      "but never less than every five minutes",
      { state: "unreachable", message },
      0,
      40,
      "for-a-while",
      "ResolveFailed",
      false,
      300,
    ],
    [
      "84: of no tag, asked for every five minutes",
      { state: "absent", message },
      299,
      0,
      "until-published",
      "ModelNotFound",
      false,
      1,
    ],
    [
      "of a tag that may be there by now",
      { state: "absent", message },
      300,
      0,
      "until-published",
      "ModelNotFound",
      true,
      300,
    ],
    [
      "refused, which may be mended",
      { state: "refused", message },
      0,
      0,
      "for-a-while",
      "ResolveFailed",
      false,
      10,
    ],
  ])("%s", (_, outcome, seconds, failures, lasts, reason, again, wait) => {
    const { identity, decision } = judged({ runs: said(outcome, seconds, failures) });
    expect(identity).toEqual({ state: "refused", lasts, reason, message });
    expect(decision.runs[0]?.since).toBe(again ? NOW : undefined);
    expect(decision.wakeAt).toBe(after(NOW, wait * 1000));
  });
});

describe("a spec means a recorded revision", () => {
  const resources = { requests: { cpu: "500m", memory: "4Gi" } };
  const stable = revision("h1", { resources });
  test.each<readonly [string, Given["spec"]]>([
    [
      "H19: with its keys in another order",
      { resources: { requests: { memory: "4Gi", cpu: "500m" } } },
    ],
    [
      "H19: with the same amounts in other words",
      { resources: { requests: { cpu: "0.5", memory: "4096Mi" } } },
    ],
    [
      "H19: with its defaults written out",
      { resources, scheduling: {}, replicas: 1, engine: "ollaya" },
    ],
    ["H20: with its model's full name", { resources, model: "ollaya.dev/library/laya:en" }],
    [
      "with more replicas, another cache and a key",
      {
        resources,
        replicas: 3,
        cache: { size: "99Gi" },
        auth: { apiKeySecretRef: { name: "a", key: "b" } },
      },
    ],
  ])("%s", (_, spec) => {
    const { identity } = judged({ spec: { digest, ...spec }, status: { stableRevision: stable } });
    expect(identity).toEqual({ state: "wanted", revision: stable });
  });

  test.each<readonly [string, Partial<DecisionModelSpec>]>([
    ["another digest", { digest: "b".repeat(64), resources }],
    ["another device", { digest, device: "cuda", resources }],
    ["other resources", { digest, resources: { requests: { cpu: "1", memory: "4Gi" } } }],
    ["another place", { digest, resources, scheduling: { nodeSelector: { zone: "a" } } }],
  ])("and a new one with %s", (_, spec) => {
    const { identity } = judged({ spec, status: { stableRevision: stable } });
    expect(identity).toMatchObject({
      state: "wanted",
      revision: {
        hash: expect.stringMatching(/^[0-9a-f]{16}$/),
        placement: placementOf(spec.scheduling),
      },
    });
  });

  it("that failed, without what it failed of", () => {
    const failed = revision("bad", {
      reason: "StartTimeout",
      message: "late",
      failedAt: "2026-10-07T00:00:00Z",
    });
    expect(judged({ spec: { digest }, status: { failedRevision: failed } }).identity).toEqual({
      state: "wanted",
      revision: revision("bad"),
    });
  });

  it("78: whatever the operator's default version is by now", () => {
    const old = revision("old", { runtimeVersion: "0.10.0", image: imageOf("0.10.0") });
    const { identity } = judged({ spec: { digest }, status: { stableRevision: old } });
    expect(identity).toEqual({ state: "wanted", revision: old });
  });
});
