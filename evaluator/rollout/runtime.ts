import type { Revision } from "../../api/gen/decisionmodels.ts";
import {
  MINIMUM_RUNTIME_VERSION,
  runtimeImage,
  taggedRuntimeImage,
} from "../../api/runtime-images.ts";
import type { Pass } from "./pass.ts";
import { type Refusal, refused } from "./refusal.ts";

/** The image that a revision runs, and the runtime's version where it is known. */
export type ChosenImage =
  | {
      readonly state: "chosen";
      readonly image: string;
      readonly runtimeVersion: string | undefined;
    }
  | Refusal;

/**
 * Chooses the image of the revision that the spec means. One that names no version keeps the stable
 * revision's under the policy Pinned, and with the version its very image, so that another version
 * of the operator rolls nothing out.
 */
export function chooseImage(pass: Pass): ChosenImage {
  const { spec, settings, status } = pass;
  if (spec.image !== undefined) {
    return { state: "chosen", image: spec.image, runtimeVersion: undefined };
  }
  const stable = status.stableRevision;
  const kept =
    settings.runtimeVersionPolicy === "Pinned" ? (stable ?? status.candidateRevision) : undefined;
  const version = spec.runtimeVersion ?? (kept?.runtimeVersion || settings.defaultRuntimeVersion);
  if (isOlder(version, MINIMUM_RUNTIME_VERSION)) {
    const message = `spec.runtimeVersion ${version} is older than ${MINIMUM_RUNTIME_VERSION}, the oldest that works: name a newer one`;
    return refused("until-mended", "InvalidRuntimeVersion", message);
  }
  const recorded = [stable, status.candidateRevision].find(
    (one) => one?.runtimeVersion === version && one.device === spec.device,
  );
  const image = recorded?.image || runtimeImage(settings.runtimeImages, version, spec.device);
  if (image !== undefined) return { state: "chosen", image, runtimeVersion: version };
  const tagged = taggedRuntimeImage(version, spec.device);
  if (settings.allowUnpinnedRuntimeImages) {
    return { state: "chosen", image: tagged, runtimeVersion: version };
  }
  const message = `no image is known for runtime version ${version} on ${spec.device}: name another version, or find the digest of ${tagged} and give it to the operator with --runtime-images`;
  return refused("until-mended", "RuntimeVersionUnsupported", message);
}

/** The image that downloads a revision: the one for CPUs of the same version, or the one that the spec named. */
export function prefetchImage({ settings }: Pass, revision: Revision): string {
  const { runtimeVersion = "", image = "", device } = revision;
  if (runtimeVersion === "" || device === "cpu") return image;
  return (
    runtimeImage(settings.runtimeImages, runtimeVersion, "cpu") ??
    taggedRuntimeImage(runtimeVersion, "cpu")
  );
}

/** Whether the runtime of a revision reads `OLLAYA_THREADS`; of an image that the spec named nobody knows. */
export function knowsThreads({ runtimeVersion = "" }: Revision): boolean {
  return runtimeVersion !== "" && !isOlder(runtimeVersion, "0.11.0");
}

/** Says that the operator's default runtime is newer than what serves, where that changes nothing by itself. */
export function noteUpdate(pass: Pass): void {
  const { spec, settings, status } = pass;
  const version = status.stableRevision?.runtimeVersion ?? "";
  const pinned = settings.runtimeVersionPolicy === "Pinned" || (spec.runtimeVersion ?? "") !== "";
  if (version === "" || !pinned || !isOlder(version, settings.defaultRuntimeVersion)) {
    pass.drop("RuntimeUpdateAvailable");
    return;
  }
  const message = `runtime ${settings.defaultRuntimeVersion} is newer than ${version}, which serves: set spec.runtimeVersion to roll it out`;
  if (pass.condition("RuntimeUpdateAvailable") === undefined) {
    pass.notice("Normal", "RuntimeUpdateAvailable", message);
  }
  pass.set("RuntimeUpdateAvailable", "True", "RuntimeUpdateAvailable", message);
}

/** What models are known to need, for pods that would otherwise be killed while they load. */
const NEEDS: Readonly<Record<string, string>> = {
  "laya:en": "3584Mi",
  "laya:multilingual": "2048Mi",
  "nli:latest": "4096Mi",
  "gliclass:latest": "2560Mi",
  "jevk5:latest": "5376Mi",
};

/** The requests of a model of the default registry that has none of its own. */
export function defaultRequests(model: string): Readonly<Record<string, string>> {
  const memory = Object.hasOwn(NEEDS, model) ? NEEDS[model] : undefined;
  return memory === undefined ? {} : { cpu: "1", memory };
}

/** Whether one version of three numbers is before another. */
function isOlder(version: string, other: string): boolean {
  const [left, right] = [version, other].map((text) => text.split(".").map(BigInt));
  for (const index of [0, 1, 2]) {
    const [one = 0n, two = 0n] = [left?.[index], right?.[index]];
    if (one !== two) return one < two;
  }
  return false;
}
