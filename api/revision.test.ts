import { describe, expect, it } from "vitest";
import type { Revision } from "./gen/decisionmodels.ts";
import {
  adoptedRevision,
  imagePinned,
  isSameImage,
  isSameRevision,
  type RevisionIdentity,
  revisionHash,
} from "./revision.ts";

const HOST = "ollaya.dev";
const PIN = `@sha256:${"1".repeat(64)}`;
const OTHER_PIN = `@sha256:${"2".repeat(64)}`;

const identity: RevisionIdentity = {
  engine: "ollaya",
  model: "laya:en",
  digest: `ab${"0".repeat(62)}`,
  device: "cpu",
  image: "ghcr.io/ollaya-dev/ollaya:0.10.0",
  placement: "none",
};

// Computed in Go with Kubernetes' own types (k8s.io/api v0.33.0).
describe("the hash of a revision", () => {
  it.each<[string, Partial<RevisionIdentity>, string]>([
    ["without resources", {}, "419818c29a8f6e15"],
    ["with empty resources", { resources: { limits: {}, claims: [] } }, "419818c29a8f6e15"],
    [
      "with quantities written in many ways",
      {
        device: "cuda",
        image: "r/i<&>:1",
        resources: {
          requests: {
            memory: "1536Mi",
            cpu: "1000m",
            "nvidia.com/gpu": 1,
            "ephemeral-storage": "1.5Gi",
            "hugepages-2Mi": "0",
            x: "1e3",
            y: "0.1",
            z: "1048576000",
            w: "1000Mi",
          },
          limits: { cpu: 2.5 },
          claims: [{ request: "r", name: "c" }, { name: "" }],
        },
        placement: "0123456789",
      },
      "cdaa21d999307ba7",
    ],
  ])("%s", (_what, changes, hash) => {
    expect(revisionHash({ ...identity, ...changes })).toBe(hash);
  });
});

describe("images", () => {
  it.each([
    ["r/i:1", false],
    [`r/i:1${PIN}`, true],
    ["r/i:1@sha256:12", false],
  ])("%s is pinned: %s", (image, pinned) => {
    expect(imagePinned(image)).toBe(pinned);
  });

  it.each([
    ["r/i:1", "r/i:1", true],
    ["r/i:1", `r/i:1${PIN}`, true],
    [`r/i:1${PIN}`, "r/i:1", true],
    [`r/i:1${PIN}`, `r/i:1${OTHER_PIN}`, false],
    ["r/i:1", `r/i:2${PIN}`, false],
    [PIN, OTHER_PIN, false],
  ])("%s and %s mean one image: %s", (one, other, same) => {
    expect(isSameImage(one, other)).toBe(same);
  });
});

describe("a recorded revision", () => {
  const recorded: Revision = { ...identity, hash: revisionHash(identity), resources: {} };

  it.each<[string, Partial<Revision>, Partial<RevisionIdentity>, boolean]>([
    ["the same", {}, {}, true],
    ["a model with its host written out", { model: "ollaya.dev/library/laya:en" }, {}, true],
    ["an image that is pinned now", {}, { image: `${identity.image}${PIN}` }, true],
    [
      "a quantity written otherwise",
      { resources: { limits: { cpu: "1000m", memory: "1Gi" } } },
      { resources: { limits: { cpu: 1, memory: "1073741824" } } },
      true,
    ],
    ["no list of claims and an empty one", {}, { resources: { claims: [] } }, true],
    ["another model", {}, { model: "laya:multilingual" }, false],
    ["another digest", {}, { digest: "0".repeat(64) }, false],
    ["another device", {}, { device: "cuda" }, false],
    ["another engine", {}, { engine: "other" }, false],
    ["another release", {}, { image: "ghcr.io/ollaya-dev/ollaya:0.11.0" }, false],
    ["another placement", {}, { placement: "0123456789" }, false],
    [
      "another quantity",
      { resources: { limits: { cpu: 1 } } },
      { resources: { limits: { cpu: 2 } } },
      false,
    ],
    ["one more quantity", {}, { resources: { limits: { cpu: 2 } } }, false],
    [
      "another resource",
      { resources: { limits: { a: 1 } } },
      { resources: { limits: { b: 1 } } },
      false,
    ],
    ["claims", {}, { resources: { claims: [{ name: "c" }] } }, false],
    [
      "quantities that are none",
      { resources: { limits: { cpu: "1e1.5" } } },
      { resources: { limits: { cpu: "1e1.5" } } },
      true,
    ],
  ])("is compared with %s", (_what, record, wanted, same) => {
    const after = { ...recorded, ...record };
    expect(isSameRevision(after, { ...identity, ...wanted }, HOST)).toBe(same);
  });
});

describe("a revision that an operator recorded before placements", () => {
  const hash = revisionHash(identity).slice(0, 10);
  const { engine, model, digest, device, image } = identity;
  const legacy: Revision = { hash, engine, model, digest, device };
  const scheduled = { ...identity, placement: "0123456789" };

  it.each<[string, Revision, RevisionIdentity, boolean]>([
    ["without an image", legacy, scheduled, true],
    ["with its image", { ...legacy, image, placement: "" }, scheduled, true],
    ["with an image that is pinned now", legacy, { ...scheduled, image: `${image}${PIN}` }, true],
    [
      "with other resources than it had",
      legacy,
      { ...scheduled, resources: { limits: { cpu: 1 } } },
      false,
    ],
    ["with a hash of something else", { ...legacy, hash: "0000000000" }, scheduled, false],
  ])("is recognised by its hash: %s", (_what, recorded, wanted, same) => {
    expect(isSameRevision(recorded, wanted, HOST)).toBe(same);
  });

  it("gets what it lacks, and keeps its hash and its image", () => {
    const wanted = { ...scheduled, image: `${image}${PIN}`, resources: {} };
    const added = { resources: {}, placement: "0123456789" };
    expect(adoptedRevision(legacy, wanted)).toEqual({ ...legacy, image: wanted.image, ...added });
    expect(adoptedRevision({ ...legacy, image }, wanted)).toEqual({ ...legacy, image, ...added });
  });

  it("is left alone once it has a placement", () => {
    const recorded = { ...legacy, placement: "none" };
    expect(adoptedRevision(recorded, scheduled)).toBe(recorded);
  });
});
