import { MOST_NAME } from "../../api/decision-model.ts";
import type { Revision } from "../../api/gen/decisionmodels.ts";
import { formatModelName, type ModelName, parseModelName } from "../../api/model-name.ts";
import { placementOf } from "../../api/placement.ts";
import {
  adoptedRevision,
  imagePinned,
  isSameModel,
  isSameRevision,
  revisionHash,
} from "../../api/revision.ts";
import { after } from "../../kube/instant.ts";
import { quote } from "../../kube/quote.ts";
import type { Pass } from "./pass.ts";
import { type Refusal, refused } from "./refusal.ts";
import { newRetryToken } from "./retry.ts";
import { chooseImage } from "./runtime.ts";
import { LIMITS } from "./settings.ts";
import type { Resolution } from "./world.ts";

/** The revision that a spec means, if it is known. */
export type Preflight =
  | { readonly state: "wanted"; readonly revision: Revision }
  | { readonly state: "resolving" }
  | Refusal;

/**
 * Finds the revision that the spec means: what it names is checked in the order in which a person
 * would mend it. A recorded revision that means the same is returned as it was recorded, so that
 * another way to write a spec, or another version of the operator, starts no roll-out.
 */
export function preflight(pass: Pass): Preflight {
  const { spec, settings, status } = pass;
  const unfit = unfitObject(pass);
  if (unfit !== undefined) return unfit;
  const defaultHost = hostOf(settings.registry);
  const parsed = parseModelName(spec.model, defaultHost);
  if (!parsed.ok) return refused("until-changed", "InvalidModelName", parsed.error);
  const { name } = parsed;
  if (!settings.allowedRegistries.includes(name.host)) {
    const allowed = settings.allowedRegistries.join(", ");
    const message = `model ${spec.model} comes from ${name.host}, which is none of the allowed registries: ${allowed}`;
    return refused("until-changed", "RegistryNotAllowed", message);
  }
  if (spec.image !== undefined && !settings.allowImageOverride) {
    const message =
      "spec.image is set, but the operator runs without --allow-image-override: leave it out, or name a spec.runtimeVersion";
    return refused("until-changed", "ImageOverrideNotAllowed", message);
  }
  const model = formatModelName(name, defaultHost);
  const digest = findDigest(pass, name, model);
  if (typeof digest !== "string") return digest;
  const runtime = chooseImage(pass);
  if (runtime.state === "refused") return runtime;
  const { image, runtimeVersion } = runtime;
  const identity = {
    engine: spec.engine,
    model,
    digest,
    device: spec.device,
    image,
    resources: spec.resources,
    placement: placementOf(spec.scheduling),
  };
  for (const recorded of [status.stableRevision, status.candidateRevision, status.failedRevision]) {
    if (recorded !== undefined && isSameRevision(recorded, identity, defaultHost)) {
      const { reason: _why, message: _what, failedAt: _when, ...revision } = recorded;
      return { state: "wanted", revision: adoptedRevision(revision, identity) };
    }
  }
  const { resources, ...known } = identity;
  const pinned = imagePinned(image);
  if (!pinned && !settings.allowUnpinnedRuntimeImages) {
    const message = `image ${image} has no @sha256 digest, so what runs could change: add it, or run the operator with --allow-unpinned-runtime-images`;
    return refused("until-mended", "UnpinnedRuntimeImage", message);
  }
  return {
    state: "wanted",
    revision: {
      hash: revisionHash(identity),
      ...known,
      ...(resources === undefined ? {} : { resources }),
      ...(pinned ? {} : { imagePinned: false }),
      ...(runtimeVersion === undefined ? {} : { runtimeVersion }),
    },
  };
}

/** Refuses what the API of this version would refuse; an older definition may let it in. */
function unfitObject({ model, spec }: Pass): Refusal | undefined {
  const name = model.metadata.name ?? "";
  if (spec.engine !== ENGINE) {
    const message = `spec.engine ${quote(spec.engine)} is not known to this operator: use ${ENGINE}`;
    return refused("until-changed", "UnknownEngine", message);
  }
  if (name.length <= MOST_NAME && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) return undefined;
  const message = `metadata.name ${quote(name)} must have at most ${MOST_NAME} characters of a-z, 0-9 and "-", the first a letter, since Services and Jobs are named after it: make the DecisionModel again under another name`;
  return refused("until-changed", "InvalidModelName", message);
}

const ENGINE = "ollaya";

/** The bytes of a revision's manifest in base64, if a registry has just given them. */
export function resolvedManifest(pass: Pass, revision: Revision): string | undefined {
  const found = resolution(pass, revision.model);
  return found?.state === "resolved" && found.digest === revision.digest
    ? found.manifest
    : undefined;
}

/** The digest that the spec pins, else the one recorded for the same name, else the registry's. */
function findDigest(pass: Pass, name: ModelName, model: string): string | Preflight {
  const { spec, status, now } = pass;
  if (spec.digest !== undefined) return spec.digest;
  // Who asks for a retry may have had the tag moved meanwhile: it is resolved anew.
  const failed = newRetryToken(pass) === undefined ? status.failedRevision : undefined;
  for (const recorded of [status.stableRevision, status.candidateRevision, failed]) {
    if (recorded === undefined) continue;
    if (isSameModel(recorded.model, model, hostOf(pass.settings.registry))) return recorded.digest;
  }
  const id = `resolve/${model}`;
  const latest = pass.world.runs.get(id)?.latest;
  const found = resolution(pass, model);
  const wait = found?.state === "absent" ? LIMITS.modelNotFound : backoff(latest?.failures ?? 0);
  const due = latest === undefined ? now : after(latest.at, wait);
  const again = found !== undefined && found.state !== "resolved" && due <= now;
  pass.want({
    id,
    work: { type: "Resolve", model: name },
    ...(again ? { since: now } : {}),
  });
  if (found === undefined) return { state: "resolving" };
  switch (found.state) {
    case "resolved":
      return found.digest;
    case "absent":
      pass.wakeAt(again ? after(now, wait) : due);
      return refused("until-published", "ModelNotFound", found.message);
    case "refused":
    case "unreachable":
      pass.wakeAt(again ? after(now, wait) : due);
      return refused("for-a-while", "ResolveFailed", found.message);
  }
}

function resolution(pass: Pass, model: string): Resolution | undefined {
  const result = pass.world.runs.get(`resolve/${model}`)?.latest?.result;
  return result?.type === "Resolve" ? result.outcome : undefined;
}

/** How long to leave a registry alone that has failed so often in a row. */
function backoff(failures: number): number {
  return Math.min(LIMITS.probe * 2 ** Math.max(0, failures - 1), LIMITS.longestBackoff);
}

/** The host, with its port, of an origin. */
export function hostOf(origin: string): string {
  return origin.replace(/^[a-z]+:\/\//, "").replace(/\/.*$/, "");
}
