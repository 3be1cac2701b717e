import { expect, it } from "vitest";
import { parseSemver } from "../kube/semver.ts";
import { imagePinned } from "./revision.ts";
import {
  DEFAULT_RUNTIME_VERSION,
  MINIMUM_RUNTIME_VERSION,
  RUNTIME_IMAGES,
  runtimeImage,
  taggedRuntimeImage,
} from "./runtime-images.ts";

it.each(RUNTIME_IMAGES)("names the image of $version for $device by its digest", (row) => {
  const { version, device, image } = row;
  expect(imagePinned(image)).toBe(true);
  expect(image.split("@")[0]).toBe(taggedRuntimeImage(version, device));
  expect(parseSemver(version).ok).toBe(true);
});

it("has one image for each release and device, and none twice", () => {
  const digests = RUNTIME_IMAGES.map(({ image }) => image.split("@")[1]);
  const names = RUNTIME_IMAGES.map(({ version, device }) => `${version} ${device}`);
  expect(new Set(digests).size).toBe(RUNTIME_IMAGES.length);
  expect(new Set(names).size).toBe(RUNTIME_IMAGES.length);
});

it.each([DEFAULT_RUNTIME_VERSION, MINIMUM_RUNTIME_VERSION])("knows the images of %s", (version) => {
  for (const device of ["cpu", "cuda"] as const) {
    expect(runtimeImage(RUNTIME_IMAGES, version, device)).toMatch(
      device === "cpu" ? `:${version}@` : `:${version}-cuda@`,
    );
  }
});

it("takes the first image that fits, and none for a release that is not listed", () => {
  const own = { version: "0.12.0", device: "cpu", image: "mirror.example/ollaya:0.12.0" } as const;
  expect(runtimeImage([own, ...RUNTIME_IMAGES], "0.12.0", "cpu")).toBe(own.image);
  expect(runtimeImage(RUNTIME_IMAGES, "0.12.1", "cpu")).toBeUndefined();
});
