import { jsonEqual, sha256Hex } from "../kube/canonical.ts";
import { goKept, goList, goMap, goQuantity, goString, goStruct } from "../kube/go-json.ts";
import { compareQuantities, parseQuantity } from "../kube/quantity.ts";
import type { ResourceRequirements, Revision } from "./gen/decisionmodels.ts";
import { formatModelName, parseModelName } from "./model-name.ts";
import { NO_PLACEMENT } from "./placement.ts";

/** All that makes a revision what it is; a change of anything else rolls nothing out. */
export interface RevisionIdentity {
  readonly engine: string;
  readonly model: string;
  /** 64 hexadecimal digits. */
  readonly digest: string;
  readonly device: string;
  readonly image: string;
  readonly resources?: ResourceRequirements | undefined;
  /** As `placementOf` gives it. */
  readonly placement: string;
}

const text = goKept(goString, '""');
const quantities = goMap(goQuantity);

const identityType = goStruct({
  engine: text,
  model: text,
  digest: text,
  device: text,
  image: text,
  resources: goKept(
    goStruct({
      limits: quantities,
      requests: quantities,
      claims: goList(goStruct({ name: text, request: goString })),
    }),
    "{}",
  ),
  placement: goString,
});

const HASH_LENGTH = 16;
/** Before placement was part of the identity. */
const LEGACY_HASH_LENGTH = 10;

/** Names a revision by 16 hexadecimal digits, the same as an operator in Go gives it. */
export function revisionHash(identity: RevisionIdentity): string {
  const { placement } = identity;
  return hashOf({ ...identity, placement: placement === NO_PLACEMENT ? "" : placement });
}

function hashOf(identity: RevisionIdentity, length = HASH_LENGTH): string {
  return sha256Hex(identityType(identity) ?? "", length);
}

/** Whether an image is named by its digest, so that nobody can change what it is. */
export function imagePinned(image: string): boolean {
  return /@sha256:[0-9a-f]{64}$/.test(image);
}

/** Whether two references mean one image: the same name and tag, and not two different digests. */
export function isSameImage(one: string, other: string): boolean {
  if (one === other) return true;
  const [name, digest] = split(one);
  const [otherName, otherDigest] = split(other);
  return name !== "" && name === otherName && (digest === "" || otherDigest === "");
}

function split(image: string): readonly [string, string] {
  const at = image.indexOf("@");
  return at < 0 ? [image, ""] : [image.slice(0, at), image.slice(at + 1)];
}

/**
 * Whether a recorded revision is the one that an identity means, however each is written. A record
 * without a placement, from before there were any, must have the hash that it had then.
 */
export function isSameRevision(
  recorded: Revision,
  identity: RevisionIdentity,
  defaultHost: string,
): boolean {
  const { engine = "", model, digest, device, image = "", placement = "" } = recorded;
  const same =
    (engine === "" || engine === identity.engine) &&
    isSameModel(model, identity.model, defaultHost) &&
    digest === identity.digest &&
    device === identity.device &&
    (image === "" ? placement === "" : isSameImage(image, identity.image));
  if (!same) return false;
  if (placement === "") return isLegacyRecord(recorded, identity);
  return placement === identity.placement && sameResources(recorded.resources, identity.resources);
}

/** A recorded revision with what an older operator did not record; its hash stays, and so do its objects. */
export function adoptedRevision(recorded: Revision, identity: RevisionIdentity): Revision {
  if ((recorded.placement ?? "") !== "") return recorded;
  const { resources, placement, image } = identity;
  return {
    ...recorded,
    image: recorded.image || image,
    ...(resources === undefined ? {} : { resources }),
    placement,
  };
}

function isLegacyRecord(recorded: Revision, identity: RevisionIdentity): boolean {
  const image = recorded.image || identity.image;
  // The record says only by its hash which resources it has, and whether its image was pinned.
  return [image, split(image)[0]].some((written) => {
    const before = { ...identity, model: recorded.model, image: written, placement: "" };
    return hashOf(before, LEGACY_HASH_LENGTH) === recorded.hash;
  });
}

/** Whether two names mean one model, however each is written. */
export function isSameModel(one: string, other: string, defaultHost: string): boolean {
  const [left, right] = [one, other].map((name) => {
    const parsed = parseModelName(name, defaultHost);
    return parsed.ok ? formatModelName(parsed.name, defaultHost) : name;
  });
  return left === right;
}

/** Whether two requirements ask for the same, with quantities compared by value: `1` and `1000m` are one. */
function sameResources(
  one: ResourceRequirements | undefined,
  other: ResourceRequirements | undefined,
): boolean {
  return (
    sameQuantities(one?.limits, other?.limits) &&
    sameQuantities(one?.requests, other?.requests) &&
    jsonEqual(one?.claims ?? [], other?.claims ?? [])
  );
}

type Quantities = ResourceRequirements["limits"];

function sameQuantities(one: Quantities = {}, other: Quantities = {}): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const [left, right] = [one[name], other[name]];
      if (left === undefined || right === undefined) return false;
      const [a, b] = [parseQuantity(String(left)), parseQuantity(String(right))];
      return a.ok && b.ok ? compareQuantities(a.quantity, b.quantity) === 0 : left === right;
    })
  );
}
