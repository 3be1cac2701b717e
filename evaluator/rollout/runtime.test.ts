import { describe, expect, it, test } from "vitest";
import type { DecisionModelSpec, DecisionModelStatus } from "../../api/gen/decisionmodels.ts";
import { imageOf, passOver, revision } from "../../test/support/decision-model.ts";
import {
  chooseImage,
  defaultRequests,
  knowsThreads,
  noteUpdate,
  prefetchImage,
} from "./runtime.ts";
import type { Settings } from "./settings.ts";

const old = revision("old", { runtimeVersion: "0.10.0", image: imageOf("0.10.0") });
const rebuilt = revision("old", {
  runtimeVersion: "0.12.0",
  image: "mirror.example/ollaya:0.12.0@sha256:ab",
});

describe("the image is", () => {
  test.each<
    readonly [
      string,
      Partial<DecisionModelSpec>,
      DecisionModelStatus,
      Partial<Settings>,
      string,
      string | undefined,
    ]
  >([
    ["that of the default version", {}, {}, {}, imageOf("0.12.0"), "0.12.0"],
    ["that for GPUs", { device: "cuda" }, {}, {}, imageOf("0.12.0", "cuda"), "0.12.0"],
    [
      "that of the spec's version",
      { runtimeVersion: "0.11.0" },
      { stableRevision: old },
      {},
      imageOf("0.11.0"),
      "0.11.0",
    ],
    [
      "the spec's, of which no version is known",
      { image: "example/engine:1" },
      { stableRevision: old },
      {},
      "example/engine:1",
      undefined,
    ],
    ["78: that of what serves", {}, { stableRevision: old }, {}, imageOf("0.10.0"), "0.10.0"],
    ["that of a first candidate", {}, { candidateRevision: old }, {}, imageOf("0.10.0"), "0.10.0"],
    [
      "that of the default version, if the operator is followed",
      {},
      { stableRevision: old },
      { runtimeVersionPolicy: "FollowOperator" },
      imageOf("0.12.0"),
      "0.12.0",
    ],
    [
      "the very one that serves that version",
      {},
      { stableRevision: rebuilt },
      {},
      rebuilt.image ?? "",
      "0.12.0",
    ],
    [
      "not that one on another device",
      { device: "cuda" },
      { stableRevision: rebuilt },
      {},
      imageOf("0.12.0", "cuda"),
      "0.12.0",
    ],
    [
      "that of the default version, where what serves has none",
      {},
      { stableRevision: revision("old", { runtimeVersion: "" }) },
      {},
      imageOf("0.12.0"),
      "0.12.0",
    ],
    [
      "of the operator's list",
      { runtimeVersion: "0.13.0" },
      {},
      {
        runtimeImages: [
          { version: "0.13.0", device: "cpu", image: "mirror.example/ollaya@sha256:ab" },
        ],
      },
      "mirror.example/ollaya@sha256:ab",
      "0.13.0",
    ],
    [
      "a tag where that is allowed",
      { runtimeVersion: "0.13.0" },
      {},
      { allowUnpinnedRuntimeImages: true },
      "ghcr.io/ollaya-dev/ollaya:0.13.0",
      "0.13.0",
    ],
    [
      "of the oldest version that works",
      { runtimeVersion: "0.7.3" },
      {},
      {},
      imageOf("0.7.3"),
      "0.7.3",
    ],
  ])("%s", (_, spec, status, settings, image, runtimeVersion) => {
    expect(chooseImage(passOver({ spec, status, settings }))).toEqual({
      state: "chosen",
      image,
      runtimeVersion,
    });
  });

  test.each([
    [
      "0.7.2",
      "InvalidRuntimeVersion",
      "spec.runtimeVersion 0.7.2 is older than 0.7.3, the oldest that works: name a newer one",
    ],
    ["0.1.0", "InvalidRuntimeVersion", "spec.runtimeVersion 0.1.0 is older than 0.7.3"],
    ["0.6.99", "InvalidRuntimeVersion", "is older than 0.7.3"],
    [
      "0.13.0",
      "RuntimeVersionUnsupported",
      "no image is known for runtime version 0.13.0 on cpu: name another version, or find the digest of ghcr.io/ollaya-dev/ollaya:0.13.0 and give it to the operator with --runtime-images",
    ],
    ["99999999999999999999.0.0", "RuntimeVersionUnsupported", "no image is known"],
  ])("none for version %s: %s", (runtimeVersion, reason, message) => {
    expect(chooseImage(passOver({ spec: { runtimeVersion } }))).toEqual({
      state: "refused",
      lasts: "until-mended",
      reason,
      message: expect.stringContaining(message),
    });
  });
});

describe("a download runs", () => {
  test.each([
    ["the image that serves on a CPU", revision("a"), imageOf("0.12.0")],
    [
      "the CPU image of the version that serves on a GPU",
      revision("a", { device: "cuda", image: imageOf("0.12.0", "cuda") }),
      imageOf("0.12.0"),
    ],
    [
      "the image that the spec named",
      revision("a", { device: "cuda", runtimeVersion: "", image: "example/engine:1" }),
      "example/engine:1",
    ],
    [
      "a tag, where it serves one",
      revision("a", { device: "cuda", runtimeVersion: "0.13.0" }),
      "ghcr.io/ollaya-dev/ollaya:0.13.0",
    ],
  ])("%s", (_, of, image) => {
    expect(prefetchImage(passOver(), of)).toBe(image);
  });
});

it("the number of threads is set where the runtime knows it", () => {
  const versions = ["", "0.7.3", "0.10.0", "0.11.0", "0.12.0", "1.0.0"];
  expect(
    versions.filter((runtimeVersion) => knowsThreads(revision("a", { runtimeVersion }))),
  ).toEqual(["0.11.0", "0.12.0", "1.0.0"]);
});

describe("requests by default", () => {
  test.each([
    ["laya:en", { cpu: "1", memory: "3584Mi" }],
    ["laya:multilingual", { cpu: "1", memory: "2048Mi" }],
    ["nli:latest", { cpu: "1", memory: "4096Mi" }],
    ["gliclass:latest", { cpu: "1", memory: "2560Mi" }],
    ["laya:de", {}],
    ["team/laya:en", {}],
    ["registry.example/library/laya:en", {}],
    ["constructor", {}],
  ])("of %s are %j", (model, expected) => {
    expect(defaultRequests(model)).toEqual(expected);
  });
});

describe("a newer default version", () => {
  const noted = (
    stable: Partial<DecisionModelStatus>,
    spec: Partial<DecisionModelSpec> = {},
    settings: Partial<Settings> = {},
  ) => {
    const pass = passOver({ status: stable, spec, settings });
    noteUpdate(pass);
    const found = pass.condition("RuntimeUpdateAvailable");
    return {
      said: found === undefined ? undefined : `${found.status}: ${found.message}`,
      notices: pass.decision().notices,
    };
  };

  it("is said where the spec holds the version too, whatever the operator's policy", () => {
    const held = noted(
      { stableRevision: old },
      { runtimeVersion: "0.10.0" },
      { runtimeVersionPolicy: "FollowOperator" },
    );
    expect(held.said).toMatch(/^True/);
  });

  it("is said, and told once", () => {
    const first = noted({ stableRevision: old });
    expect(first.said).toMatch(/^True: .*0\.12\.0/);
    expect(first.notices).toEqual([expect.objectContaining({ reason: "RuntimeUpdateAvailable" })]);
    const pass = passOver({ status: { stableRevision: old } });
    noteUpdate(pass);
    const conditions = pass.status.conditions ?? [];
    expect(noted({ stableRevision: old, conditions }).notices).toEqual([]);
  });

  test.each<readonly [string, ReturnType<typeof noted>]>([
    ["before anything serves", noted({})],
    ["where it is what serves", noted({ stableRevision: revision("a") })],
    [
      "where the operator is followed",
      noted({ stableRevision: old }, {}, { runtimeVersionPolicy: "FollowOperator" }),
    ],
    [
      "where what serves is newer",
      noted({ stableRevision: revision("a", { runtimeVersion: "0.13.0" }) }),
    ],
    [
      "where nobody knows what serves",
      noted({ stableRevision: revision("a", { runtimeVersion: "" }) }),
    ],
  ])("is not said %s", (_, { said, notices }) => {
    expect([said?.startsWith("True") ?? false, notices]).toEqual([false, []]);
  });
});
