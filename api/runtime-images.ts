/** An image of the engine for one release and device, by digest. */
export interface RuntimeImage {
  /** MAJOR.MINOR.PATCH. */
  readonly version: string;
  readonly device: "cpu" | "cuda";
  readonly image: string;
}

/** The release of the engine that models get which name none. */
export const DEFAULT_RUNTIME_VERSION = "0.12.0";

/** The oldest release of the engine that has all that is asked of it. */
export const MINIMUM_RUNTIME_VERSION = "0.7.3";

const REPOSITORY = "ghcr.io/ollaya-dev/ollaya";

// The index digests of the tags as published on 2026-10-07; CUDA images are for amd64 alone.
const DIGESTS = [
  ["0.7.3", "cpu", "3e3ad48f93baa7d98d43a9655646b6264bd8322493393a6eb7a899b5d231b4a9"],
  ["0.7.3", "cuda", "b35eedf0c0464455240820a32f755f58d53e68e99c0007c75c8c60fb2309c8d6"],
  ["0.10.0", "cpu", "13fd0aad32f60cc2e5e7bb8007eed51194052dd75a066bf87f5dfbece4edbaa8"],
  ["0.10.0", "cuda", "1e4d7708405b1c28e46bb7c2d79bebb250c05131bc899fc0bff54008d2f22938"],
  ["0.11.0", "cpu", "5f96bc111bf6ca2af9691c0a33a6d04c61e16c4918fb002850f212cbc998de60"],
  ["0.11.0", "cuda", "239045853b01fc919a33f5206b51c0e3a4d8a744bed3f94998a650589561baec"],
  ["0.12.0", "cpu", "f79e865fda7af45aa66617b85fe16b08688d27f83a3137a21c75d3b137d8cf39"],
  ["0.12.0", "cuda", "ee3c316db37b1dfc828bd8bf5db1d269c98e49ad4918cf2e18748292e1f178e7"],
] as const;

/** The images that are known without `--runtime-images`. */
export const RUNTIME_IMAGES: readonly RuntimeImage[] = DIGESTS.map(([version, device, digest]) => ({
  version,
  device,
  image: `${taggedRuntimeImage(version, device)}@sha256:${digest}`,
}));

/** The image of a release for a device as its tag alone names it, which whoever owns the tag can change. */
export function taggedRuntimeImage(version: string, device: RuntimeImage["device"]): string {
  return `${REPOSITORY}:${version}${device === "cuda" ? "-cuda" : ""}`;
}

/** The first image of a list for a release and a device, if there is one. */
export function runtimeImage(
  images: readonly RuntimeImage[],
  version: string,
  device: RuntimeImage["device"],
): string | undefined {
  return images.find((one) => one.version === version && one.device === device)?.image;
}
